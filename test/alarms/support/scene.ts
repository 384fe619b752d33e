import '../../lambda/support/one-realm.ts';
import { createAwsClients } from '../../../lambda/aws.ts';
import { createContainerTokens } from '../../../lambda/compose.ts';
import { type InvocationResult, type Invoker, invoke } from '../../../lambda/invocation.ts';
import { readSettings } from '../../../lambda/settings.ts';
import { sha256 } from '../../../lambda/system.ts';
import { createTelemetry, type RunFacts } from '../../../lambda/telemetry.ts';
import type { LocalAws } from '../../../local/aws/endpoints.ts';
import { createPlatform, type Platform, type PlatformOptions } from '../../../local/platform/platform.ts';
import { createRandom } from '../../../local/platform/random.ts';
import { startPlatformServer } from '../../../local/platform/server.ts';
import { type Emf, emfOf } from '../../lambda/support/emf.ts';
import { type TamperedApi, tamperedApi } from '../../lambda/support/tampered-api.ts';
import { written } from '../../lambda/support/written.ts';
import { only, type SynthesizedTemplate } from '../../lib/synth.ts';
import { type Started, started } from '../../local/aws/started.ts';
import { type QuietClock, quietClock } from './quiet-clock.ts';
import { ServiceReports } from './service-reports.ts';
import { TimeSeries } from './time-series.ts';

const MINUTE = 60_000;
const TIMEOUT = 15 * MINUTE;
/** What the function uses in a process of its own; here it shares the tests'. */
const MEMORY = 160 * 2 ** 20;

export interface SceneOptions {
  readonly template: SynthesizedTemplate;
  readonly platform?: Partial<PlatformOptions> | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** The platform, the endpoints and the function between them, run once a simulated minute as the schedule does. */
export class Scene implements AsyncDisposable {
  readonly metrics = new TimeSeries();
  readonly reports: ServiceReports;
  readonly #parts: Parts;
  #warm: Invoker | undefined;
  #emitted: Emf[] = [];
  #origin: number;

  private readonly options: SceneOptions;

  static async open(options: SceneOptions): Promise<Scene> {
    const time = quietClock();
    let reports: ServiceReports | undefined;
    const aws = await started({
      tableInMemory: true,
      secret: undefined,
      onCall: call => reports?.called(call),
      now: time.clock.now,
    });
    const platform = createPlatform({
      clock: time.clock.now,
      random: createRandom(42),
      sleep: time.pass,
      ...options.platform,
    });
    const server = await startPlatformServer({ platform });
    const api = await tamperedApi(platform);
    const scene = new Scene(options, { time, started: aws, platform, server, api });
    reports = scene.reports;
    scene.storeCredentials();
    return scene;
  }

  private constructor(options: SceneOptions, parts: Parts) {
    this.options = options;
    this.#parts = parts;
    this.#origin = parts.time.clock.now();
    this.reports = new ServiceReports(options.template, this.metrics, () => this.minute);
  }

  get platform(): Platform {
    return this.#parts.platform;
  }

  get api(): TamperedApi {
    return this.#parts.api;
  }

  get aws(): LocalAws {
    return this.#parts.started.aws;
  }

  get time(): QuietClock {
    return this.#parts.time;
  }

  /** Whole minutes since the origin; negative before. */
  get minute(): number {
    return Math.floor((this.time.clock.now() - this.#origin) / MINUTE);
  }

  /** Makes the present minute number 0 and forgets all metrics so far. */
  begin(): void {
    this.#origin = this.time.clock.now();
    this.metrics.clear();
  }

  /** The variables that the stack gives the function, with the names that things have here. */
  get environment(): Record<string, string> {
    const { Environment: given } = only(this.options.template, 'AWS::Lambda::Function');
    const variables = Object.entries((given as { Variables: Record<string, unknown> }).Variables);
    return {
      ...Object.fromEntries(variables.filter((each): each is [string, string] => typeof each[1] === 'string')),
      ...this.aws.environment,
      API_BASE_URL: this.api.url,
      AUTH_URL: this.#parts.server.authUrl,
      ...this.options.environment,
    };
  }

  /** Puts the platform's present credentials into the secret. */
  storeCredentials(): void {
    const { clientId: client_id, clientSecret: client_secret } = this.platform.account;
    this.aws.secret.put(JSON.stringify({ client_id, client_secret }));
  }

  /** One run, at the present minute. @returns the blobs that it wrote to stdout */
  async run(environment: Readonly<Record<string, string>> = this.environment): Promise<Emf[]> {
    const began = this.minute;
    const failed = await this.invoke(environment).then(
      () => false,
      () => true,
    );
    const emitted = this.#emitted.splice(0);
    this.metrics.addEmf(emitted, this.minute);
    this.reports.ran({ began, ended: this.minute }, failed);
    return emitted;
  }

  /** The schedule's next minute. A run that took longer has let some pass: their ticks found the lease held. */
  async nextMinute(): Promise<void> {
    const elapsed = (this.time.clock.now() - this.#origin) % MINUTE;
    await this.time.pass(MINUTE - elapsed);
  }

  async invoke(environment: Readonly<Record<string, string>>): Promise<InvocationResult> {
    const end = this.time.clock.now() + TIMEOUT;
    this.#warm ??= this.compose(environment);
    return invoke({}, { getRemainingTimeInMillis: () => end - this.time.clock.now() }, this.#warm);
  }

  /** The next run gets a container that has served nothing yet. */
  cool(): void {
    this.#warm = undefined;
  }

  private compose(environment: Readonly<Record<string, string>>): Invoker {
    const settings = readSettings(environment);
    // The SDK looks for its endpoints at each client's first call.
    Object.assign(process.env, environment);
    const { dynamodb, firehose, secrets, s3 } = createAwsClients(settings);
    const { watch, forFunction: clock } = this.time;
    const clients = {
      dynamodb: watch(dynamodb),
      firehose: watch(firehose),
      secrets: watch(secrets),
      s3: async () => watch(await s3()),
      fetch,
      clock,
      random: () => 0.9,
      hash: sha256,
      log: { info: ignore, warn: ignore, error: ignore },
    };
    const telemetry = createTelemetry(settings.connector);
    const report = (facts: RunFacts) => void this.#emitted.push(...emfOf(written(() => telemetry.report(facts))));
    const tokens = createContainerTokens(settings, clients);
    return { settings, clients, tokens, telemetry: { report }, memory: () => MEMORY };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { server, api, started: aws } = this.#parts;
    await Promise.all([server.close(), api[Symbol.asyncDispose]()]);
    await aws[Symbol.asyncDispose]();
  }
}

interface Parts {
  readonly time: QuietClock;
  readonly started: Started;
  readonly platform: Platform;
  readonly server: Awaited<ReturnType<typeof startPlatformServer>>;
  readonly api: TamperedApi;
}

const ignore = (): void => undefined;
