import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { variableOf } from '../../lambda/options.ts';
import type { RowState, SavedStream } from '../../lambda/ports.ts';
import { createCheckpoints } from '../../lambda/store/checkpoints.ts';
import { leaseKey } from '../../lambda/store/item.ts';
import { createRowStates } from '../../lambda/store/rows.ts';
import { createTable } from '../../lambda/store/table.ts';
import { type NamedStream, type StreamName, streamsOn } from '../../lambda/streams.ts';
import { sha256, systemClock } from '../../lambda/system.ts';
import { dashboardWidgets, type Widget } from '../alarms/dashboard.ts';
import type { SeriesName } from '../alarms/time-series.ts';
import { createRandom } from '../api-simulator/random.ts';
import { randomChange } from '../api-simulator/traffic.ts';
import type { Call } from '../aws/wire.ts';
import { type LocalDeployment, startDeployment } from '../deployment/deployment.ts';
import { onlyResource, type Template } from '../deployment/template.ts';
import type { Incident } from '../incidents/incident.ts';
import { type EndedRun, Scene } from '../incidents/scene.ts';
import type { ApiRequest } from '../incidents/tampered-api.ts';
import { type AlarmChange, type AlarmWatch, watchAlarms } from './alarm-watch.ts';
import type { PacedTime } from './paced-time.ts';
import { type DemoSiem, demoSiem, SIEM_KEY } from './siem.ts';
import type { SynthesizedStack } from './synthesize-thread.ts';

const MINUTE = 60_000;
/** The longest alarm looks eight hours back, and the dashboard three. */
const MINUTES_KEPT = 12 * 60;
/** What `connectorctl status` reads. */
const CLOUDWATCH_MINUTES_KEPT = 25 * 60;
const BUCKET = 'security-data';
/** Of what reads the table for the page. */
const READER = 'demo';
const RUNS_KEPT = 60;
/** Of so many minutes, the data change in the first ones. In the pause after them a healthy copy becomes equal to the data. */
const CYCLE_MINUTES = 6;
const BUSY_MINUTES = 2;

export interface RunningStackOptions {
  readonly stack: SynthesizedStack;
  readonly time: PacedTime;
  readonly rows: { readonly assets: number; readonly threats: number; readonly dnsBlocks: number };
  /** Rows of a stream beyond which the changes add none. */
  readonly mostRows: Readonly<Record<StreamName, number>>;
  /** Random changes a minute, on average. */
  readonly changes: number;
  readonly seed: number;
  /** Called at the end of each minute, once its alarms are evaluated. */
  readonly onMinute: (stack: RunningStack) => Promise<void>;
  /** Called with an error of this machine's files, such as a full disk. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

export interface CurrentIncident {
  readonly incident: Incident;
  /** First minute, which may be the next. */
  readonly began: number;
  /** Minute in which it was ended; undefined while it lasts. */
  readonly repaired: number | undefined;
  /** By alarm, minutes until it fired, counted as docs/testing.md counts them. */
  readonly fired: ReadonlyMap<string, number>;
}

/** Calls of the function in one minute. */
export interface CallCount {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
}

export interface SavedState {
  readonly streams: ReadonlyMap<StreamName, SavedStream | Error>;
  readonly lease: { readonly epoch: number; readonly held: boolean; readonly clean: boolean } | undefined;
}

/** The whole stack on this machine, from its template, in the time of the demo. */
export class RunningStack implements AsyncDisposable {
  readonly scene: Scene;
  readonly deployment: LocalDeployment;
  readonly siem: DemoSiem;
  readonly alarms: AlarmWatch;
  readonly widgets: readonly Widget[];
  readonly streams: readonly NamedStream[];
  /** Newest first. */
  runs: readonly EndedRun[] = [];
  /** Of the last minute that has ended. */
  calls: readonly CallCount[] = [];
  alarmChanges: readonly AlarmChange[] = [];
  incident: CurrentIncident | undefined;
  readonly #options: RunningStackOptions;
  readonly #counted: Map<string, CallCount>;
  readonly #reader: DynamoDBClient;
  readonly #random: () => number;
  #stopped = false;
  #minutes: Promise<void> = Promise.resolve();

  static async start(options: RunningStackOptions): Promise<RunningStack> {
    const { stack, time, seed, onFailure } = options;
    const siem = demoSiem();
    const counted = new Map<string, CallCount>();
    const runs: ((run: EndedRun) => void)[] = [];
    const metrics: ((...point: [SeriesName, number, number]) => void)[] = [];
    const lines: ((line: string) => void)[] = [];
    const scene = await Scene.open({
      template: stack.template,
      time,
      siem,
      random: createRandom(seed),
      simulator: { seed },
      // Few rows make many pages, so that a backlog is soon larger than runs can read.
      environment: { LEASE_SECONDS: '90', PAGE_LIMIT: '5' },
      aws: {
        names: { bucket: BUCKET, deadLetterBucket: BUCKET },
        later: time.later,
        dated: true,
        spared: [READER, SIEM_KEY],
        buffering: bufferingOf(stack.template),
        ...(onFailure && { onFailure }),
      },
      onCall: call => count(counted, call),
      onRequest: (request, status) => countRequest(counted, request, status),
      onRun: run => runs[0]?.(run),
      onMetric: (...point) => metrics[0]?.(...point),
      onLine: line => lines[0]?.(line),
    });
    scene.simulator.populate(options.rows);
    const deployment = await startDeployment({
      template: stack.template,
      stackName: stack.stackName,
      aws: scene.aws,
      invoke: payload => scene.operate(payload),
      variables: scene.environment,
      now: time.clock.now,
    });
    for (const { subscriptions } of deployment.topics) {
      for (const each of subscriptions) Object.assign(each, { confirmed: true });
    }
    const running = new RunningStack(options, { scene, deployment, siem, counted });
    runs.push(run => {
      running.runs = [run, ...running.runs].slice(0, RUNS_KEPT);
    });
    metrics.push((name, minute, value) => running.putMetric(name, minute, value));
    const logGroup = deployment.outputs['LogGroupName']!;
    lines.push(message => deployment.logs.put(logGroup, { timestamp: time.clock.now(), message }));
    return running;
  }

  private constructor(
    options: RunningStackOptions,
    parts: { scene: Scene; deployment: LocalDeployment; siem: DemoSiem; counted: Map<string, CallCount> },
  ) {
    const { template } = options.stack;
    const { scene, deployment, siem, counted } = parts;
    this.#options = options;
    this.scene = scene;
    this.deployment = deployment;
    this.siem = siem;
    this.#counted = counted;
    this.alarms = watchAlarms(template, scene.metrics);
    this.widgets = dashboardWidgets(template);
    this.streams = streamsOn(({ pathOption }) => deployment.functionEnvironment[variableOf(pathOption)]);
    this.#random = createRandom(options.seed + 1);
    const notifications = scene.aws.notifications.get(BUCKET);
    siem.connect({ deployment, notifications, reports: scene.reports, now: this.time.clock.now });
    this.#reader = new DynamoDBClient({
      region: deployment.environment['AWS_REGION']!,
      endpoint: deployment.environment['AWS_ENDPOINT_URL_DYNAMODB']!,
      credentials: { accessKeyId: READER, secretAccessKey: READER },
      maxAttempts: 1,
    });
  }

  get time(): PacedTime {
    return this.#options.time;
  }

  /** Minutes since the start. */
  get minute(): number {
    return this.scene.minute;
  }

  get connector(): string {
    return this.#options.stack.connector;
  }

  /** Whether the schedule is on. An operator may pause it. */
  get scheduled(): boolean {
    return this.deployment.schedules.get(this.deployment.scheduleName)?.['State'] === 'ENABLED';
  }

  /** Starts an incident with the next minute, as the alarm tests do, after ending the one before. */
  async cause(incident: Incident): Promise<void> {
    await this.repair();
    this.incident = { incident, began: this.minute + 1, repaired: undefined, fired: new Map() };
  }

  /** Ends the incident. The alarms follow as the data do. */
  async repair(): Promise<void> {
    const { incident: current, minute } = this;
    if (!current || current.repaired !== undefined) return;
    this.incident = { ...current, repaired: Math.max(minute, current.began) };
    if (minute >= current.began) await current.incident.end?.(this.scene);
  }

  /** Passes minutes of the schedule until it is stopped. */
  run(): void {
    this.#minutes = this.#pass(() => !this.#stopped);
  }

  /** Passes so many minutes. */
  async pass(minutes: number): Promise<void> {
    const end = this.minute + minutes;
    await this.#pass(() => this.minute < end);
  }

  async #pass(more: () => boolean): Promise<void> {
    while (more()) {
      this.#startChanges();
      if (this.#ongoing?.began === this.minute) await this.#ongoing.incident.begin?.(this.scene);
      if (this.scheduled) void this.#tick();
      await this.time.pass(MINUTE - (this.time.clock.now() % MINUTE) - 1);
      if (this.#stopped) return;
      await this.time.held(() => this.#endMinute());
      await this.time.pass(1);
    }
  }

  /** Whether this is the last minute of a pause: if the copy equals the data in any minute, then in this one. */
  get isPauseOver(): boolean {
    return this.minute % CYCLE_MINUTES === CYCLE_MINUTES - 1;
  }

  /** The incident that has begun and was not repaired. */
  get #ongoing(): CurrentIncident | undefined {
    const { incident: current } = this;
    return current && current.began <= this.minute && current.repaired === undefined ? current : undefined;
  }

  /** The changes of a minute, spread over it. */
  #startChanges(): void {
    const isBusy = this.minute % CYCLE_MINUTES < BUSY_MINUTES;
    const changes = isBusy ? Math.round((this.#options.changes * CYCLE_MINUTES) / BUSY_MINUTES) : 0;
    for (let index = 0; index < changes; index++) {
      this.time.later(
        () => randomChange(this.scene.simulator, this.#random, this.#options.mostRows),
        ((index + 0.5) * MINUTE) / changes,
      );
    }
  }

  /** What the schedule starts. A failed run is reported by its metrics. */
  async #tick(): Promise<void> {
    const run = () => this.scene.run();
    const current = this.#ongoing;
    const each = current?.incident.eachMinute;
    await (each ? each(this.scene, run, this.minute - current.began) : run());
  }

  async #endMinute(): Promise<void> {
    const { scene, minute } = this;
    await this.siem.idle();
    scene.endMinute();
    this.#reportQueues();
    this.calls = [...this.#counted.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    this.#counted.clear();
    scene.metrics.forget(minute - MINUTES_KEPT);
    scene.logged.forget(minute - MINUTES_KEPT);
    const before = this.time.clock.now() - CLOUDWATCH_MINUTES_KEPT * MINUTE;
    this.deployment.metrics.forget(before);
    this.deployment.logs.forget(before);
    this.alarmChanges = this.alarms.evaluate(minute);
    for (const { name, state } of this.alarmChanges) {
      this.deployment.alarms.set(`${this.connector}/${name}`, state);
      if (state === 'ALARM') this.#fired(name);
    }
    await this.#options.onMinute(this);
  }

  #fired(alarm: string): void {
    const { incident: current, minute } = this;
    if (!current || current.fired.has(alarm)) return;
    this.incident = { ...current, fired: new Map([...current.fired, [alarm, minute - current.began + 1]]) };
  }

  /** SQS reports these each minute. */
  #reportQueues(): void {
    const parts = ['siem-queue', 'siem-dead-letters'] as const;
    for (const part of parts) {
      const queue = this.scene.reports.queueName(part);
      if (queue === undefined) continue;
      const name = nameOf(this.deployment.physicalId(queue));
      this.scene.reports.feed(part, 'ApproximateNumberOfMessagesVisible', this.deployment.queues.messages(name).length);
    }
  }

  private putMetric({ namespace, metric: name, dimensions }: SeriesName, minute: number, value: number): void {
    const physical = Object.entries(dimensions).map(([dimension, id]) => [
      dimension,
      nameOf(this.deployment.physicalId(id)),
    ]);
    const time = this.time.clock.now() - (this.minute - minute) * MINUTE;
    this.deployment.metrics.put({ namespace, name, dimensions: Object.fromEntries(physical), value, time });
  }

  /** What the connector has saved. */
  async savedState(): Promise<SavedState> {
    const table = this.#table();
    const now = this.time.clock.now();
    const { streams } = await createCheckpoints(table).load(this.streams.map(({ name }) => name));
    const [item] = await table.get([leaseKey]);
    const ended = item?.['ended']?.S;
    const held = ended === 'no' && Number(item?.['expires']?.N) >= now;
    return { streams, lease: item && { epoch: Number(item['epoch']?.N), held, clean: ended === 'clean' } };
  }

  /** What the connector keeps of one row; undefined where it keeps nothing. */
  async rowState(stream: StreamName, id: string): Promise<RowState | undefined> {
    return (await createRowStates(this.#table(), sha256).get(stream, [id])).get(id);
  }

  #table() {
    const end = Date.now() + 5_000;
    const retryBudget = { clock: systemClock, random: Math.random, timeLeft: () => end - Date.now() };
    return createTable(this.#reader, this.scene.aws.names.stateTable, retryBudget);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.time[Symbol.dispose]();
    // The minute in progress reads the table.
    await this.#minutes;
    await this.siem.close();
    this.#reader.destroy();
    await this.scene[Symbol.asyncDispose]();
  }
}

/** As the template has Firehose buffer. */
function bufferingOf(template: Template): { bytes: number; milliseconds: number } {
  const [, { Properties: properties = {} }] = onlyResource(template, 'AWS::KinesisFirehose::DeliveryStream');
  const { BufferingHints: hints } = properties['ExtendedS3DestinationConfiguration'] as {
    readonly BufferingHints: { readonly IntervalInSeconds: number; readonly SizeInMBs: number };
  };
  return { bytes: hints.SizeInMBs * 2 ** 20, milliseconds: hints.IntervalInSeconds * 1000 };
}

function nameOf(physicalId: string): string {
  return physicalId.slice(physicalId.lastIndexOf('/') + 1);
}

/** The calls of the function; the others have keys of their own. */
function count(counted: Map<string, CallCount>, { service, action, status, caller }: Call): void {
  if (caller === 'local') add(counted, `${service} ${action}`, status >= 200 && status < 300);
}

function countRequest(counted: Map<string, CallCount>, { method, target }: ApiRequest, status: number): void {
  add(counted, `API ${method} ${target.split('?')[0]}`, status >= 200 && status < 300);
}

function add(counted: Map<string, CallCount>, name: string, succeeded: boolean): void {
  const { calls, failed } = counted.get(name) ?? { calls: 0, failed: 0 };
  counted.set(name, { name, calls: calls + 1, failed: failed + (succeeded ? 0 : 1) });
}
