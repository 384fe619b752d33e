/** Finds a connector by the exported outputs of its stack, and reads its function. */
import { paginateDescribeStacks, type Stack } from '@aws-sdk/client-cloudformation';
import { type FunctionConfiguration, GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { parseExportName } from '../../lib/export-name.ts';
import { VERSION } from '../../lib/version.ts';
import { type Aws, collectItems } from './aws.ts';
import { AwsCallError, awsCall, RefusedError } from './errors.ts';
import { groupBy } from './group-by.ts';

export type Deployment = ReturnType<typeof deploymentOf>;

/**
 * The connector that the user selects. Without members, it is the only connector in the account and
 * region.
 */
export interface DeploymentChoice {
  readonly connector?: string | undefined;
  /** Name of the stack. */
  readonly stack?: string | undefined;
}

/** A connector in a stack. */
interface Found {
  readonly stack: Stack;
  readonly connector: string;
  /** Values of the outputs, by the name of the output. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** @throws RefusedError, AwsCallError */
export async function findDeployment(aws: Aws, wanted: DeploymentChoice): Promise<Deployment> {
  // An empty name comes from an unset variable in a script. CloudFormation could take it for "all
  // stacks".
  for (const [option, value] of Object.entries(wanted)) {
    if (value === '')
      throw new RefusedError(`--${option} is empty. Give a ${option} name, or omit the option. Nothing was done.`);
  }

  const all = (await describeStacks(aws, wanted.stack)).flatMap(connectorsIn);
  const found = all.filter(({ connector }) => wanted.connector === undefined || connector === wanted.connector);
  const [only] = found;
  if (only && found.length === 1) return deploymentOf(only);

  const region = `region ${await aws.cloudFormation().config.region()} of this account`;
  const place = wanted.stack === undefined ? region : `stack ${wanted.stack} in ${region}`;
  const names = all.map(({ connector }) => connector).sort();
  if (only) {
    throw new RefusedError(
      `There are several connectors in ${place}: ${names.join(', ')}. Choose one with --connector. Nothing was done.`,
    );
  }
  const which = wanted.connector === undefined ? 'no connector' : `no connector ${wanted.connector}`;
  const others = names.length > 0 ? ` The connectors there are ${names.join(', ')}.` : '';
  throw new RefusedError(
    `There is ${which} in ${place}.${others} Use --region or --profile, or deploy one. If its first deployment failed, ` +
      'docs/lifecycle.md says how to go on.',
  );
}

/**
 * Lists the connectors of the account and region. The method `deployment` of an entry fails if this
 * version of connectorctl cannot operate the connector.
 *
 * @throws AwsCallError
 */
export async function listConnectors(aws: Aws) {
  const found = (await describeStacks(aws)).flatMap(connectorsIn);
  return found.map(each => ({ connector: each.connector, deployment: async () => deploymentOf(each) }));
}

/**
 * @param name name of a stack; if undefined, every stack of the account and region is read
 * @returns an empty list if no stack has that name
 * @throws AwsCallError
 */
async function describeStacks(aws: Aws, name?: string): Promise<Stack[]> {
  try {
    return await collectItems(
      paginateDescribeStacks({ client: aws.cloudFormation() }, { StackName: name }),
      page => page.Stacks,
    );
  } catch (cause) {
    const isMissing =
      cause instanceof Error && cause.name === 'ValidationError' && /does not exist/.test(cause.message);
    if (isMissing) return [];
    const stacks = name === undefined ? 'stacks of this account and region' : `stack ${name}`;
    throw new AwsCallError(`The ${stacks} could not be read`, cause);
  }
}

/**
 * A stack of an app may have several connectors. The names of the exports say which output belongs
 * to which connector.
 */
function connectorsIn(stack: Stack): Found[] {
  const outputs = (stack.Outputs ?? []).flatMap(({ ExportName, OutputValue = '' }) => {
    const named = parseExportName(ExportName);
    return named ? [{ ...named, value: OutputValue }] : [];
  });
  return [...groupBy(outputs, each => each.connector)].map(([connector, own]) => {
    return { stack, connector, outputs: new Map(own.map(({ output, value }) => [output, value])) };
  });
}

function deploymentOf({ stack, connector, outputs }: Found) {
  const { StackName: stackName = '', StackId, StackStatus } = stack;
  const version = outputs.get('ConnectorVersion') ?? 'an earlier version';
  if (LINE.exec(version)?.[1] !== LINE.exec(VERSION)?.[1]) {
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

  // The outputs of the first reader have no suffix, and the outputs of another reader end in that
  // reader's name. A reader with an existing queue does not have this output, because the queue's
  // owner watches the queue.
  const names = [...outputs.keys()].flatMap(name => /^SiemDeadLetterQueueUrl(\w*)$/.exec(name)?.[1] ?? []).sort();
  const readers = names.map(name => ({
    name: name.toLowerCase(),
    queueUrl: output(`SiemQueueUrl${name}`),
    queueArn: output(`SiemQueueArn${name}`),
    /** Topic of new objects, which delivers to the queue. */
    topicArn: output('NewObjectsTopicArn'),
    deadLetterQueueUrl: output(`SiemDeadLetterQueueUrl${name}`),
  }));

  return {
    stackName,
    /** Id of the AWS account. */
    account: StackId?.split(':')[4] ?? '',
    /** Status of the stack, for example `UPDATE_COMPLETE`. */
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
    /** The first reader. Absent if the SIEM does not read from a queue. */
    siem: readers[0],
    /**
     * Readers after the first, from the option `siemReaders`. Empty when there is only one reader.
     */
    otherReaders: readers.slice(1),
  };
}

/**
 * Whether the last operation on the stack failed, was rolled back, or deletes it. A deployment in
 * progress is not a problem.
 */
export function isStackTroubled(stackStatus: string): boolean {
  return /FAILED|ROLLBACK|^DELETE/.test(stackStatus);
}

/**
 * Settings and state of a function. The settings have names and addresses, never a secret.
 *
 * @throws AwsCallError
 */
export async function readFunction(aws: Aws, name: string): Promise<FunctionConfiguration> {
  return awsCall(
    aws.lambda().send(new GetFunctionConfigurationCommand({ FunctionName: name })),
    `The settings of function ${name} could not be read`,
  );
}

/**
 * The part of a version that must be equal, so that one version can operate a stack that another
 * version deployed: `0.3` of `0.3.1`, and `2` of `2.3.1`.
 */
const LINE = /^(0\.\d+|[1-9]\d*)\./;

/**
 * Advice about a resource that somebody changed or deleted by hand. A plain deployment does not
 * restore it, because CloudFormation compares templates, not resources, and the CDK skips an
 * unchanged template.
 */
export function restoreAdvice(stackName: string, what = 'it'): string {
  return `"npx cdk deploy --revert-drift ${stackName}" restores ${what}. A plain deployment of the same template does not.`;
}
