import { AwsError, type ResourcePlace } from '../../../local/aws/service.ts';
import { type QueryApi, type QueryOperation, queryService, type XmlValue } from '../protocols.ts';
import type { Service } from '../wire.ts';

export interface LocalPolicy {
  readonly arn: string;
  readonly name: string;
  readonly document: unknown;
}

export interface LocalRole {
  readonly name: string;
  /** Attached managed policies. */
  readonly policyArns: readonly string[];
  /** Trust policy: who may assume the role. */
  readonly trust: unknown;
}

export interface IamOptions extends ResourcePlace {
  readonly policies: readonly LocalPolicy[];
  /** Read at every call. */
  readonly roles: readonly LocalRole[];
}

const API: QueryApi = { version: '2010-05-08', namespace: 'https://iam.amazonaws.com/doc/2010-05-08/' };
/** Each policy has one version. */
const VERSION = 'v1';

/** IAM with roles and their managed policies. */
export function createIam(options: IamOptions): Service<QueryOperation> {
  return queryService({
    name: 'iam',
    api: API,
    actions: ['GetPolicy', 'GetPolicyVersion', 'GetRole', 'ListAttachedRolePolicies'],
    resource(input) {
      const role = input.get('RoleName');
      return role === null ? (input.get('PolicyArn') ?? '*') : roleArn(options, role);
    },
    answer: (input, action) => (input.has('RoleName') ? ofRole(options, action, input) : ofPolicy(options, input)),
  });
}

function roleArn({ account }: ResourcePlace, name: string): string {
  return `arn:aws:iam::${account}:role/${name}`;
}

function ofRole(options: IamOptions, action: string, input: URLSearchParams): XmlValue {
  const wanted = input.get('RoleName');
  const role = options.roles.find(({ name }) => name === wanted);
  if (!role) throw noSuchEntity(`The role with name ${wanted} cannot be found.`);
  const { name, policyArns, trust } = role;
  if (action === 'GetRole') {
    return { Role: { RoleName: name, Arn: roleArn(options, name), AssumeRolePolicyDocument: documentText(trust) } };
  }
  const attached = options.policies.filter(({ arn }) => policyArns.includes(arn));
  return { AttachedPolicies: attached.map(each => ({ PolicyName: each.name, PolicyArn: each.arn })) };
}

function ofPolicy({ policies }: IamOptions, input: URLSearchParams): XmlValue {
  const wanted = input.get('PolicyArn');
  const policy = policies.find(({ arn }) => arn === wanted);
  if (!policy) throw noSuchEntity(`Policy ${wanted} was not found.`);
  const version = input.get('VersionId');
  if (version === null) return { Policy: { PolicyName: policy.name, Arn: policy.arn, DefaultVersionId: VERSION } };
  if (version === VERSION) {
    return { PolicyVersion: { Document: documentText(policy.document), VersionId: VERSION, IsDefaultVersion: true } };
  }
  throw noSuchEntity(`Policy ${wanted} version ${version} does not exist or is not attachable.`);
}

/** IAM percent-encodes documents by RFC 3986: all but unreserved characters. */
function documentText(document: unknown): string {
  const text = encodeURIComponent(JSON.stringify(document));
  return text.replace(/[!'()*]/g, each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function noSuchEntity(message: string): AwsError {
  return new AwsError(404, 'NoSuchEntity', message);
}
