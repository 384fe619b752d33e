import type { RunFacts } from '../../../lambda/metrics.ts';
import type { Clock } from '../../../lambda/ports.ts';
import type { SimulatorOptions } from '../../../local/api-simulator/simulator.ts';
import { onlyResource } from '../../../local/deployment/template.ts';
import { type LocalDeployment, startDeployment } from '../../aws/deployment/deployment.ts';
import { madeName } from '../../aws/deployment/physical-names.ts';
import type { AwsOptions } from '../../aws/endpoints.ts';
import type { Call } from '../../aws/wire.ts';
import { templateWith } from '../../stack/shared-template.ts';
import { type Connector, connector } from '../../support/function/connector.ts';
import { invokeErrorLine, logLines, metricLines } from './function-log.ts';
import { putMetrics } from './function-metrics.ts';
import { type Ended, type Started, start, startProcess } from './shell.ts';

export const STACK = 'SecurityDataConnector-acme';

export const OPTIONS = { dnsBlocksPath: '/v1/dns-blocks', alarmEmail: 'on-call@acme.example' };
/** Synthesized before any test's time runs. */
const TEMPLATE = await templateWith(OPTIONS);

/** Access key of the operator's processes; the function has another. */
export const OPERATOR = 'operator';

export const FUNCTION = madeName(STACK, onlyResource(TEMPLATE, 'AWS::Lambda::Function')[0]);

/** A deployed stack and the API simulator, and an operator's shell beside them. */
export interface Deployment extends AsyncDisposable {
  readonly connector: Connector;
  readonly stack: LocalDeployment;
  /** `connectorctl` without a terminal, to its end. */
  ctl(args: readonly string[], environment?: Readonly<Record<string, string>>, input?: string): Promise<Ended>;
  /** `connectorctl` with `--json`, whose document is undefined if it prints none. */
  json(args: readonly string[], environment?: Readonly<Record<string, string>>, input?: string): Promise<Printed>;
  /** Starts the command without waiting. */
  start(args: readonly string[], environment?: Readonly<Record<string, string>>, clock?: Clock): Started;
  /** Starts it on a terminal, where it can ask. */
  ask(args: readonly string[], environment?: Readonly<Record<string, string>>): Started;
  /** Starts it in a process of its own. */
  startProcess(args: readonly string[], environment?: Readonly<Record<string, string>>): Started;
  /** Environment variables of the operator's processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** Calls to AWS by the operator's processes so far. */
  asked(): readonly Call[];
  /** A scheduled run, reported in the metrics that many minutes ago. @returns whether it succeeded */
  run(payload?: unknown, minutesAgo?: number): Promise<boolean>;
}

/** A command's exit status and output. */
export interface Printed {
  readonly status: number | null;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own document
  readonly document: any;
}

const BUCKET = 'security-data';

export interface DeploymentChoices {
  /** Options of the connector in addition to `OPTIONS`. They need another synth, which takes seconds. */
  readonly options?: object;
  /** Variables of the function that replace those of the template. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Environment of the function that runs here, in addition to what the stack reports. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs instead of the function. */
  readonly invoke?: (payload: unknown) => unknown;
  /** Options of the local AWS endpoints. */
  readonly aws?: Partial<AwsOptions>;
}

export async function deployment(
  simulator: Partial<SimulatorOptions> = {},
  { options = {}, variables = {}, environment = {}, aws = {}, invoke: given }: DeploymentChoices = {},
): Promise<Deployment> {
  const each = await connector({
    simulator,
    environment,
    aws: { ...aws, names: { bucket: BUCKET, deadLetterBucket: BUCKET } },
  });
  const { API_BASE_URL = '', AUTH_URL = '' } = each.environment;
  const invoke = async (payload: unknown, minutesAgo = 0) => {
    const time = Date.now() - minutesAgo * 60_000;
    try {
      return await each.run(payload);
    } catch (error) {
      putLog(time, invokeErrorLine(error, time));
      throw error;
    } finally {
      putLog(time, ...logLines('acme', each.logged.splice(0)));
      report(each.reports.splice(0), time);
    }
  };
  const stack = await startDeployment({
    template: await templateWith({ ...OPTIONS, ...options }),
    stackName: STACK,
    aws: each.aws,
    invoke: async payload => (given ? given(payload) : invoke(payload)),
    variables: { API_BASE_URL, AUTH_URL, ...variables },
  });
  // On-call has confirmed the subscription.
  for (const { subscriptions } of stack.topics) {
    for (const each of subscriptions) Object.assign(each, { confirmed: true });
  }
  const putLog = (timestamp: number, ...lines: readonly string[]) => {
    for (const message of lines) stack.logs.put(stack.outputs['LogGroupName']!, { timestamp, message });
  };
  const report = (reports: readonly RunFacts[], time: number) => {
    for (const facts of reports) {
      putMetrics(stack, 'acme', facts, time);
      putLog(time, ...metricLines('acme', facts));
    }
  };
  const own = { ...stack.environment, AWS_ACCESS_KEY_ID: OPERATOR, AWS_EC2_METADATA_DISABLED: 'true' };
  const shell = (more = {}, input = '') => ({ environment: { ...own, ...more }, input });
  return {
    connector: each,
    stack,
    ctl: (args, more, input) => start(args, shell(more, input)).ended,
    async json(args, more, input) {
      const { status, stdout, stderr } = await start([...args, '--json'], shell(more, input)).ended;
      return { status, stderr, document: stdout === '' ? undefined : JSON.parse(stdout) };
    },
    start: (args, more, clock) => start(args, { ...shell(more), ...(clock && { clock }) }),
    ask: (args, more) => start(args, { ...shell(more), interactive: true }),
    startProcess: (args, more) => startProcess(args, shell(more)),
    environment: own,
    asked: () => each.calls.filter(({ caller }) => caller === OPERATOR),
    run: (payload, minutesAgo) =>
      invoke(payload ?? {}, minutesAgo).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => each[Symbol.asyncDispose](),
  };
}
