/**
 * Runs a history: the real core and the real adapters over simulated clients, in virtual time. After the faults it runs
 * ticks without faults until one has nothing to do.
 */
// Loaded before the first history: what the adapter would load during one would take time that is not virtual.
import '@aws-sdk/client-s3';
import { parseCommand } from '../../lambda/command.ts';
import { assign, type Clients, composeRun, createContainerTokens } from '../../lambda/compose.ts';
import { LeaseBusyError } from '../../lambda/core/errors.ts';
import type { Assignment, Ports } from '../../lambda/core/run.ts';
import { type Commands, type RunOutcome, runStreams } from '../../lambda/core/run-streams.ts';
import { leaseTimes } from '../../lambda/lease-times.ts';
import type { Lease } from '../../lambda/ports.ts';
import type { Settings } from '../../lambda/settings.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { createPlatform, type Platform } from '../../local/platform/platform.ts';
import type { Change, Command, Filters, History, Tick } from './history.ts';
import type { Observation } from './oracle/observation.ts';
import { Recorder } from './oracle/recorder.ts';
import { quiesce } from './quiesce.ts';
import { Random } from './random.ts';
import { SimBucket } from './simulated/bucket.ts';
import { clientsOf, type Surroundings, settingsOf } from './simulated/clients.ts';
import { SimDynamoDb } from './simulated/dynamodb.ts';
import { SimFirehose } from './simulated/firehose.ts';
import { SimContainer, SimProcess } from './simulated/process.ts';
import { filtered, filterOptions, isWithheld } from './simulated/selection.ts';
import { apply, type PlatformChange, single } from './simulated/tenant-data.ts';
import { Timeline } from './simulated/timeline.ts';

/** A switch in the test only: breaks one rule, to see whether the oracle notices. */
export interface Mutation {
  readonly ports?: (ports: Ports, command: Command | undefined) => Ports;
  readonly lease?: (lease: Lease, command: Command | undefined) => Lease;
  readonly clients?: (clients: Clients) => Clients;
  readonly settings?: (settings: Settings) => Settings;
  readonly assignment?: (assignment: Assignment) => Assignment;
  /** Milliseconds after which requests to AWS are given up. */
  readonly requestTimeout?: number;
}

const START = Date.UTC(2026, 0, 1);
const NO_FILTERS: Filters = { assets: [], threats: [], faulty: false };
/** Longer than any freeze and any lease. */
const AFTERMATH_MILLISECONDS = 1_000_000;

export async function simulate(history: History, mutation: Mutation = {}): Promise<Observation> {
  return new Simulation(history, mutation).run();
}

class Simulation {
  readonly #history: History;
  readonly #mutation: Mutation;
  readonly #timeline = new Timeline(START);
  readonly #platform: Platform;
  #settings: Settings;
  #filters: Filters;
  readonly #dynamodb = new SimDynamoDb();
  readonly #firehose = new SimFirehose(this.#dynamodb);
  readonly #bucket = new SimBucket();
  readonly #recorder: Recorder;
  readonly #surroundings: Surroundings;
  /** Warm containers, by the numbers that the history gives them. */
  readonly #containers = new Map<number, { readonly container: SimContainer; readonly process: SimProcess }>();
  readonly #heldBack: (() => void)[] = [];

  constructor(history: History, mutation: Mutation) {
    this.#history = history;
    this.#mutation = mutation;
    const random = new Random(history.seed ^ 0x5eed);
    const clock = () => this.#timeline.now;
    this.#platform = createPlatform({ ...history.platform, clock, random: random.next, tokens: 'table' });
    const settings = settingsOf(this.#platform, history);
    this.#settings = { ...(mutation.settings?.(settings) ?? settings), refreshDays: history.refreshDays };
    this.#recorder = new Recorder(this.#platform, clock, history.refreshDays);
    this.#filters = history.filters ?? NO_FILTERS;
    this.#filter(this.#filters);
    this.#surroundings = {
      history,
      platform: this.#platform,
      recorder: this.#recorder,
      dynamodb: this.#dynamodb,
      firehose: this.#firehose,
      bucket: this.#bucket,
    };
    this.#firehose.onLine = line => this.#recorder.taken(line);
    this.#dynamodb.onWrite = this.#recorder.written;
    this.#dynamodb.onLeaseless = this.#breach;
    this.#dynamodb.onTakeover = this.#recorder.disturb;
    const { seen } = this.#recorder.observation;
    if (history.pageLimit > 25) seen.wide++;
    if (history.steps.some(step => step.kind === 'change' && step.change.kind === 'remove-many')) seen.massRemovals++;
    this.#bucket.onStored = this.#recorder.stored;
  }

  async run(): Promise<Observation> {
    for (const step of this.#history.steps) {
      if (step.kind === 'change') this.#change(step.change);
      else if (step.kind === 'filters') this.#filter(step.filters);
      else if (step.kind === 'wait') await this.#timeline.pass(step.milliseconds);
      else await this.#tick(step);
    }
    this.#settings = { ...this.#settings, refreshDays: undefined };
    this.#landHeldBack();
    await this.#timeline.pass(AFTERMATH_MILLISECONDS);
    await this.#quiesce();
    const { observation } = this.#recorder;
    const { truth, withheld } = filtered(this.#platform.truth(), this.#filters, this.#blocks);
    Object.assign(observation, { truth, withheld: new Set([...withheld, ...this.#recorder.withheld]) });
    this.#requireNoOrphans();
    return observation;
  }

  get #blocks(): readonly number[] {
    return this.#history.filters?.blocks ?? [];
  }

  #landHeldBack(): void {
    for (const each of this.#heldBack.splice(0)) each();
  }

  /**
   * A deployment of other filters. The stream is read again, and may show versions that it has shown before. A write that a run of the former
   * configuration gave up lands before it at the latest: it is in that run's container or on the wire, and the container ends.
   */
  #filter(filters: Filters): void {
    if (!this.#history.filters) return;
    this.#landHeldBack();
    const { observation } = this.#recorder;
    observation.seen.filters++;
    if (observation.everyVersion) observation.replayed = true;
    this.#filters = filters;
    this.#settings = { ...this.#settings, filters: filterOptions(filters, this.#blocks) };
    this.#recorder.mayWithhold((row, stream) => isWithheld(row, stream, filters, this.#blocks));
  }

  /**
   * Entries of a removed asset would stay in the table for good. No run is at fault for one that a late write brings back, or the
   * platform: where it keeps every version, the threats' stream shows an old one after the asset is gone.
   */
  #requireNoOrphans(): void {
    const { steps } = this.#history;
    if (
      this.#recorder.observation.everyVersion ||
      steps.some(step => step.kind === 'tick' && step.releases !== undefined)
    )
      return;
    const { assets } = this.#platform.truth();
    const orphans = this.#dynamodb.childrenOf(asset => JSON.parse(assets.get(asset) ?? '{}').deleted === true);
    if (orphans.length > 0) this.#breach(`The child index keeps entries of a removed asset: ${orphans[0]}`);
  }

  async #quiesce(): Promise<void> {
    const parts = { ...this.#surroundings, timeline: this.#timeline, start: (tick: Tick) => this.#start(tick) };
    await quiesce(parts);
  }

  async #tick(tick: Tick): Promise<void> {
    const { seen } = this.#recorder.observation;
    if (tick.command?.resync || tick.command?.replay) this.#recorder.beginAgain();
    const process = this.#start(tick);
    const overlap = tick.overlap ?? Number.POSITIVE_INFINITY;
    await this.#timeline.runUntil(() => process.ended || process.dead || process.frozen || process.ios >= overlap);
    if (process.dead && process.withdrawing) seen.killsWhileWithdrawing++;
    if (process.dead) seen.kills++;
    else if (process.frozen) seen.zombies++;
    else if (!process.ended) seen.overlaps++;
  }

  #start(tick: Tick): SimProcess {
    const { seen } = this.#recorder.observation;
    seen.ticks++;
    seen.faults += tick.faults.length;
    const change = (each: Change) => this.#change(each);
    const container = this.#containerOf(tick);
    const process = new SimProcess(tick, container, {
      timeline: this.#timeline,
      change,
      disturb: this.#recorder.disturb,
      breach: this.#breach,
      struck: () => void seen.stubborn++,
      heldBack: this.#heldBack,
      requestTimeout: this.#mutation.requestTimeout ?? leaseTimes(this.#settings.leaseSeconds).requestTimeout,
    });
    if (tick.container !== undefined) this.#containers.set(tick.container, { container, process });
    this.#invoke(process, container, tick)
      .then(outcome => this.#concluded(outcome))
      .catch(error => this.#failed(error))
      .finally(() => {
        process.end();
        void this.#mustRefuse(process);
      });
    return process;
  }

  /** Whatever is left of a run may ask for the lease again, and must not get it. */
  async #mustRefuse({ assertLeaseValid }: SimProcess): Promise<void> {
    const passes = await assertLeaseValid?.().then(
      () => true,
      () => false,
    );
    if (passes) this.#breach('A lease that was given back lets a write pass');
  }

  readonly #breach = (sentence: string): void => void this.#recorder.observation.violations.push(sentence);

  /** The one of the tick before with this number, thawed; a new one while that is busy, or when it is gone. */
  #containerOf(tick: Tick): SimContainer {
    const warm = tick.container === undefined ? undefined : this.#containers.get(tick.container);
    if (!warm?.process.ended || warm.container.dead) return new SimContainer();
    this.#recorder.observation.seen.thaws++;
    warm.container.thaw();
    return warm.container;
  }

  async #invoke(process: SimProcess, container: SimContainer, tick: Tick): Promise<RunOutcome> {
    const { command } = tick;
    const plain = clientsOf(process, this.#surroundings);
    const clients = this.#mutation.clients?.(plain) ?? plain;
    const reserve = Math.min(30_000, tick.budgetMilliseconds / 10);
    container.clients = clients;
    container.tokens ??= createContainerTokens(this.#settings, {
      ...clients,
      secrets: { send: command => container.clients!.secrets.send(command) },
      fetch: (url, init) => container.clients!.fetch(url, init),
    });
    const parts = composeRun(this.#settings, clients, container.tokens, () => process.timeLeft() - reserve / 2);
    const lease = this.#mutation.lease?.(parts.lease, command) ?? parts.lease;
    const plan = assign(this.#settings);
    const assignment = this.#mutation.assignment?.(plan) ?? plan;
    const names = assignment.streams.map(({ name }) => name);
    return runStreams({
      ports: this.#mutation.ports?.(parts.ports, command) ?? parts.ports,
      lease: {
        take: async () => {
          const held = await lease.take();
          if (held) process.assertLeaseValid = held.assertValid;
          return held;
        },
      },
      warmUp: parts.warmUp,
      assignment,
      commands: commandsOf(command ?? {}, names),
      outOfTime: () => process.timeLeft() <= reserve,
    });
  }

  #concluded({ leaseHeld, results, failures, interrupted }: RunOutcome): void {
    const { seen } = this.#recorder.observation;
    if (interrupted) this.#recorder.disturb();
    if (leaseHeld) seen.leaseHeld++;
    const all = [...results.values()];
    seen.removals += all.reduce((sum, each) => sum + each.withdrawn, 0);
    seen.refreshed += all.reduce((sum, each) => sum + each.refreshed, 0);
    if (failures.size > 0) seen.failedTicks++;
    else if (all.some(each => !each.caughtUp)) seen.budgetsSpent++;
  }

  #failed(error: unknown): void {
    const { seen } = this.#recorder.observation;
    if (error instanceof LeaseBusyError) {
      seen.leaseHeld++;
      return;
    }
    seen.failedTicks++;
    this.#recorder.disturb();
  }

  #change(change: Change): void {
    const { seen } = this.#recorder.observation;
    if (change.kind === 'forget-cursors') {
      this.#recorder.forgetCursors();
      seen.changes++;
    } else for (const each of single(change)) this.#changeOne(each);
  }

  #changeOne(change: PlatformChange): void {
    const { seen } = this.#recorder.observation;
    if (change.kind === 'remove' && this.#recorder.hidesMove(`asset-${change.asset}`)) return;
    if (!apply(change, this.#platform, this.#history.fat)) return;
    seen.changes++;
    if (change.kind === 'restore') seen.restores++;
  }
}

/** An operator's command as the function gets it. @param streams those that are on */
function commandsOf({ resync = [], replay = [] }: Command, streams: readonly StreamName[]): Commands {
  return parseCommand({ resync, replay }, streams);
}
