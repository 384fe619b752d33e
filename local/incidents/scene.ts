import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sender } from '../../lambda/aws.ts';
import { type Clients, createContainerTokenSource } from '../../lambda/compose.ts';
import { type ContainerParts, type InvocationResult, invoke } from '../../lambda/invocation.ts';
import type { RunMeasurements } from '../../lambda/metrics.ts';
import { readSettings } from '../../lambda/settings.ts';
import { sha256 } from '../../lambda/system.ts';
import { createTelemetry } from '../../lambda/telemetry.ts';
import { type EmbeddedMetrics, parseEmf } from '../alarms/emf.ts';
import { RecordedMetrics } from '../alarms/time-series.ts';
import { createRandom } from '../api-simulator/random.ts';
import { type ApiSimulator, createSimulator, type SimulatorOptions } from '../api-simulator/simulator.ts';
import type { DeliveredObject } from '../aws/delivery.ts';
import { type LocalAws, openLocalAws } from '../aws/local-aws.ts';
import { onlyResource, type Template } from '../deployment/template.ts';
import { createKillSwitch, type KillSwitch } from './kill-switch.ts';
import { createSceneClock, type SceneClock } from './scene-clock.ts';
import { ServiceReports } from './service-reports.ts';
import { SimulatedSiem } from './siem.ts';
import { startTamperedApi, type TamperedApi } from './tampered-api.ts';
import { captureOutput } from './written.ts';

const MINUTE = 60_000;
const TIMEOUT = 15 * MINUTE;
/**
 * Memory that the function uses in its own process. In a scene it shares a process, so its memory
 * cannot be measured.
 */
const MEMORY = 160 * 2 ** 20;

/** Environment variables of the function. */
type Environment = Readonly<Record<string, string>>;

export interface SceneOptions {
  readonly template: Template;
  /** @default a clock that stands at a fixed time */
  readonly clock?: SceneClock;
  readonly simulator?: Partial<SimulatorOptions> | undefined;
  readonly environment?: Environment | undefined;
  /** Called for each object that the SIEM reads. */
  readonly onRead?: (object: DeliveredObject) => void;
}

/** Outcome of one invocation. */
export interface EndedRun {
  readonly result?: InvocationResult;
  readonly error?: unknown;
  /** Metrics that the run wrote to stdout. */
  readonly emitted: readonly EmbeddedMetrics[];
}

/**
 * API, AWS and the function between them. The function runs once per simulated minute, as the
 * schedule starts it.
 */
export class Scene implements AsyncDisposable {
  readonly clock: SceneClock;
  readonly simulator: ApiSimulator;
  readonly api: TamperedApi;
  readonly aws: LocalAws;
  readonly metrics = new RecordedMetrics();
  readonly reports: ServiceReports;
  readonly siem: SimulatedSiem;
  /** Content of the secret. */
  credentials = { client_id: '', client_secret: '' };
  /** The last run that had the lease. */
  lastRun: EndedRun | undefined;
  readonly #options: SceneOptions;
  readonly #erase: () => void;
  /** Idle containers, which a later run reuses. */
  #idle: Container[] = [];
  readonly #busy = new Set<Container>();
  #origin: number;

  static async open(options: SceneOptions): Promise<Scene> {
    const { clock = createSceneClock() } = options;
    const directory = await mkdtemp(join(tmpdir(), 'scene-'));
    const erase = () => rmSync(directory, { recursive: true, force: true });
    // The files must be deleted even if the process exits without disposing the scene.
    process.once('exit', erase);

    let scene: Scene | undefined;
    const aws = await openLocalAws({
      directory,
      secret: undefined,
      now: clock.now,
      onDelivered(object) {
        scene?.reports.delivered(object);
        scene?.siem.delivered(object);
      },
    });
    const simulator = createSimulator({
      clock: clock.now,
      random: createRandom(42),
      sleep: clock.pass,
      ...options.simulator,
    });
    const api = await startTamperedApi(simulator, clock.now);

    scene = new Scene({ ...options, clock }, { erase, aws, simulator, api });
    scene.storeCredentials();
    return scene;
  }

  private constructor(options: SceneOptions & { readonly clock: SceneClock }, parts: Parts) {
    const { clock, onRead = ignore } = options;
    this.clock = clock;
    this.simulator = parts.simulator;
    this.api = parts.api;
    this.aws = parts.aws;
    this.reports = new ServiceReports(options.template, this.metrics, () => this.minute);
    this.siem = new SimulatedSiem({ reports: this.reports, now: clock.now, onRead });
    this.#options = options;
    this.#erase = parts.erase;
    // Minutes begin at the same time as CloudWatch's minutes.
    this.#origin = Math.floor(clock.now() / MINUTE) * MINUTE;
  }

  /** Number of whole minutes since the origin. It is negative before the origin. */
  get minute(): number {
    return Math.floor((this.clock.now() - this.#origin) / MINUTE);
  }

  /** Gives the present minute the number 0 and forgets all metrics so far. */
  begin(): void {
    this.#origin = this.clock.now();
    this.metrics.clear();
  }

  /** The function's environment variables, with the local names of the resources. */
  get environment(): Record<string, string> {
    const [, { Properties: properties = {} }] = onlyResource(this.#options.template, 'AWS::Lambda::Function');
    const { Variables: variables } = properties['Environment'] as { Variables: Record<string, unknown> };
    const texts = Object.entries(variables).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return {
      ...Object.fromEntries(texts),
      ...this.aws.environment,
      API_BASE_URL: this.api.url,
      AUTH_URL: this.api.url + this.simulator.realmPath,
      ...this.#options.environment,
    };
  }

  /** Stores the API simulator's current credentials in the secret. */
  storeCredentials(): void {
    const { clientId: client_id, clientSecret: client_secret } = this.simulator.account;
    this.credentials = { client_id, client_secret };
    this.aws.secret.put(JSON.stringify(this.credentials));
  }

  /** Runs the function in the present minute. @returns the metrics that the run wrote to stdout */
  async run(environment: Environment = this.environment): Promise<readonly EmbeddedMetrics[]> {
    const began = this.minute;
    const run = await this.#invoked(environment);
    const ended = this.minute;

    this.metrics.addEmf(run.emitted, ended);
    this.reports.ran({ began, ended }, run.error !== undefined);
    if (!run.result?.leaseHeld) this.lastRun = run;
    return run.emitted;
  }

  /**
   * Advances to the next minute of the schedule. After a long run, the minutes in between are
   * skipped, because their ticks would have found the lease held.
   */
  async nextMinute(): Promise<void> {
    const next = this.#origin + (this.minute + 1) * MINUTE;
    const waiting = this.siem.oldestSeconds(next);
    if (waiting !== undefined) this.reports.feed('siem-queue', 'ApproximateAgeOfOldestMessage', waiting);
    await this.clock.pass(next - this.clock.now());
  }

  /** Discards every container, so that the next run gets a new container. */
  cool(): void {
    this.#idle = [];
    for (const container of this.#busy) container.stale = true;
  }

  /** Kills every run in progress. A killed run sends nothing more. */
  kill(): void {
    for (const { killSwitch } of this.#busy) killSwitch.kill();
  }

  /** Invokes the function in an idle container, or in a new container. */
  async #invoked(environment: Environment): Promise<EndedRun> {
    const end = this.clock.now() + TIMEOUT;
    const context = { getRemainingTimeInMillis: () => end - this.clock.now() };
    const emitted: EmbeddedMetrics[] = [];
    let container: Container | undefined;
    try {
      container = this.#idle.pop() ?? this.#compose(environment);
      this.#busy.add(container);
      const { invoker, killSwitch } = container;
      const report = (facts: RunMeasurements) =>
        void emitted.push(...parseEmf(captureOutput(() => invoker.telemetry.report(facts))));
      const result = await killSwitch.race(() => invoke({}, context, { ...invoker, telemetry: { report } }));
      return { result, emitted };
    } catch (error) {
      return { error, emitted };
    } finally {
      if (container) this.#release(container);
    }
  }

  #release(container: Container): void {
    this.#busy.delete(container);
    if (!container.killSwitch.killed && !container.stale) this.#idle.push(container);
  }

  #compose(environment: Environment): Container {
    const settings = readSettings(environment);
    const { dynamodb, firehose, secrets, s3 } = this.aws.clients;
    const { watch, forFunction } = this.clock;
    const killSwitch = createKillSwitch();
    const cut = (sender: Sender): Sender => {
      const watched = watch(sender);
      return { send: command => killSwitch.unlessKilled(() => watched.send(command)) };
    };

    const clients: Clients = {
      dynamodb: cut(dynamodb),
      firehose: cut(firehose),
      secrets: cut(secrets),
      s3: async () => cut(await s3()),
      fetch: (url, init) => killSwitch.unlessKilled(() => fetch(url, init)),
      clock: {
        now: forFunction.now,
        sleep: (...wait) => killSwitch.unlessKilled(() => forFunction.sleep(...wait)),
      },
      // The number is always the same, so that an incident can be repeated.
      random: () => 0.9,
      hash: sha256,
      log: { info: ignore, warn: ignore, error: ignore },
    };
    const telemetry = createTelemetry(settings.connector);
    const tokens = createContainerTokenSource(settings, clients);
    return { invoker: { settings, clients, tokens, telemetry, memory: () => MEMORY }, killSwitch };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.api[Symbol.asyncDispose]();
    this.#erase();
    process.off('exit', this.#erase);
  }
}

interface Parts {
  /** Deletes the buckets. */
  readonly erase: () => void;
  readonly aws: LocalAws;
  readonly simulator: ApiSimulator;
  readonly api: TamperedApi;
}

interface Container {
  readonly invoker: ContainerParts;
  readonly killSwitch: KillSwitch;
  /** Whether the container must not be reused. */
  stale?: boolean;
}

const ignore = (): void => undefined;
