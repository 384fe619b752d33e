/** Finds a connector by its name, by its stack, or as the only one in the account and region, and reads its outputs and its function. */

import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { exportedOutput } from '../../lib/export-name.ts';
import { VERSION } from '../../lib/version.ts';
import { type Aws, collected } from './aws.ts';
import { AwsCallError, awsCall, RefusedError } from './errors.ts';
import { groupBy } from './group-by.ts';
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
  /** Absent if the SIEM does not read from a queue. */
  readonly siem: SiemSide | undefined;
}

export interface SiemSide {
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Topic of new objects, which delivers to the queue. */
  readonly topicArn: string;
  readonly deadLetterQueueUrl: string;
  readonly policyArn: string;
  readonly roleArn: string | undefined;
}

/** Prefix of the stacks that `cdk.json` names. Stacks of other apps may have any name. */
const PREFIX = 'SecurityDataConnector-';

/** The connector that the user selects. Empty: the only one. */
export interface Wanted {
  /** Name of the connector. */
  readonly connector?: string | undefined;
  /** Name of the stack, with or without `SecurityDataConnector-`. */
  readonly stack?: string | undefined;
}

/** A connector in a stack. */
interface Found {
  readonly stack: Stack;
  readonly connector: string;
  /** By name. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** @throws RefusedError, AwsCallError */
export async function findDeployment(aws: Aws, wanted: Wanted): Promise<Deployment> {
  // An unset variable in a script. CloudFormation could take it for "all stacks".
  for (const [option, value] of Object.entries(wanted)) {
    if (value === '')
      throw new RefusedError(`--${option} is empty. Give a ${option} name, or omit the option. Nothing was done.`);
  }
  const client = aws.cloudFormation();
  const stacks = wanted.stack === undefined ? await allStacks(client) : [await namedStack(client, wanted.stack)];
  const { connector } = wanted;
  const isWanted = (each: Found) => connector === undefined || each.connector === connector;
  const found = stacks.flatMap(connectorsIn).filter(isWanted);
  if (found.length === 1) return deploymentOf(found[0]!);
  const region = await client.config.region();
  if (found.length > 1)
    throw new RefusedError(severalText(found, wanted.stack ? `stack ${wanted.stack}` : `region ${region}`));
  throw new RefusedError(noneText(stacks, wanted, region));
}

/** A connector. Reading its deployment fails if it has no usable one. */
export interface ListedConnector {
  readonly connector: string;
  /** @throws RefusedError */
  readonly deployment: () => Promise<Deployment>;
}

/** Every connector of account and region, with those whose first deployment failed. @throws AwsCallError */
export async function listConnectors(aws: Aws): Promise<ListedConnector[]> {
  const client = aws.cloudFormation();
  const stacks = await allStacks(client);
  const region = await client.config.region();
  const uncreated = stacks.filter(isUncreated).map(stack => ({
    connector: stack.StackName!.slice(PREFIX.length),
    deployment: async () => Promise.reject(new RefusedError(withoutConnector(stack, region) ?? '')),
  }));
  const found = stacks.flatMap(connectorsIn);
  return [
    ...found.map(each => ({ connector: each.connector, deployment: async () => deploymentOf(each) })),
    ...uncreated,
  ];
}

function severalText(found: readonly Found[], place: string): string {
  const names = found.map(({ connector }) => connector).sort();
  return `There are several connectors in ${place}. Choose one with --connector, for example --connector ${names[0]}. They are ${names.join(', ')}.`;
}

function noneText(stacks: readonly Stack[], { connector, stack: stackName }: Wanted, region: string): string {
  // A stack without resources counts only if there is no connector.
  const isMeant = ({ StackName }: Stack) => connector === undefined || StackName === `${PREFIX}${connector}`;
  const uncreated = stacks.filter(isUncreated).filter(isMeant);
  const [only] = uncreated;
  if (only && uncreated.length === 1) return withoutConnector(only, region) ?? '';
  if (only) {
    const names = uncreated.map(each => each.StackName).join(', ');
    return `There is no connector in region ${region}, but stacks of which none was created: ${names}. Choose one with --stack.`;
  }
  const which = connector === undefined ? 'no connector' : `no connector ${connector}`;
  const where = stackName === undefined ? `region ${region} of this account` : `stack ${stackName}`;
  const others = stacks.flatMap(connectorsIn).map(each => each.connector);
  const list = others.length > 0 ? ` The connectors there are ${others.sort().join(', ')}.` : '';
  return `There is ${which} in ${where}.${list} Use --region or --profile, or deploy one.`;
}

async function allStacks(client: CloudFormationClient): Promise<Stack[]> {
  const stacks = collected(paginateDescribeStacks({ client }, {}), page => page.Stacks);
  return awsCall(stacks, 'The stacks of this account and region could not be listed', NOTHING_DONE);
}

async function namedStack(client: CloudFormationClient, name: string): Promise<Stack> {
  const exact = await readStack(client, name);
  const isAnswer = name.startsWith(PREFIX) || (exact && connectorsIn(exact).length > 0);
  const stack = isAnswer ? exact : ((await readStack(client, `${PREFIX}${name}`)) ?? exact);
  if (!stack) {
    const region = await client.config.region();
    throw new RefusedError(
      `There is no stack ${name} in region ${region} of this account. Use --region or --profile, or another --stack.`,
    );
  }
  if (connectorsIn(stack).length > 0 || isUncreated(stack)) return stack;
  throw new RefusedError(
    `Stack ${name} is not a connector: it lacks the exports of one. Its status is ${stack.StackStatus}.`,
  );
}

const NOTHING_DONE = { safe: 'Nothing was done.' };

/** @returns undefined if there is no such stack @throws AwsCallError */
export async function readStack(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks[0];
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ValidationError' && /does not exist/.test(cause.message))
      return undefined;
    throw new AwsCallError(`Stack ${name} could not be read`, cause, NOTHING_DONE);
  }
}

/** A stack of an app may have several. The names of their exports say which output belongs to which. */
function connectorsIn(stack: Stack): Found[] {
  const outputs = (stack.Outputs ?? []).flatMap(({ ExportName, OutputValue = '' }) => {
    const named = exportedOutput(ExportName);
    return named ? [{ ...named, value: OutputValue }] : [];
  });
  return [...groupBy(outputs, each => each.connector)].map(([connector, own]) => {
    return { stack, connector, outputs: new Map(own.map(({ output, value }) => [output, value])) };
  });
}

/** A stack with a connector's name whose first deployment failed or is in progress. It has no outputs yet. */
function isUncreated(stack: Stack): boolean {
  return stack.StackName?.startsWith(PREFIX) === true && withoutConnector(stack, '') !== undefined;
}

function deploymentOf({ stack, connector, outputs }: Found): Deployment {
  const { StackName: stackName = '', StackId, StackStatus } = stack;
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
    connector,
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
          queueArn: output('SiemQueueArn'),
          topicArn: output('NewObjectsTopicArn'),
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
  const answer = await awsCall(
    aws.lambda().send(new GetFunctionConfigurationCommand({ FunctionName: name })),
    `The settings of function ${name} could not be read`,
    NOTHING_DONE,
  );
  return {
    environment: answer.Environment?.Variables ?? {},
    state: condition(answer.State, answer.StateReason, answer.StateReasonCode),
    lastUpdate: condition(answer.LastUpdateStatus, answer.LastUpdateStatusReason, answer.LastUpdateStatusReasonCode),
  };
}

function condition(word = 'unknown', reason: string | undefined, code: string | undefined): Condition {
  return { word, reason, code };
}

export type FunctionEnvironment = Readonly<Record<string, string>>;

/** Whether one version can operate what another deployed: same minor version before 1.0, same major version from 1.0. */
function isCompatible(deployed: string, own: string): boolean {
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
