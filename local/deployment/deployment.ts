import { devNull } from 'node:os';
import type { AlarmControls } from '../aws/alarms.ts';
import { createCloudFormation, type LocalStack } from '../aws/cloudformation.ts';
import { type CloudWatchControls, createCloudWatch } from '../aws/cloudwatch.ts';
import { ACCOUNT, type LocalAws } from '../aws/endpoints.ts';
import { createIam } from '../aws/iam.ts';
import { createLambda, type LocalFunction } from '../aws/lambda.ts';
import { createScheduler, type SchedulerControls } from '../aws/scheduler.ts';
import { createSqs, type SqsControls } from '../aws/sqs.ts';
import { createSts } from '../aws/sts.ts';
import { alarmsOf, functionOf, policiesOf, queuesOf, rolesOf, scheduleOf, stackOf } from './parts.ts';
import { createReferences } from './physical-names.ts';
import type { Template } from './template.ts';

export interface DeploymentOptions {
  /** One connector's stack as it was synthesized. */
  readonly template: Template;
  /** @default 'SecurityDataConnector-acme' */
  readonly stackName?: string;
  /** Endpoints with one bucket for events and dead letters, as the stack has one. The deployment closes them. */
  readonly aws: LocalAws;
  /** One invocation of the function. What it throws is the function's error. */
  readonly invoke: (payload: unknown) => Promise<unknown>;
  /** Variables of the function that take the place of the template's: the API's addresses on this machine. */
  readonly variables: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. @default the clock */
  readonly now?: () => number;
  /** Entries in a page of every list. @default what the services give */
  readonly pageSize?: number;
}

/** A stack that is deployed on this machine, and what an operator's process needs to work on it. */
export interface LocalDeployment extends AsyncDisposable {
  readonly stackName: string;
  readonly functionName: string;
  readonly scheduleName: string;
  /** Endpoints, region and credentials for a process of an operator; nothing of this machine's own AWS settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the function: the template's, with names and addresses of this machine. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
  /** Outputs of the stack by key. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Every stack of the account: put in or take out what a test needs. */
  readonly stacks: LocalStack[];
  /** Payloads that the function was invoked with. */
  readonly invocations: unknown[];
  readonly alarms: AlarmControls;
  readonly metrics: CloudWatchControls['metrics'];
  readonly queues: SqsControls;
  readonly schedules: SchedulerControls;
}

/** Deploys a template: what it names exists at the endpoints, under the names that its outputs tell. @throws RangeError */
export async function startDeployment(options: DeploymentOptions): Promise<LocalDeployment> {
  const { template, stackName = 'SecurityDataConnector-acme', aws } = options;
  if (aws.names.bucket !== aws.names.deadLetterBucket) {
    throw new RangeError('A stack has one bucket: start the endpoints with one name for bucket and deadLetterBucket.');
  }
  const settings = settingsOf(options);
  let sqsUrl = '';
  const queueUrl = (name: string) => `${sqsUrl}/${ACCOUNT}/${name}`;
  const named = { ...settings, stackName, names: aws.names, secretArn: aws.secret.arn, queueUrl };
  const references = createReferences(template, named);
  const sqs = createSqs({ ...settings, queues: queuesOf(template, references) });
  sqsUrl = await aws.serve(sqs.service);

  const stack = stackOf(template, stackName, references);
  const stacks = [stack];
  const lambda = functionOf(template, references, options.variables);
  const invocations: unknown[] = [];
  const invoke = (payload: unknown) => {
    invocations.push(payload);
    return options.invoke(payload);
  };
  const functions: LocalFunction[] = [{ name: lambda.name, configuration: () => lambda.configuration, invoke }];
  const scheduler = createScheduler(settings);
  const schedule = scheduleOf(template, references);
  scheduler.controls.put(schedule.name, schedule.members);
  const cloudwatch = createCloudWatch({ ...settings, alarms: alarmsOf(template, references) });
  const policies = policiesOf(template, references);
  const iam = { ...settings, policies, roles: rolesOf(template, references) };
  const endpoints = {
    AWS_ENDPOINT_URL_SQS: sqsUrl,
    AWS_ENDPOINT_URL_CLOUDFORMATION: await aws.serve(createCloudFormation({ ...settings, stacks })),
    AWS_ENDPOINT_URL_CLOUDWATCH: await aws.serve(cloudwatch.service),
    AWS_ENDPOINT_URL_IAM: await aws.serve(createIam(iam)),
    AWS_ENDPOINT_URL_LAMBDA: await aws.serve(createLambda({ ...settings, functions })),
    AWS_ENDPOINT_URL_SCHEDULER: await aws.serve(scheduler.service),
    AWS_ENDPOINT_URL_STS: await aws.serve(createSts(settings)),
  };
  return {
    stackName,
    functionName: lambda.name,
    scheduleName: schedule.name,
    environment: { ...operatorEnvironment(aws), ...endpoints },
    functionEnvironment: lambda.environment,
    outputs: Object.fromEntries(stack.outputs.map(({ key, value }) => [key, value])),
    stacks,
    invocations,
    alarms: cloudwatch.controls.alarms,
    metrics: cloudwatch.controls.metrics,
    queues: sqs.controls,
    schedules: scheduler.controls,
    [Symbol.asyncDispose]: () => aws.close(),
  };
}

function settingsOf({ aws, now = Date.now, pageSize }: DeploymentOptions) {
  const place = { region: aws.environment['AWS_REGION'] ?? '', account: ACCOUNT };
  return { ...place, now, created: now(), ...(pageSize === undefined ? {} : { pageSize }) };
}

/** Without the files in which a person keeps their own profiles. */
function operatorEnvironment(aws: LocalAws): Record<string, string> {
  const ofSdk = Object.entries(aws.environment).filter(([name]) => name.startsWith('AWS_'));
  return { ...Object.fromEntries(ofSdk), AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull };
}
