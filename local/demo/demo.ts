import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { StreamName } from '../../lambda/streams.ts';
import { type AlarmWatch, watchAlarms } from '../alarms/watch-alarms.ts';
import { createRandom } from '../api-simulator/random.ts';
import { randomChange } from '../api-simulator/traffic.ts';
import { parseEvent } from '../aws/delivered.ts';
import type { DeliveredObject } from '../aws/delivery.ts';
import type { Template } from '../deployment/template.ts';
import type { Incident } from '../incidents/incident.ts';
import { Scene } from '../incidents/scene.ts';
import { createSceneClock } from '../incidents/scene-clock.ts';
import { type CopyDistance, LiveRows, SiemCopy } from './copy.ts';
import { CronScript } from './cron-script.ts';
import { ALARMING_INCIDENTS, HARMLESS_INCIDENTS } from './incidents.ts';
import {
  alarmView,
  type CausedIncident,
  type DemoView,
  incidentView,
  laneView,
  problemOf,
  streamViews,
} from './view.ts';

const MINUTE = 60_000;
/** Number of minutes that the page shows, which is the last hour. */
const MINUTES_SHOWN = 60;
/** Metrics are kept for nine hours, because the longest alarm looks back more than six hours. */
const MINUTES_KEPT = 9 * 60;
const ROWS = { assets: 250, threats: 350, dnsBlocks: 400 };
/** The number of rows is limited, so that the demo can run for days. */
const MOST_ROWS = { assets: 1_000, threats: 1_500, 'dns-blocks': 2_000 };
/** The API's default, so that the connector and the script read the same pages. */
const API_PAGE_LIMIT = '100';
/**
 * Milliseconds between the start of the connector and the start of the script, so that they do not
 * compete for the API's rate limit.
 */
const SCRIPT_STARTS_LATER = 15_000;

export interface DemoOptions {
  readonly template: Template;
  /** Milliseconds on this machine that a minute of the schedule takes. */
  readonly minuteTakes: number;
  /** Number of random changes of the data per minute. */
  readonly changes: number;
  readonly seed: number;
  /** Minutes that are played at once before the page is served. @default 60 */
  readonly minutesBefore?: number;
}

/**
 * A connector and a cron script next to each other. They read the same API, and each has its own
 * SIEM.
 */
export class Demo implements AsyncDisposable {
  minuteTakes: number;
  readonly scene: Scene;
  readonly #options: DemoOptions;
  readonly #alarms: AlarmWatch;
  readonly #script: CronScript;
  readonly #copy: SiemCopy;
  readonly #live = new LiveRows();
  readonly #random: () => number;
  readonly #listeners = new Set<(view: DemoView) => void>();
  /** Changes in each minute of the last hour, newest last. */
  #changes: number[] = [];
  #distances: { readonly connector: CopyDistance; readonly script: CopyDistance }[] = [];
  /** Incident that begins with the next minute. */
  #next: Incident | undefined;
  #caused: CausedIncident | undefined;
  #view: DemoView | undefined;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise(resolve => this.#stop.signal.addEventListener('abort', resolve));
  #minutes: Promise<void> = Promise.resolve();

  static async start(options: DemoOptions): Promise<Demo> {
    const { template, seed, minutesBefore = MINUTES_SHOWN } = options;
    const copy = new SiemCopy();
    const scene = await Scene.open({
      template,
      clock: createSceneClock(Math.floor(Date.now() / MINUTE) * MINUTE),
      simulator: { seed },
      environment: { PAGE_LIMIT: API_PAGE_LIMIT },
      onRead: object => read(object, scene, copy),
    });
    scene.simulator.populate(ROWS);

    const demo = new Demo(options, scene, copy);
    // In the first minute every row is new, so the figures of that minute are not shown.
    await demo.#pass();
    demo.#forget();
    while (scene.minute < minutesBefore) await demo.#pass();
    return demo;
  }

  private constructor(options: DemoOptions, scene: Scene, copy: SiemCopy) {
    this.#options = options;
    this.minuteTakes = options.minuteTakes;
    this.scene = scene;
    this.#copy = copy;
    this.#script = new CronScript(scene);
    this.#alarms = watchAlarms(options.template, scene.metrics);
    this.#random = createRandom(options.seed);
  }

  /** The newest view. */
  get view(): DemoView {
    return this.#view!;
  }

  /** Calls the listener with each new view until the returned function is called. */
  listen(listener: (view: DemoView) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Plays minutes of the schedule until the demo is disposed. */
  run(): Promise<void> {
    this.#minutes = this.#run();
    return this.#minutes;
  }

  /**
   * Ends the current incident, and starts the incident with this name in the next minute. @throws
   * RangeError if the name is unknown
   */
  cause(name: string): void {
    const incident = [...ALARMING_INCIDENTS, ...HARMLESS_INCIDENTS].find(each => each.name === name);
    if (!incident) throw new RangeError(`No incident is named ${name}.`);

    this.repair();
    this.#next = incident;
  }

  /** Ends the incident. The alarms end later, when the metrics are good again. */
  repair(): void {
    this.#next = undefined;
    const caused = this.#caused;
    if (!caused || caused.repaired !== undefined) return;

    this.#caused = { ...caused, repaired: this.scene.minute };
    caused.incident.end?.(this.scene);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const due = performance.now() + this.minuteTakes;
      await this.#pass();
      await Promise.race([wait(Math.max(0, due - performance.now()), undefined, { ref: false }), this.#stopped]);
    }
  }

  /**
   * Plays one minute: changes the data, runs the connector and the script, and evaluates the
   * alarms.
   */
  async #pass(): Promise<void> {
    const { scene } = this;
    const { minute } = scene;
    for (let change = 0; change < this.#options.changes; change++) {
      randomChange(scene.simulator, this.#random, MOST_ROWS);
    }
    this.#begin();

    await this.#tick();
    await scene.clock.pass(SCRIPT_STARTS_LATER);
    await this.#script.run();
    this.#look();
    await scene.nextMinute();
    for (let ended = minute; ended < scene.minute; ended++) this.#evaluate(ended);
    scene.metrics.forget(scene.minute - MINUTES_KEPT);
    this.#show();
  }

  /** Begins the incident that waits for the next minute. */
  #begin(): void {
    const incident = this.#next;
    if (!incident) return;

    this.#next = undefined;
    this.#caused = { incident, began: this.scene.minute, repaired: undefined, fired: new Map() };
    incident.begin?.(this.scene);
  }

  async #tick(): Promise<void> {
    const { scene } = this;
    const run = () => scene.run();
    const caused = this.#caused?.repaired === undefined ? this.#caused : undefined;
    const { eachMinute } = caused?.incident ?? {};
    await (eachMinute ? eachMinute(scene, run, scene.minute - caused!.began) : run());
  }

  #look(): void {
    const changes = this.#live.refresh(this.scene.simulator.truth('none'));
    this.#changes = [...this.#changes, changes].slice(-MINUTES_SHOWN);
    const { rows } = this.#live;
    const distances = { connector: this.#copy.distance(rows), script: this.#script.copy.distance(rows) };
    this.#distances = [...this.#distances, distances].slice(-MINUTES_SHOWN);
    this.#copy.endMinute();
    this.#script.copy.endMinute();
  }

  /**
   * Evaluates the alarms, but only once the page is served. Before that, an alarm on silence would
   * look back to the time before the demo, and would fire.
   */
  #evaluate(minute: number): void {
    if (minute < (this.#options.minutesBefore ?? MINUTES_SHOWN)) return;
    const changed = this.#alarms.evaluate(minute);
    const caused = this.#caused;
    if (!caused) return;

    // An alarm of the previous incident may still fire. It counts for this incident only if this
    // incident expects it.
    const fired = new Map(caused.fired);
    for (const { name } of this.#alarms.alarms.filter(({ state }) => state === 'ALARM')) {
      const counts = caused.incident.alarms.includes(name) || changed.some(alarm => alarm.name === name);
      if (counts && !fired.has(name)) fired.set(name, minute - caused.began + 1);
    }
    this.#caused = { ...caused, fired };
  }

  #show(): void {
    const { scene, minuteTakes } = this;
    const { rows } = this.#live;
    this.#view = {
      now: scene.clock.now(),
      minute: scene.minute,
      minuteTakes,
      changes: this.#changes.reduce((sum, changes) => sum + changes, 0),
      streams: streamViews(scene.lastRun, name => rows[name as StreamName].size),
      connector: laneView(
        this.#copy,
        this.#distances.map(({ connector }) => connector),
        problemOf(scene.lastRun),
      ),
      script: laneView(
        this.#script.copy,
        this.#distances.map(({ script }) => script),
        this.#script.problem,
      ),
      alarms: this.#alarms.alarms.map(alarmView),
      incident: incidentView(this.#caused, scene.minute),
    };
    for (const listener of this.#listeners) listener(this.#view);
  }

  /** Forgets all figures so far. */
  #forget(): void {
    this.#changes = [];
    this.#distances = [];
    this.#copy.forget();
    this.#script.copy.forget();
    this.scene.begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#minutes;
    await this.scene[Symbol.asyncDispose]();
  }
}

/**
 * Puts the events of an object into the SIEM's copy, as docs/events.md describes it. An event about
 * a row that no longer exists removes the row from the copy.
 */
function read({ key }: DeliveredObject, { aws }: Scene, copy: SiemCopy): void {
  const file = path.join(path.dirname(aws.deliveredFolder), key);
  for (const line of gunzipSync(readFileSync(file)).toString().split('\n').slice(0, -1)) {
    const { stream, id, row, kind, event_id: eventId } = parseEvent(line);
    const isGone = kind === 'tombstone' || kind === 'withdrawn';
    const bytes = Buffer.byteLength(line) + 1;
    copy.take({ stream: stream as StreamName, id, row: isGone ? undefined : row, eventId, bytes });
  }
}
