import { AwsError, arn, type ResourcePlace } from '../../../local/aws/service.ts';
import { type QueryApi, type QueryOperation, queryService, type XmlValue } from '../protocols.ts';
import type { Service } from '../wire.ts';

export interface StackOutput {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  /** Name of the export, if the output is one. */
  readonly exportName?: string;
}

export interface LocalStack {
  readonly name: string;
  /** For example `UPDATE_IN_PROGRESS`. One of `DELETE_COMPLETE` is found by its id only. @default 'CREATE_COMPLETE' */
  readonly status?: string;
  readonly statusReason?: string;
  /** @default false */
  readonly terminationProtection?: boolean;
  readonly description?: string;
  readonly outputs: readonly StackOutput[];
}

export interface CloudFormationOptions extends ResourcePlace {
  /** Read at every call, so changes take effect at once. */
  readonly stacks: readonly LocalStack[];
  /** Milliseconds since 1970. */
  readonly created: number;
}

const API: QueryApi = { version: '2010-05-15', namespace: 'http://cloudformation.amazonaws.com/doc/2010-05-15/' };
const DELETED = 'DELETE_COMPLETE';

/** CloudFormation that describes existing stacks. */
export function createCloudFormation(options: CloudFormationOptions): Service<QueryOperation> {
  return queryService({
    name: 'cloudformation',
    api: API,
    actions: ['DescribeStacks'],
    resource: input => resourceOf(options, input.get('StackName')),
    answer(input) {
      const name = input.get('StackName');
      const asked = name ? [findStack(options, name)] : options.stacks.filter(isLive);
      return { Stacks: asked.map(stack => stackXml(options, stack)) };
    },
  });
}

function findStack(options: CloudFormationOptions, name: string): LocalStack {
  const found = options.stacks.find(
    stack => (stack.name === name && isLive(stack)) || stackId(options, stack.name) === name,
  );
  if (found) return found;
  throw new AwsError(400, 'ValidationError', `Stack with id ${name} does not exist`);
}

function isLive({ status }: LocalStack): boolean {
  return status !== DELETED;
}

function stackXml(options: CloudFormationOptions, stack: LocalStack): XmlValue {
  const { name, status, statusReason, description, outputs, terminationProtection = false } = stack;
  return {
    StackId: stackId(options, name),
    StackName: name,
    Description: description,
    CreationTime: new Date(options.created),
    StackStatus: status ?? 'CREATE_COMPLETE',
    StackStatusReason: statusReason,
    Outputs: outputs.map(each => ({
      OutputKey: each.key,
      OutputValue: each.value,
      Description: each.description,
      ExportName: each.exportName,
    })),
    EnableTerminationProtection: terminationProtection,
  };
}

/** Every id ends in the same UUID, so that ids are the same in every run. */
export function stackId(place: ResourcePlace, name: string): string {
  return arn(place, 'cloudformation', `stack/${name}/10ca1000-0000-4000-8000-000000000000`);
}

function resourceOf(options: CloudFormationOptions, name: string | null): string {
  if (!name) return arn(options, 'cloudformation', 'stack/*/*');
  if (name.startsWith('arn:')) return name;
  const known = options.stacks.some(stack => stack.name === name);
  return known ? stackId(options, name) : arn(options, 'cloudformation', `stack/${name}/*`);
}
