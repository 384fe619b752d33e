/** Finds a connector's stack by its name, or as the only one of the account and region, and reads what its outputs name. */
import {
  type CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { VERSION } from '../../../lib/version.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError, RefusedError } from '../errors.ts';
import { withoutConnector } from './stack-status.ts';
import { isCompatible } from './version.ts';

export interface Deployment {
  readonly stackName: string;
  /** Id of the AWS account. */
  readonly account: string;
  /** CloudFormation's word for its state, for example `UPDATE_COMPLETE`. */
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
  /** Absent where the SIEM is told by other means than a queue. */
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
  // As an unset variable of a script gives it: CloudFormation might take it for "all stacks".
  if (name === '') throw new RefusedError('--stack names nothing. Say which stack, or leave it out. Nothing was done.');
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
  // One that does not exist yet stands in nobody's way.
  const [only, ...others] = found.length > 0 ? found : uncreated;
  if (only && others.length === 0) return only;
  const region = await client.config.region();
  if (!only)
    throw new RefusedError(
      `There is no connector in region ${region} of this account. Say --region or --profile, or deploy one.`,
    );
  const names = [only, ...others].map(each => each.StackName).join(', ');
  throw new RefusedError(
    `There are several connectors in region ${region}: say which with --stack, for example --stack ${only.StackName}. They are ${names}.`,
  );
}

async function namedStack(client: CloudFormationClient, name: string): Promise<Stack> {
  const exact = await describe(client, name);
  const isAnswer = name.startsWith(PREFIX) || (exact && isConnector(exact));
  const stack = isAnswer ? exact : ((await describe(client, `${PREFIX}${name}`)) ?? exact);
  if (!stack) {
    const region = await client.config.region();
    throw new RefusedError(
      `There is no stack ${name} in region ${region} of this account. Say --region or --profile, or another --stack.`,
    );
  }
  if (isConnector(stack) || isUncreated(stack)) return stack;
  throw new RefusedError(
    `Stack ${name} is no connector: it lacks the outputs of one. Its status is ${stack.StackStatus}.`,
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

/** By its name a connector whose first deployment failed or has not ended: CloudFormation shows its outputs only afterwards. */
function isUncreated(stack: Stack): boolean {
  return stack.StackName?.startsWith(PREFIX) === true && withoutConnector(stack, '') !== undefined;
}

function deploymentOf({ StackName: stackName = '', StackId, StackStatus, Outputs = [] }: Stack): Deployment {
  const outputs = new Map(Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  const version = outputs.get('ConnectorVersion') ?? 'an earlier version';
  if (!isCompatible(version, VERSION)) {
    throw new RefusedError(
      `Stack ${stackName} was deployed by ${version} of the connector, and this is ${VERSION}. Nothing was done. ` +
        'Use the command line of that version, or deploy the stack with this one.',
    );
  }
  const output = (name: string) => {
    const value = outputs.get(name);
    if (value) return value;
    throw new RefusedError(
      `Stack ${stackName} lacks the output ${name}. Nothing was done. Deploy it again with this version: npx cdk deploy ${stackName}`,
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
