import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAwsClients, type Sender } from '../../lambda/aws.ts';
import { createContainerTokens } from '../../lambda/compose.ts';
import { type InvocationResult, type Invoker, invoke } from '../../lambda/invocation.ts';
import type { RunFacts } from '../../lambda/metrics.ts';
import { readSettings } from '../../lambda/settings.ts';
import { sha256 } from '../../lambda/system.ts';
import { createTelemetry } from '../../lambda/telemetry.ts';
import { type Emf, emfOf } from '../alarms/emf.ts';
import { type MetricListener, TimeSeries } from '../alarms/time-series.ts';
import { createRandom } from '../api-simulator/random.ts';
import { type ApiSimulator, createSimulator, type SimulatorOptions } from '../api-simulator/simulator.ts';
import { type AwsOptions, type LocalAws, startAws } from '../aws/endpoints.ts';
import type { DeliveredObject } from '../aws/firehose.ts';
import type { Call } from '../aws/wire.ts';
import { onlyResource, type Template } from '../deployment/template.ts';
import { errorLog, invokeErrorLine } from './function-log.ts';
import { createKillSwitch, type KillSwitch } from './kill-switch.ts';
import type { SceneTime } from './scene-time.ts';
import { ServiceReports } from './service-reports.ts';
import { instantSiem, type SiemReader } from './siem-reader.ts';
import { type ApiRequest, startTamperedApi, type TamperedApi } from './tampered-api.ts';
import { linesOf } from './written.ts';

const MINUTE = 60_000;
const TIMEOUT = 15 * MINUTE;
/** Memory use of the function in a process of its own. In a scene it shares one. */
const MEMORY = 160 * 2 ** 20;

export interface SceneOptions {
  readonly template: Template;
  readonly time: SceneTime;
  readonly simulator?: Partial<SimulatorOptions> | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly aws?: Partial<AwsOptions>;
  /** @default one that reads each object at once */
  readonly siem?: SiemReader;
  /** In [0,1). @default always 0.9, so that a drill can be repeated */
  readonly random?: () => number;
  readonly onCall?: (call: Call) => void;
  readonly onRequest?: (request: ApiRequest, status: number) => void;
  readonly onRun?: (run: EndedRun) => void;
  /** Called for each line that the function, or Lambda, writes about a failure, and for each line with metrics. */
  readonly onLine?: (line: string) => void;
  /** Called for each data point. Dimensions name resources by their logical ids. */
  readonly onMetric?: MetricListener;
}

/** The end of one invocation, in milliseconds since 1970. */
export interface EndedRun {
  readonly began: number;
  readonly ended: number;
  readonly result?: InvocationResult;
  readonly error?: unknown;
}

/** The API simulator, the endpoints and the function between them, run once a simulated minute as the schedule does. */
export class Scene implements AsyncDisposable {
  readonly metrics: TimeSeries;
  /** Metrics and properties in the log lines of the runs. */
  readonly logged: TimeSeries;
  readonly reports: ServiceReports;
  readonly siem: SiemReader;
  readonly #parts: Parts;
  /** Idle containers. */
  #idle: Container[] = [];
  readonly #busy = new Set<Container>();
  #emitted: Emf[] = [];
  #origin: number;

  private readonly options: SceneOptions;

  static async open(options: SceneOptions): Promise<Scene> {
    const { time, onCall, onRequest } = options;
    const directory = await mkdtemp(join(tmpdir(), 'scene-'));
    // The process ends without the rest of its cleanup when the disk is full, but the files must not stay.
    const erase = () => rmSync(directory, { recursive: true, force: true });
    process.once('exit', erase);
    let scene: Scene | undefined;
    const aws = await startAws({
      directory,
      tableInMemory: true,
      secret: undefined,
      now: time.clock.now,
      onDelivered: object => scene?.delivered(object),
      ...options.aws,
      onCall: call => {
        scene?.reports.called(call);
        onCall?.(call);
      },
    });
    const simulator = createSimulator({
      clock: time.clock.now,
      random: createRandom(42),
      sleep: time.pass,
      ...options.simulator,
    });
    const api = await startTamperedApi({
      simulator,
      during: time.during,
      now: time.clock.now,
      ...(onRequest && { onRequest }),
    });
    scene = new Scene(options, { erase, aws, simulator, api });
    scene.storeCredentials();
    return scene;
  }

  private constructor(options: SceneOptions, parts: Parts) {
    this.options = options;
    this.#parts = parts;
    // Minutes begin where CloudWatch's do.
    this.#origin = Math.floor(this.time.clock.now() / MINUTE) * MINUTE;
    this.metrics = new TimeSeries(options.onMetric);
    this.logged = new TimeSeries();
    this.reports = new ServiceReports(options.template, this.metrics, () => this.minute);
    this.siem = options.siem ?? instantSiem(this.reports, this.time.clock.now);
  }

  get simulator(): ApiSimulator {
    return this.#parts.simulator;
  }

  get api(): TamperedApi {
    return this.#parts.api;
  }

  get aws(): LocalAws {
    return this.#parts.aws;
  }

  get time(): SceneTime {
    return this.options.time;
  }

  /** Whole minutes since the origin; negative before. */
  get minute(): number {
    return this.minuteAt(this.time.clock.now());
  }

  /** Runs in progress. */
  get running(): number {
    return this.#busy.size;
  }

  /** Rows that a page holds at most. */
  get pageLimit(): number {
    return readSettings(this.environment).pageLimit;
  }

  get leaseSeconds(): number {
    return readSettings(this.environment).leaseSeconds;
  }

  private minuteAt(time: number): number {
    return Math.floor((time - this.#origin) / MINUTE);
  }

  /** Makes the present minute number 0 and forgets all metrics so far. */
  begin(): void {
    this.#origin = this.time.clock.now();
    this.metrics.clear();
    this.logged.clear();
  }

  /** The function's environment variables, with the local names of the resources. */
  get environment(): Record<string, string> {
    const [, { Properties: properties = {} }] = onlyResource(this.options.template, 'AWS::Lambda::Function');
    const { Variables: variables } = properties['Environment'] as { Variables: Record<string, unknown> };
    const given = Object.entries(variables).filter((each): each is [string, string] => typeof each[1] === 'string');
    return {
      ...Object.fromEntries(given),
      ...this.aws.environment,
      API_BASE_URL: this.api.url,
      AUTH_URL: this.api.url + this.simulator.realmPath,
      ...this.options.environment,
    };
  }

  /** Stores the API simulator's current credentials in the secret. */
  storeCredentials(): void {
    const { clientId: client_id, clientSecret: client_secret } = this.simulator.account;
    this.aws.secret.put(JSON.stringify({ client_id, client_secret }));
  }

  /** One run, at the present minute. @returns the blobs that it wrote to stdout */
  async run(environment: Readonly<Record<string, string>> = this.environment): Promise<Emf[]> {
    const { emitted } = await this.reported(environment, {});
    return emitted;
  }

  /** An invocation by an operator. @throws what the function throws */
  async operate(payload: unknown): Promise<unknown> {
    const { result, error } = await this.reported(this.environment, payload);
    if (error !== undefined) throw error;
    return result;
  }

  private async reported(environment: Readonly<Record<string, string>>, payload: unknown) {
    const run = await this.ended(environment, payload);
    const emitted = this.#emitted.splice(0);
    const minutes = { began: this.minuteAt(run.began), ended: this.minuteAt(run.ended) };
    this.metrics.addEmf(emitted, minutes.ended);
    this.logged.addFigures(emitted, minutes.ended);
    this.reports.ran(minutes, run.error !== undefined);
    if (run.error !== undefined) this.options.onLine?.(invokeErrorLine(run.error, run.ended));
    this.options.onRun?.(run);
    return { ...run, emitted };
  }

  private async ended(environment: Readonly<Record<string, string>>, payload: unknown): Promise<EndedRun> {
    const { clock } = this.time;
    const began = clock.now();
    try {
      const result = await this.invoke(environment, payload);
      return { began, ended: clock.now(), result };
    } catch (error) {
      return { began, ended: clock.now(), error };
    }
  }

  /** Advances to the schedule's next minute. The ticks during a longer run found the lease held. */
  async nextMinute(): Promise<void> {
    this.endMinute();
    const elapsed = (this.time.clock.now() - this.#origin) % MINUTE;
    await this.time.pass(MINUTE - elapsed);
  }

  /** Reports what AWS's services report each minute. */
  endMinute(): void {
    const waiting = this.siem.oldestSeconds(this.#origin + (this.minute + 1) * MINUTE);
    if (waiting !== undefined) this.reports.feed('siem-queue', 'ApproximateAgeOfOldestMessage', waiting);
  }

  /** One invocation, in a container that serves no other. */
  async invoke(environment: Readonly<Record<string, string>>, payload: unknown = {}): Promise<InvocationResult> {
    const end = this.time.clock.now() + TIMEOUT;
    const container = this.#idle.pop() ?? this.compose(environment);
    this.#busy.add(container);
    const context = { getRemainingTimeInMillis: () => end - this.time.clock.now() };
    try {
      return await container.killSwitch.race(() => invoke(payload, context, container.invoker));
    } finally {
      this.#busy.delete(container);
      if (!container.killSwitch.killed && !container.stale) this.#idle.push(container);
    }
  }

  /** The next run gets a new container. */
  cool(): void {
    this.#idle = [];
    for (const container of this.#busy) container.stale = true;
  }

  /** Kills every run in progress. They send nothing more. */
  kill(): void {
    for (const { killSwitch } of this.#busy) killSwitch.kill();
  }

  private delivered(object: DeliveredObject): void {
    this.reports.delivered(object);
    this.siem.delivered(object);
  }

  private compose(environment: Readonly<Record<string, string>>): Container {
    const settings = readSettings(environment);
    // The SDK looks for its endpoints at each client's first call.
    Object.assign(process.env, environment);
    const { s3 } = createAwsClients(settings);
    const { dynamodb, firehose, secrets } = this.aws.clients;
    const { watch, fetch, forFunction } = this.time;
    const killSwitch = createKillSwitch();
    const cut = (sender: Sender): Sender => {
      const watched = watch(sender);
      return { send: command => killSwitch.unlessKilled(() => watched.send(command)) };
    };
    const clients = {
      dynamodb: cut(dynamodb),
      firehose: cut(firehose),
      secrets: cut(secrets),
      s3: async () => cut(await s3()),
      fetch: (url: string, init: RequestInit) => killSwitch.unlessKilled(() => fetch(url, init)),
      clock: {
        now: forFunction.now,
        sleep: (...wait: Parameters<typeof forFunction.sleep>) =>
          killSwitch.unlessKilled(() => forFunction.sleep(...wait)),
      },
      random: this.options.random ?? (() => 0.9),
      hash: sha256,
      log: errorLog(settings.connector, this.options.onLine ?? ignore),
    };
    const telemetry = createTelemetry(settings.connector);
    const report = (facts: RunFacts) => {
      const lines = linesOf(() => telemetry.report(facts));
      for (const line of lines) this.options.onLine?.(line);
      this.#emitted.push(...emfOf(lines.join('\n')));
    };
    const tokens = createContainerTokens(settings, clients);
    return { invoker: { settings, clients, tokens, telemetry: { report }, memory: () => MEMORY }, killSwitch };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { api, aws, erase } = this.#parts;
    this.kill();
    await api[Symbol.asyncDispose]();
    await aws.close();
    erase();
    process.off('exit', erase);
  }
}

interface Parts {
  /** Deletes the files of the endpoints. */
  readonly erase: () => void;
  readonly aws: LocalAws;
  readonly simulator: ApiSimulator;
  readonly api: TamperedApi;
}

interface Container {
  readonly invoker: Invoker;
  readonly killSwitch: KillSwitch;
  /** Not reused. */
  stale?: boolean;
}

const ignore = (): void => undefined;
