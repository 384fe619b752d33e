import {
  MISSING_QUERY_TOKEN,
  type QueryApi,
  type QueryOperation,
  queryRefusal,
  queryReply,
  readQueryRequest,
  type XmlValue,
} from './protocols.ts';
import { AwsError, cutPage, type Place } from './service.ts';
import type { Service } from './wire.ts';

export interface LocalPolicy {
  readonly arn: string;
  readonly name: string;
  readonly description?: string;
  readonly document: unknown;
}

export interface LocalRole {
  readonly name: string;
  /** Attached managed policies. */
  readonly policyArns: readonly string[];
  /** Trust policy: who may assume the role. */
  readonly trust: unknown;
}

export interface IamOptions extends Place {
  readonly policies: readonly LocalPolicy[];
  /** Read at every call. */
  readonly roles: readonly LocalRole[];
  /** Milliseconds since 1970. */
  readonly created: number;
}

const API: QueryApi = { version: '2010-05-08', namespace: 'https://iam.amazonaws.com/doc/2010-05-08/' };
const VERSION = 'v1';
const PAGE_SIZE = 100;
const LARGEST_PAGE = 1000;

/** IAM with roles and their managed policies. Each policy has one version. */
export function createIam(options: IamOptions): Service<QueryOperation> {
  return {
    name: 'iam',
    unsigned: MISSING_QUERY_TOKEN,
    understand(request) {
      const { action, input } = readQueryRequest(request, API, [
        'GetPolicy',
        'GetPolicyVersion',
        'GetRole',
        'ListAttachedRolePolicies',
      ]);
      const role = input.get('RoleName');
      const resource = role === null ? (input.get('PolicyArn') ?? '*') : `arn:aws:iam::${options.account}:role/${role}`;
      return { action, permission: `iam:${action}`, resource, input };
    },
    async perform({ action, input, resource }) {
      if (action === 'GetRole') return queryReply(API, action, { Role: roleXml(options, input) });
      if (action === 'ListAttachedRolePolicies') return queryReply(API, action, attachedXml(options, input));
      const policy = options.policies.find(each => each.arn === resource);
      if (!policy) throw noSuchEntity(`Policy ${resource} was not found.`);
      const created = new Date(options.created);
      if (action === 'GetPolicy') return queryReply(API, action, { Policy: policyXml(policy, options.roles, created) });
      const version = input.get('VersionId');
      if (version !== VERSION)
        throw noSuchEntity(`Policy ${resource} version ${version} does not exist or is not attachable.`);
      return queryReply(API, action, {
        PolicyVersion: {
          Document: encodeRfc3986(JSON.stringify(policy.document)),
          VersionId: VERSION,
          IsDefaultVersion: true,
          CreateDate: created,
        },
      });
    },
    refusal: error => queryRefusal(API, error),
  };
}

function findRole({ roles }: IamOptions, input: URLSearchParams): LocalRole {
  const name = input.get('RoleName');
  const role = roles.find(each => each.name === name);
  if (role) return role;
  throw noSuchEntity(`The role with name ${name} cannot be found.`);
}

function roleXml(options: IamOptions, input: URLSearchParams): XmlValue {
  const { name, trust } = findRole(options, input);
  return {
    Path: '/',
    RoleName: name,
    RoleId: 'AROALOCALROLE00000000',
    Arn: `arn:aws:iam::${options.account}:role/${name}`,
    CreateDate: new Date(options.created),
    AssumeRolePolicyDocument: encodeRfc3986(JSON.stringify(trust)),
    MaxSessionDuration: 3600,
  };
}

function attachedXml(options: IamOptions, input: URLSearchParams): XmlValue {
  const { policies } = options;
  const role = findRole(options, input);
  const attached = policies.filter(({ arn }) => role.policyArns.includes(arn));
  const refusal = invalid('Invalid Marker.');
  const { items, nextToken } = cutPage(attached, pageSize(input), input.get('Marker') ?? undefined, refusal);
  return {
    AttachedPolicies: items.map(({ arn, name }) => ({ PolicyName: name, PolicyArn: arn })),
    IsTruncated: nextToken !== undefined,
    Marker: nextToken,
  };
}

function pageSize(input: URLSearchParams): number {
  const size = Number(input.get('MaxItems') ?? PAGE_SIZE);
  if (Number.isInteger(size) && size >= 1 && size <= LARGEST_PAGE) return size;
  throw invalid(`1 validation error detected: Value at 'maxItems' must be 1 to ${LARGEST_PAGE}`);
}

function policyXml({ arn, name, description }: LocalPolicy, roles: readonly LocalRole[], created: Date): XmlValue {
  return {
    PolicyName: name,
    PolicyId: 'ANPALOCALPOLICY000000',
    Arn: arn,
    Path: '/',
    DefaultVersionId: VERSION,
    AttachmentCount: roles.filter(({ policyArns }) => policyArns.includes(arn)).length,
    PermissionsBoundaryUsageCount: 0,
    IsAttachable: true,
    Description: description,
    CreateDate: created,
    UpdateDate: created,
  };
}

/** IAM percent-encodes documents by RFC 3986: all but unreserved characters. */
function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, each => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function noSuchEntity(message: string): AwsError {
  return new AwsError(404, 'NoSuchEntity', message);
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'ValidationError', message);
}
