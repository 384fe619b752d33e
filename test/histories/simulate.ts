/**
 * Runs a history: the real core and the real adapters over simulated edges, in virtual time. After the storm, calm ticks
 * until one has nothing to do.
 */
// Loaded before the first history: what the adapter would load amid one would take time that is not virtual.
import '@aws-sdk/client-s3';
import { LeaseBusyError } from '../../lambda/core/errors.ts';
import type { World } from '../../lambda/core/run.ts';
import { tick as runTick, type TickOutcome } from '../../lambda/core/tick.ts';
import { leaseTimes } from '../../lambda/lease-times.ts';
import type { Lease } from '../../lambda/ports.ts';
import type { Settings } from '../../lambda/settings.ts';
import { assign, createContainerTokens, createWorld, type Edges } from '../../lambda/world.ts';
import { createPlatform, type Platform } from '../../local/platform/platform.ts';
import { calmDown, clearLetters } from './calm.ts';
import type { Change, Edition, History, Order, Tick } from './history.ts';
import type { Observation } from './oracle/observation.ts';
import { Witness } from './oracle/witness.ts';
import { commandsOf } from './orders.ts';
import { Random } from './random.ts';
import { SimBucket } from './world/bucket.ts';
import { SimContainer } from './world/container.ts';
import { SimDynamoDb } from './world/dynamodb.ts';
import { edgesOf, type Surroundings } from './world/edges.ts';
import { CAPABLE, formatOf } from './world/edition.ts';
import { apply, type PlatformChange, single } from './world/estate.ts';
import { SimFirehose } from './world/firehose.ts';
import { SimProcess } from './world/process.ts';
import { settingsOf } from './world/settings.ts';
import { Timeline } from './world/timeline.ts';

/** A switch in the test only: breaks one rule, to see whether the oracle notices. */
export interface Sabotage {
  readonly world?: (world: World, order: Order | undefined) => World;
  readonly lease?: (lease: Lease, order: Order | undefined) => Lease;
  readonly edges?: (edges: Edges) => Edges;
  readonly settings?: (settings: Settings) => Settings;
  /** Milliseconds after which requests to AWS are given up. */
  readonly requestTimeout?: number;
}

const START = Date.UTC(2026, 0, 1);
const LETTERS = {
  sent: 'lettersSent',
  known: 'lettersKnown',
  superseded: 'lettersSuperseded',
  kept: 'lettersKept',
} as const;
/** Longer than any freeze and any lease. */
const AFTERMATH_MILLISECONDS = 1_000_000;

export async function simulate(history: History, sabotage: Sabotage = {}): Promise<Observation> {
  return new Simulation(history, sabotage).run();
}

class Simulation {
  readonly #history: History;
  readonly #sabotage: Sabotage;
  readonly #timeline = new Timeline(START);
  readonly #platform: Platform;
  readonly #settings: Settings;
  readonly #dynamodb = new SimDynamoDb();
  readonly #firehose = new SimFirehose(this.#dynamodb);
  readonly #bucket = new SimBucket();
  readonly #witness: Witness;
  readonly #surroundings: Surroundings;
  /** Warm containers, by the numbers that the history gives them. */
  readonly #containers = new Map<number, { readonly container: SimContainer; readonly process: SimProcess }>();
  readonly #heldBack: (() => void)[] = [];
  #edition: Edition;

  constructor(history: History, sabotage: Sabotage) {
    this.#history = history;
    this.#sabotage = sabotage;
    this.#edition = history.letters?.edition ?? CAPABLE;
    const random = new Random(history.seed ^ 0x5eed);
    const clock = () => this.#timeline.now;
    this.#platform = createPlatform({ ...history.platform, clock, random: random.next, tokens: 'table' });
    const settings = settingsOf(this.#platform, history);
    this.#settings = sabotage.settings?.(settings) ?? settings;
    this.#witness = new Witness(this.#platform, clock);
    this.#surroundings = {
      history,
      platform: this.#platform,
      witness: this.#witness,
      dynamodb: this.#dynamodb,
      firehose: this.#firehose,
      bucket: this.#bucket,
    };
    this.#firehose.onLine = (line, { trying }) => this.#witness.taken(line, trying);
    this.#dynamodb.onWrite = this.#witness.written;
    this.#dynamodb.onLeaseless = this.#breach;
    this.#dynamodb.onTakeover = this.#witness.disturb;
    if (history.pageLimit > 25) this.#witness.observation.seen.wide++;
    this.#bucket.onStored = this.#witness.stored;
    this.#bucket.onRemoved = this.#witness.letters.removed;
  }

  async run(): Promise<Observation> {
    for (const step of this.#history.steps) {
      if (step.kind === 'change') this.#change(step.change);
      else if (step.kind === 'deploy') this.#edition = step.edition;
      else if (step.kind === 'wait') await this.#timeline.pass(step.milliseconds);
      else await this.#stormyTick(step);
    }
    for (const each of this.#heldBack.splice(0)) each();
    await this.#timeline.pass(AFTERMATH_MILLISECONDS);
    await this.#calmDown();
    const { observation } = this.#witness;
    observation.truth = this.#platform.truth();
    return observation;
  }

  async #calmDown(): Promise<void> {
    const parts = { ...this.#surroundings, timeline: this.#timeline, start: (tick: Tick) => this.#start(tick) };
    await calmDown(parts);
    if (!this.#history.letters) return;
    await clearLetters(parts, () => {
      this.#edition = CAPABLE;
    });
  }

  async #stormyTick(tick: Tick): Promise<void> {
    const { seen } = this.#witness.observation;
    if (tick.order?.resync || tick.order?.replay) this.#witness.beginAnew();
    const process = this.#start(tick);
    const overlap = tick.overlap ?? Number.POSITIVE_INFINITY;
    await this.#timeline.runUntil(() => process.ended || process.dead || process.frozen || process.ios >= overlap);
    if (process.dead && process.trying.size > 0) seen.killsOverLetters++;
    if (process.dead) seen.kills++;
    else if (process.frozen) seen.zombies++;
    else if (!process.ended) seen.overlaps++;
  }

  #start(tick: Tick): SimProcess {
    const { seen } = this.#witness.observation;
    seen.ticks++;
    seen.faults += tick.faults.length;
    const change = (each: Change) => this.#change(each);
    const container = this.#containerOf(tick);
    const process = new SimProcess(tick, container, {
      timeline: this.#timeline,
      change,
      disturb: this.#witness.disturb,
      breach: this.#breach,
      struck: () => void seen.stubborn++,
      heldBack: this.#heldBack,
      requestTimeout: this.#sabotage.requestTimeout ?? leaseTimes(this.#settings.leaseSeconds).requestTimeout,
    });
    if (tick.container !== undefined) this.#containers.set(tick.container, { container, process });
    const started = this.#timeline.now;
    this.#invoke(process, container, tick)
      .then(outcome => this.#concluded(outcome, started))
      .catch(error => this.#failed(error))
      .finally(() => {
        process.end();
        void this.#mustRefuse(process);
      });
    return process;
  }

  /** Whatever is left of a run may ask for the lease again, and must not get it. */
  async #mustRefuse({ guard }: SimProcess): Promise<void> {
    const passes = await guard?.().then(
      () => true,
      () => false,
    );
    if (passes) this.#breach('A lease that was given back lets a write pass');
  }

  readonly #breach = (sentence: string): void => void this.#witness.observation.violations.push(sentence);

  /** The one of the tick before with this number, thawed; a new one while that is busy, or when it is gone. */
  #containerOf(tick: Tick): SimContainer {
    const warm = tick.container === undefined ? undefined : this.#containers.get(tick.container);
    if (!warm?.process.ended || warm.container.dead) return new SimContainer();
    this.#witness.observation.seen.thaws++;
    warm.container.thaw();
    return warm.container;
  }

  async #invoke(process: SimProcess, container: SimContainer, tick: Tick): Promise<TickOutcome> {
    const edition = this.#edition;
    const { order } = tick;
    const plain = edgesOf(process, edition, this.#surroundings);
    const edges = this.#sabotage.edges?.(plain) ?? plain;
    const reserve = Math.min(30_000, tick.budgetMilliseconds / 10);
    container.edges = edges;
    container.tokens ??= createContainerTokens(this.#settings, {
      ...edges,
      secrets: { send: command => container.edges!.secrets.send(command) },
      fetch: (url, init) => container.edges!.fetch(url, init),
    });
    const parts = createWorld(this.#settings, edges, container.tokens, () => process.timeLeft() - reserve / 2);
    const lease = this.#sabotage.lease?.(parts.lease, order) ?? parts.lease;
    const assignment = assign(this.#settings);
    const names = assignment.streams.map(({ name }) => name);
    return runTick({
      world: this.#sabotage.world?.(parts.world, order) ?? parts.world,
      lease: {
        take: async () => {
          const held = await lease.take();
          if (held) process.guard = held.guard;
          return held;
        },
      },
      warmUp: parts.warmUp,
      assignment: { ...assignment, format: formatOf(assignment.format, edition) },
      commands: commandsOf(order ?? {}, this.#bucket.keys, names),
      outOfTime: () => process.timeLeft() <= reserve,
    });
  }

  #concluded({ leaseHeld, results, failures, letters, interrupted }: TickOutcome, started: number): void {
    const { seen } = this.#witness.observation;
    this.#witness.letters.told(letters, started);
    for (const { outcome } of letters) seen[LETTERS[outcome]]++;
    if (interrupted) this.#witness.disturb();
    if (leaseHeld) seen.leaseHeld++;
    const all = [...results.values()];
    seen.withdrawals += all.reduce((sum, each) => sum + each.withdrawn, 0);
    if (failures.size > 0) seen.failedTicks++;
    else if (all.some(each => !each.caughtUp)) seen.budgetsSpent++;
  }

  #failed(error: unknown): void {
    const { seen } = this.#witness.observation;
    if (error instanceof LeaseBusyError) {
      seen.leaseHeld++;
      return;
    }
    seen.failedTicks++;
    this.#witness.disturb();
  }

  #change(change: Change): void {
    const { seen } = this.#witness.observation;
    if (change.kind === 'forget-cursors') {
      this.#witness.forgetCursors();
      seen.changes++;
    } else for (const each of single(change)) this.#changeOne(each);
  }

  #changeOne(change: PlatformChange): void {
    const { seen } = this.#witness.observation;
    if (change.kind === 'remove' && this.#witness.hidesMove(`asset-${change.asset}`)) return;
    if (!apply(change, this.#platform, this.#history.fat)) return;
    seen.changes++;
    if (change.kind === 'restore') seen.restores++;
    if (this.#history.letters) this.#witness.versions.note();
  }
}
