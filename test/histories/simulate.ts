/**
 * Runs a history: the real core and the real adapters over simulated edges, in virtual time. After the storm, calm ticks
 * until one has nothing to do.
 */
import { sha256 } from '../../lambda/adapters/sha256.ts';
import type { World } from '../../lambda/core/run.ts';
import { tick as runTick, type TickOutcome } from '../../lambda/core/tick.ts';
import type { Lease, Log } from '../../lambda/ports.ts';
import type { Settings } from '../../lambda/settings.ts';
import { assign, createContainer, createWorld, type Edges } from '../../lambda/world.ts';
import { createPlatform, type Platform } from '../../local/platform/platform.ts';
import type { Change, History, Tick } from './history.ts';
import type { Observation } from './oracle/observation.ts';
import { Witness } from './oracle/witness.ts';
import { Random } from './random.ts';
import { SimDynamoDb } from './world/dynamodb.ts';
import { apply } from './world/estate.ts';
import { SimFirehose } from './world/firehose.ts';
import { networkOf } from './world/network.ts';
import { SimProcess } from './world/process.ts';
import { settingsOf } from './world/settings.ts';
import { Timeline } from './world/timeline.ts';

/** A switch in the test only: breaks one rule, to see whether the oracle notices. */
export interface Sabotage {
  readonly world?: (world: World) => World;
  readonly lease?: (lease: Lease) => Lease;
  readonly edges?: (edges: Edges) => Edges;
  readonly settings?: (settings: Settings) => Settings;
}

const START = Date.UTC(2026, 0, 1);
const CALM_PAUSE_MILLISECONDS = 61_000;
/** The connector must have nothing left to do within so many ticks after the storm. */
export const MAX_TICKS_TO_QUIET = 6;
/** Longer than any freeze and any lease. */
const AFTERMATH_MILLISECONDS = 1_000_000;
const LEASE_WRITES = 2;
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

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
  readonly #firehose = new SimFirehose();
  readonly #witness: Witness;

  constructor(history: History, sabotage: Sabotage) {
    this.#history = history;
    this.#sabotage = sabotage;
    const random = new Random(history.seed ^ 0x5eed);
    const clock = () => this.#timeline.now;
    this.#platform = createPlatform({ ...history.platform, clock, random: random.next, tokens: 'table' });
    const settings = settingsOf(this.#platform, history);
    this.#settings = sabotage.settings?.(settings) ?? settings;
    this.#witness = new Witness(this.#platform, clock);
    this.#firehose.onLine = this.#witness.taken;
    this.#dynamodb.onWrite = this.#witness.written;
  }

  async run(): Promise<Observation> {
    for (const step of this.#history.steps) {
      if (step.kind === 'change') this.#change(step.change);
      else if (step.kind === 'wait') await this.#timeline.pass(step.milliseconds);
      else await this.#stormyTick(step);
    }
    await this.#timeline.pass(AFTERMATH_MILLISECONDS);
    await this.#calmDown();
    const { observation } = this.#witness;
    observation.truth = this.#platform.truth();
    return observation;
  }

  async #stormyTick(tick: Tick): Promise<void> {
    const { seen } = this.#witness.observation;
    const process = this.#start(tick);
    const overlap = tick.overlap ?? Number.POSITIVE_INFINITY;
    await this.#timeline.runUntil(() => process.ended || process.dead || process.frozen || process.ios >= overlap);
    if (process.dead) seen.kills++;
    else if (process.frozen) seen.zombies++;
    else if (!process.ended) seen.overlaps++;
  }

  async #calmDown(): Promise<void> {
    const { observation } = this.#witness;
    for (let ticks = 0; ticks <= MAX_TICKS_TO_QUIET; ticks++) {
      const before = {
        events: observation.events.length,
        calls: this.#firehose.calls,
        writes: this.#dynamodb.writes.length,
      };
      const process = this.#start({ kind: 'tick', seed: ticks, budgetMilliseconds: 900_000, faults: [], changes: [] });
      await this.#timeline.runUntil(() => process.ended || process.dead);
      const silent = observation.events.length === before.events && this.#firehose.calls === before.calls;
      if (silent && this.#isQuiet(this.#dynamodb.writes.slice(before.writes))) {
        observation.ticksToQuiet = ticks;
        return;
      }
      await this.#timeline.pass(CALM_PAUSE_MILLISECONDS);
    }
    observation.violations.push(`No quiet tick among ${MAX_TICKS_TO_QUIET} after the storm`);
  }

  /**
   * Taking the lease and giving it back: a calm tick is too short to renew it. An empty page with a new cursor is the one
   * thing that may be worth saving.
   */
  #isQuiet(written: readonly string[]): boolean {
    const onlyLease = written.length === LEASE_WRITES;
    return onlyLease || (this.#platform.settings.emptyPages > 0 && written.every(pk => pk === 'connector'));
  }

  #start(tick: Tick): SimProcess {
    const { seen } = this.#witness.observation;
    seen.ticks++;
    seen.faults += tick.faults.length;
    const change = (each: Change) => this.#change(each);
    const process = new SimProcess(tick, { timeline: this.#timeline, change, disturb: this.#witness.disturb });
    this.#invoke(process, tick)
      .then(outcome => this.#concluded(outcome))
      .catch(() => this.#failed())
      .finally(() => process.end());
    return process;
  }

  async #invoke(process: SimProcess, tick: Tick): Promise<TickOutcome> {
    const edges = this.#edges(process);
    const reserve = Math.min(30_000, tick.budgetMilliseconds / 10);
    const container = createContainer(this.#settings, edges);
    const parts = createWorld(this.#settings, edges, container, () => process.timeLeft() - reserve / 2);
    parts.warmUp();
    if (tick.order) this.#witness.beginAnew();
    return runTick({
      world: this.#sabotage.world?.(parts.world) ?? parts.world,
      lease: this.#sabotage.lease?.(parts.lease) ?? parts.lease,
      assignment: assign(this.#settings),
      commands: { resync: tick.order?.resync ?? [], replay: tick.order?.replay ?? [] },
      outOfTime: () => process.timeLeft() <= reserve,
    });
  }

  #concluded({ leaseHeld, results, failures, interrupted }: TickOutcome): void {
    const { seen } = this.#witness.observation;
    if (interrupted) this.#witness.disturb();
    if (leaseHeld) seen.leaseHeld++;
    const all = [...results.values()];
    seen.withdrawals += all.reduce((sum, each) => sum + each.withdrawn, 0);
    if (failures.size > 0) seen.failedTicks++;
    else if (all.some(each => !each.caughtUp)) seen.budgetsSpent++;
  }

  #failed(): void {
    this.#witness.observation.seen.failedTicks++;
    this.#witness.disturb();
  }

  #edges(process: SimProcess): Edges {
    const platform = this.#platform;
    const { account } = platform;
    const { observation, badRow, beginAnew, isForgotten, read } = this.#witness;
    const secret = () => ({
      SecretString: JSON.stringify({ client_id: account.clientId, client_secret: account.clientSecret }),
    });
    const never = () => undefined;
    const edges: Edges = {
      dynamodb: { send: command => process.io(this.#dynamodb.service(command)) },
      firehose: { send: command => process.io(this.#firehose.service(command)) },
      secrets: { send: () => process.io({ effect: secret, strike: never }) },
      s3: async () => ({
        send: ({ input }) => process.io({ effect: () => observation.letters.push(String(input.Body)), strike: never }),
      }),
      fetch: networkOf(process, {
        platform,
        history: this.#history,
        isForgotten,
        onPage: read,
        onBadRow: badRow,
        onRefusedCursor: beginAnew,
      }),
      clock: process.clock,
      random: process.random.next,
      hash: sha256,
      log: SILENT,
    };
    return this.#sabotage.edges?.(edges) ?? edges;
  }

  #change(change: Change): void {
    const { seen } = this.#witness.observation;
    if (change.kind === 'forget-cursors') this.#witness.forgetCursors();
    else if (change.kind === 'remove' && this.#witness.hidesMove(`asset-${change.asset}`)) return;
    else if (!apply(change, this.#platform)) return;
    seen.changes++;
    if (change.kind === 'restore') seen.restores++;
  }
}
