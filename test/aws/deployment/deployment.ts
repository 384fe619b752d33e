import { devNull } from 'node:os';
import { LOCAL_ACCOUNT } from '../../../local/aws/local-aws.ts';
import type { ResourcePlace } from '../../../local/aws/service.ts';
import type { References, Template } from '../../../local/deployment/template.ts';
import type { Endpoints } from '../endpoints.ts';
import type { AlarmControls } from '../services/alarms.ts';
import { createCloudFormation, type LocalStack } from '../services/cloudformation.ts';
import { type CloudWatchControls, createCloudWatch } from '../services/cloudwatch.ts';
import { createIam, type LocalRole } from '../services/iam.ts';
import { createLambda } from '../services/lambda.ts';
import { createLogs, type LogControls } from '../services/logs.ts';
import { createScheduler, type SchedulerControls } from '../services/scheduler.ts';
import { createSns, type LocalTopic } from '../services/sns.ts';
import { createSqs, type SqsControls } from '../services/sqs.ts';
import { createSts } from '../services/sts.ts';
import type { Service } from '../wire.ts';
import {
  alarmsOf,
  functionOf,
  notificationsOf,
  policiesOf,
  queuesOf,
  rolesOf,
  scheduleOf,
  stackOf,
  topicsOf,
} from './parts.ts';
import { createReferences } from './physical-names.ts';

export interface DeploymentOptions {
  /** One connector's stack as it was synthesized. */
  readonly template: Template;
  /** @default 'SecurityDataConnector-acme' */
  readonly stackName?: string;
  /** Endpoints with one bucket for events and dead letters, as in the stack. The deployment closes them. */
  readonly aws: Endpoints;
  /** One invocation of the function. What it throws is the function's error. */
  readonly invoke: (payload: unknown) => Promise<unknown>;
  /** Variables that replace the template's: the API's addresses on this machine. */
  readonly variables: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. @default the clock */
  readonly now?: () => number;
}

/** A stack that is deployed on this machine, and what an operator's process needs to work on it. */
export interface LocalDeployment extends AsyncDisposable {
  readonly stackName: string;
  readonly functionName: string;
  readonly scheduleName: string;
  /** Endpoints, region and credentials for an operator's process, without this machine's own AWS settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the function: the template's, with names and addresses of this machine. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
  /** Outputs of the stack by key. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The name at the endpoints of what the template gives a logical id; any other text unchanged. */
  physicalId(logicalId: string): string;
  /** Every stack of the account. Tests may change it. */
  readonly stacks: LocalStack[];
  /** Payloads that the function was invoked with. */
  readonly invocations: unknown[];
  /** The function's configuration in Lambda, beside name and ARN. Tests may change it. */
  readonly configuration: Record<string, unknown>;
  /** Every role of the template. Tests may change it. */
  readonly roles: LocalRole[];
  readonly alarms: AlarmControls;
  readonly metrics: CloudWatchControls['metrics'];
  /** Every log group. Nothing writes into them by itself. */
  readonly logs: LogControls;
  readonly queues: SqsControls;
  readonly schedules: SchedulerControls;
  /** Every topic of the template. Tests may change the subscriptions. */
  readonly topics: readonly LocalTopic[];
}

/** Deploys a template: its resources exist at the endpoints, under the names in its outputs. @throws RangeError */
export async function startDeployment(options: DeploymentOptions): Promise<LocalDeployment> {
  const { template, stackName = 'SecurityDataConnector-acme', aws } = options;
  if (aws.names.bucket !== aws.names.deadLetterBucket) {
    throw new RangeError('A stack has one bucket: start the endpoints with one name for bucket and deadLetterBucket.');
  }
  const settings = settingsOf(options);
  let sqsUrl = '';
  const queueUrl = (name: string) => `${sqsUrl}/${LOCAL_ACCOUNT}/${name}`;
  const named = { ...settings, stackName, names: aws.names, secretArn: aws.secret.arn, queueUrl };
  const references = createReferences(template, named);
  const sqs = createSqs({ ...settings, queues: queuesOf(template, references) });
  sqsUrl = await aws.serve(sqs.service);
  for (const each of notificationsOf(template, references)) aws.notifications.set(...each);
  const { services, stack, ...parts } = createParts(options, settings, stackName, references);
  const endpoints: Record<string, string> = { AWS_ENDPOINT_URL_SQS: sqsUrl };
  for (const [name, service] of Object.entries(services)) {
    endpoints[`AWS_ENDPOINT_URL_${name}`] = await aws.serve(service);
  }
  return {
    ...parts,
    stackName,
    environment: { ...operatorEnvironment(aws), ...endpoints },
    outputs: Object.fromEntries(stack.outputs.map(({ key, value }) => [key, value])),
    physicalId: id => (id in template.Resources ? references.ref(id) : id),
    queues: sqs.controls,
    [Symbol.asyncDispose]: () => aws.close(),
  };
}

/**
 * Creates the simulated services except SQS. The keys of services are the SDK's names for their endpoints, for example `CLOUDWATCH_LOGS`.
 */
function createParts(options: DeploymentOptions, settings: Settings, stackName: string, references: References) {
  const { template, variables } = options;
  const stack = stackOf(template, stackName, references);
  const stacks = [stack];
  const lambda = functionOf(template, references, variables);
  const invocations: unknown[] = [];
  const invoke = (payload: unknown) => {
    invocations.push(payload);
    return options.invoke(payload);
  };
  const functions = [{ name: lambda.name, configuration: () => lambda.configuration, invoke }];
  const scheduler = createScheduler(settings);
  const schedule = scheduleOf(template, references);
  scheduler.controls.put(schedule.name, schedule.members);
  const cloudwatch = createCloudWatch({ ...settings, alarms: alarmsOf(template, references) });
  const logs = createLogs(settings);
  const policies = policiesOf(template, references);
  const roles = rolesOf(template, references);
  const topics = topicsOf(template, references);
  const services: Readonly<Record<string, Service>> = {
    CLOUDFORMATION: createCloudFormation({ ...settings, stacks }),
    CLOUDWATCH: cloudwatch.service,
    IAM: createIam({ ...settings, policies, roles }),
    LAMBDA: createLambda({ ...settings, functions }),
    CLOUDWATCH_LOGS: logs.service,
    SCHEDULER: scheduler.service,
    SNS: createSns({ ...settings, topics }),
    STS: createSts(settings),
  };
  const { name: functionName, configuration, environment: functionEnvironment } = lambda;
  const named = { functionName, functionEnvironment, scheduleName: schedule.name };
  const controls = {
    ...cloudwatch.controls,
    schedules: scheduler.controls,
    logs: logs.controls,
    configuration,
    roles,
    topics,
  };
  return { ...named, ...controls, services, stack, stacks, invocations };
}

interface Settings extends ResourcePlace {
  readonly now: () => number;
  readonly created: number;
}

function settingsOf({ aws, now = Date.now }: DeploymentOptions): Settings {
  const place = { region: aws.environment['AWS_REGION'] ?? '', account: LOCAL_ACCOUNT };
  return { ...place, now, created: now() };
}

/** Excludes the files with the user's own profiles. */
function operatorEnvironment(aws: Endpoints): Record<string, string> {
  const ofSdk = Object.entries(aws.environment).filter(([name]) => name.startsWith('AWS_'));
  return { ...Object.fromEntries(ofSdk), AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull };
}
