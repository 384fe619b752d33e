/** Finds a connector's stack by name, or the only one in the account and region, and reads its outputs and its function. */

import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { CONNECTORCTL } from '../../lib/installation.ts';
import { VERSION } from '../../lib/version.ts';
import type { Aws } from './aws.ts';
import { AwsCallError, RefusedError } from './errors.ts';
import { withoutConnector } from './stack-status.ts';

export interface Deployment {
  readonly stackName: string;
  /** Id of the AWS account. */
  readonly account: string;
  /** For example `UPDATE_COMPLETE`. */
  readonly stackStatus: string;
  readonly connector: string;
  readonly version: string;
  readonly functionName: string;
  readonly logGroup: string;
  readonly table: string;
  readonly bucket: string;
  readonly deliveryStream: string;
  readonly scheduleName: string;
  readonly scheduleDeadLetterQueueUrl: string;
  readonly alarmTopicArn: string;
  /** Every output of the stack by its name. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Absent if the SIEM does not read from a queue. */
  readonly siem: SiemSide | undefined;
}

export interface SiemSide {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly policyArn: string;
  readonly roleArn: string | undefined;
}

const PREFIX = 'SecurityDataConnector-';

/** @param name of the stack, with or without `SecurityDataConnector-` @throws RefusedError, AwsCallError */
export async function findDeployment(aws: Aws, name: string | undefined): Promise<Deployment> {
  // An unset variable in a script. CloudFormation could take it for "all stacks".
  if (name === '') throw new RefusedError('--stack is empty. Give a stack name, or omit the option. Nothing was done.');
  const client = aws.cloudFormation();
  const stack = name === undefined ? await onlyStack(client) : await namedStack(client, name);
  const region = await client.config.region();
  const reason = isConnector(stack) ? undefined : withoutConnector(stack, region);
  if (reason) throw new RefusedError(reason);
  return deploymentOf(stack);
}

async function onlyStack(client: CloudFormationClient): Promise<Stack> {
  const found: Stack[] = [];
  const uncreated: Stack[] = [];
  try {
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
      for (const stack of Stacks) (isConnector(stack) ? found : isUncreated(stack) ? uncreated : []).push(stack);
  } catch (cause) {
    throw new AwsCallError('The stacks of this account and region could not be listed', ADVICE, cause);
  }
  // A stack without resources counts only if there is no other.
  const [only, ...others] = found.length > 0 ? found : uncreated;
  if (only && others.length === 0) return only;
  const region = await client.config.region();
  if (!only)
    throw new RefusedError(
      `There is no connector in region ${region} of this account. Use --region or --profile, or deploy one.`,
    );
  const names = [only, ...others].map(each => each.StackName).join(', ');
  throw new RefusedError(
    `There are several connectors in region ${region}. Choose one with --stack, for example --stack ${only.StackName}. They are ${names}.`,
  );
}

async function namedStack(client: CloudFormationClient, name: string): Promise<Stack> {
  const exact = await describe(client, name);
  const isAnswer = name.startsWith(PREFIX) || (exact && isConnector(exact));
  const stack = isAnswer ? exact : ((await describe(client, `${PREFIX}${name}`)) ?? exact);
  if (!stack) {
    const region = await client.config.region();
    throw new RefusedError(
      `There is no stack ${name} in region ${region} of this account. Use --region or --profile, or another --stack.`,
    );
  }
  if (isConnector(stack) || isUncreated(stack)) return stack;
  throw new RefusedError(
    `Stack ${name} is not a connector: it lacks the outputs of one. Its status is ${stack.StackStatus}.`,
  );
}

async function describe(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks[0];
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ValidationError' && /does not exist/.test(cause.message))
      return undefined;
    throw new AwsCallError(`Stack ${name} could not be read`, ADVICE, cause);
  }
}

const ADVICE = 'Nothing was done. You need cloudformation:DescribeStacks in the account and region of the connector.';

function isConnector({ Outputs = [] }: Stack): boolean {
  const names = new Set(Outputs.map(each => each.OutputKey));
  return names.has('FunctionName') && names.has('StateTableName') && names.has('DeliveryStreamName');
}

/** A stack with a connector's name whose first deployment failed or is in progress. It has no outputs yet. */
function isUncreated(stack: Stack): boolean {
  return stack.StackName?.startsWith(PREFIX) === true && withoutConnector(stack, '') !== undefined;
}

function deploymentOf({ StackName: stackName = '', StackId, StackStatus, Outputs = [] }: Stack): Deployment {
  const outputs = new Map(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  const version = outputs.get('ConnectorVersion') ?? 'an earlier version';
  if (!isCompatible(version, VERSION)) {
    throw new RefusedError(
      `Stack ${stackName} was deployed by version ${version} of the connector, and this is ${VERSION}. Nothing was done. ` +
        'Use connectorctl of that version, or deploy the stack with this version.',
    );
  }
  const output = (name: string) => {
    const value = outputs.get(name);
    if (value) return value;
    throw new RefusedError(
      `Stack ${stackName} lacks the output ${name}. Nothing was done. Deploy it with this version: npx cdk deploy ${stackName}`,
    );
  };
  return {
    stackName,
    account: StackId?.split(':')[4] ?? '',
    stackStatus: StackStatus ?? 'UNKNOWN',
    version,
    outputs,
    connector: output('ConnectorName'),
    functionName: output('FunctionName'),
    logGroup: output('LogGroupName'),
    table: output('StateTableName'),
    bucket: output('BucketName'),
    deliveryStream: output('DeliveryStreamName'),
    scheduleName: output('ScheduleName'),
    scheduleDeadLetterQueueUrl: output('ScheduleDeadLetterQueueUrl'),
    alarmTopicArn: output('AlarmTopicArn'),
    siem: outputs.has('SiemQueueUrl')
      ? {
          queueUrl: output('SiemQueueUrl'),
          deadLetterQueueUrl: output('SiemDeadLetterQueueUrl'),
          policyArn: output('SiemReaderPolicyArn'),
          roleArn: outputs.get('SiemReaderRoleArn'),
        }
      : undefined,
  };
}

export interface DeployedFunction {
  /** Names and addresses, never a secret. */
  readonly environment: FunctionEnvironment;
  readonly state: Condition;
  /** Result of the last update of code or settings. */
  readonly lastUpdate: Condition;
}

/** Lambda's words: `Active`, `Pending`, `Inactive`, `Failed`, or `Successful`, `InProgress`, `Failed`. */
export interface Condition {
  readonly word: string;
  readonly reason: string | undefined;
  /** For example `Idle` or `SubnetOutOfIPAddresses`. */
  readonly code: string | undefined;
}

/** @throws AwsCallError */
export async function readFunction(aws: Aws, name: string): Promise<DeployedFunction> {
  try {
    const answer = await aws.lambda().send(new GetFunctionConfigurationCommand({ FunctionName: name }));
    return {
      environment: answer.Environment?.Variables ?? {},
      state: condition(answer.State, answer.StateReason, answer.StateReasonCode),
      lastUpdate: condition(answer.LastUpdateStatus, answer.LastUpdateStatusReason, answer.LastUpdateStatusReasonCode),
    };
  } catch (cause) {
    const advice = 'Nothing was done. You need lambda:GetFunctionConfiguration on the function of the stack.';
    throw new AwsCallError(`The settings of function ${name} could not be read`, advice, cause);
  }
}

function condition(word = 'unknown', reason: string | undefined, code: string | undefined): Condition {
  return { word, reason, code };
}

export type FunctionEnvironment = Readonly<Record<string, string>>;

/** @throws RefusedError if the function lacks the setting */
export function settingOf(environment: FunctionEnvironment, setting: string): string {
  const value = environment[setting];
  if (value) return value;
  throw new RefusedError(
    `The function of the stack has no setting ${setting}. Nothing was done. "${CONNECTORCTL} doctor" lists the missing settings.`,
  );
}

/** Whether one version can operate what another deployed: same minor version before 1.0, same major version from 1.0. */
export function isCompatible(deployed: string, own: string): boolean {
  return lineOf(deployed) === lineOf(own) && lineOf(own) !== undefined;
}

function lineOf(version: string): string | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+/.exec(version) ?? [];
  return major === '0' ? `0.${minor}` : major;
}

/**
 * How to restore what somebody changed or deleted by hand. A plain deployment does not: CloudFormation compares templates, not
 * resources, and the CDK skips an unchanged template.
 */
export function restore(stackName: string, what = 'it'): string {
  return `"npx cdk deploy --revert-drift ${stackName}" restores ${what}. A plain deployment of the same template does not.`;
}
