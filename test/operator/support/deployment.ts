import type { PrepareClient } from '../../../bin/ctl/aws.ts';
import type { Clock } from '../../../lambda/ports.ts';
import { parseEmf } from '../../../local/alarms/emf.ts';
import type { SimulatorOptions } from '../../../local/api-simulator/simulator.ts';
import { type AnsweredCall, type CommandInput, createLocalClient } from '../../../local/aws/call.ts';
import type { AwsOptions } from '../../../local/aws/local-aws.ts';
import { type Account, openAccount } from '../../aws/account.ts';
import { minuteOf, operatorServices } from '../../aws/operator-services.ts';
import { createReferences } from '../../aws/references.ts';
import { templateWith } from '../../stack/shared-template.ts';
import { type Connector, connector } from '../../support/function/connector.ts';
import { invokeErrorLine, logLines, metricLines } from './function-log.ts';
import { type Ended, type Started, start } from './shell.ts';

export const STACK = 'SecurityDataConnector-acme';

export const OPTIONS = { dnsBlocksPath: '/v1/dns-blocks', alarmEmail: 'on-call@acme.example' };
// The template is synthesized before the time of any test runs, because that takes seconds.
const template = await templateWith(OPTIONS);

/** The caller of the operator's commands. The function is another one. */
const OPERATOR = 'operator';

/** A deployed stack and the API simulator, and an operator's shell beside them. */
export interface Deployment extends AsyncDisposable {
  readonly connector: Connector;
  readonly account: Account;
  /** The outputs of the stack by their keys. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Payloads that the function was invoked with. */
  readonly invocations: unknown[];
  /** Invokes the function. */
  invoke(payload: unknown): Promise<unknown>;
  /** `connectorctl` without a terminal, to its end. */
  ctl(args: readonly string[], environment?: Readonly<Record<string, string>>, input?: string): Promise<Ended>;
  /** `connectorctl` with `--json`, whose document is undefined if it prints none. */
  json(args: readonly string[], environment?: Readonly<Record<string, string>>, input?: string): Promise<Printed>;
  /** Starts the command without waiting. */
  start(args: readonly string[], clock?: Clock): Started;
  /** Starts it on a terminal, where it can ask. */
  ask(args: readonly string[], environment?: Readonly<Record<string, string>>): Started;
  /** Calls to AWS by the operator's commands so far. */
  asked(): readonly AnsweredCall[];
  /**
   * A scheduled run, reported in the metrics that many minutes ago.
   *
   * @returns whether it succeeded
   */
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
  /** Variables of the function that replace those of the template. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Environment of the function that runs here, in addition to what the stack reports. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs instead of the function. */
  readonly invoke?: (payload: unknown) => unknown;
  /** Options of the local AWS endpoints. */
  readonly aws?: Partial<AwsOptions>;
}

/** A deployment whose API has three rows of each stream, or these numbers of rows. */
export async function populated(
  rows = { assets: 3, threats: 3, dnsBlocks: 3 },
  simulator: Partial<SimulatorOptions> = {},
): Promise<Deployment> {
  const each = await deployment(simulator);
  each.connector.simulator.populate(rows);
  return each;
}

export async function deployment(
  simulator: Partial<SimulatorOptions> = {},
  { variables = {}, environment = {}, aws = {}, invoke: given }: DeploymentChoices = {},
): Promise<Deployment> {
  const each = await connector({
    simulator,
    environment,
    aws: { ...aws, names: { bucket: BUCKET, deadLetterBucket: BUCKET } },
  });
  const { API_BASE_URL = '', AUTH_URL = '' } = each.environment;
  const account = openAccount({
    template,
    stackName: STACK,
    references: createReferences(template, { stackName: STACK, names: each.aws.names }),
    variables: { API_BASE_URL, AUTH_URL, ...variables },
  });

  const putLog = (timestamp: number, ...lines: readonly string[]) => {
    account.logs.push(...lines.map(message => ({ timestamp, message })));
  };
  const runFunction = async (payload: unknown, minutesAgo = 0) => {
    const time = Date.now() - minutesAgo * 60_000;
    try {
      return await each.run(payload);
    } catch (error) {
      putLog(time, invokeErrorLine(error, time));
      throw error;
    } finally {
      putLog(time, ...logLines('acme', each.logged.splice(0)));
      for (const facts of each.reports.splice(0)) {
        const lines = metricLines('acme', facts);
        putLog(time, ...lines);
        account.metrics.addEmf(parseEmf(lines.join('\n')), minuteOf(time));
      }
    }
  };
  const invocations: unknown[] = [];
  const invoke = async (payload: unknown) => {
    invocations.push(payload);
    return given ? given(payload) : runFunction(payload);
  };

  const services = operatorServices({ account, aws: each.aws, invoke });
  const prepareClient: PrepareClient = client => {
    const onCall = (call: AnsweredCall) => void each.calls.push(call);
    const { send } = createLocalClient(
      services[client.constructor.name]!,
      { faults: each.aws.faults, onCall },
      OPERATOR,
    );
    const interruptible = (command: CommandInput, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) =>
      Promise.race([aborted(abortSignal), send(command)]);
    Object.assign(client, { send: interruptible });
  };
  const shell = (environment = {}, input = '') => ({ environment, input, prepareClient });
  return {
    connector: each,
    account,
    outputs: Object.fromEntries(
      account.stacks[0]!.Outputs!.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    ),
    invocations,
    invoke,
    ctl: (args, more, input) => start(args, shell(more, input)).ended,
    async json(args, more, input) {
      const { status, stdout, stderr } = await start([...args, '--json'], shell(more, input)).ended;
      return { status, stderr, document: stdout === '' ? undefined : JSON.parse(stdout) };
    },
    start: (args, clock) => start(args, { ...shell(), ...(clock && { clock }) }),
    ask: (args, more) => start(args, { ...shell(more), interactive: true }),
    asked: () => each.calls.filter(({ caller }) => caller === OPERATOR),
    run: (payload, minutesAgo) =>
      runFunction(payload ?? {}, minutesAgo).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => each[Symbol.asyncDispose](),
  };
}

/** Rejects as the SDK does when a call is aborted. */
function aborted(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
}
