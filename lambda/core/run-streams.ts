/**
 * One run over all streams, under one lease: assets, then withdrawals, then threats, one after the other, and DNS blocks beside them. A
 * failing stream does not stop the others.
 */

import type { Checkpoint, Lease, SavedStream } from '../ports.ts';
import { STREAMS, type StreamName, type SyncedStream, type VersionedName } from '../streams.ts';
import { BEGINNING, initialState, type StreamState } from './decide.ts';
import { LeaseBusyError, LeaseLostError, OutOfTimeError } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import { checkOrganization } from './organization.ts';
import { refresh } from './refresh.ts';
import { type RepairOutcome, repair } from './repair.ts';
import {
  type Assignment,
  addCounts,
  EMPTY_RESULT,
  type Ports,
  type Run,
  type StreamResult,
  type StreamRun,
} from './run.ts';
import { Sequencer } from './sequence.ts';
import { sync } from './sync.ts';
import { withdraw } from './withdraw.ts';

/** What an operator may command besides the walk. */
export interface Commands {
  /** Read everything again, send only what differs. */
  readonly resync: readonly StreamName[];
  /** Send everything again once, for a SIEM that lost its data. */
  readonly replay: readonly StreamName[];
  /** Ids of rows of which the SIEM's copy is wrong, by stream. See repair.ts. */
  readonly repair?: Readonly<Partial<Record<VersionedName, readonly string[]>>>;
  /** Digest of the organization whose rows are sent from now on under the name of this connector. See organization.ts. */
  readonly confirmOrganization?: string | undefined;
}

export interface RunOptions {
  readonly ports: Ports;
  readonly lease: Lease;
  /** Started once the lease is held, and ended before the run is. Never rejects. */
  readonly warmUp?: () => Promise<unknown>;
  readonly assignment: Assignment;
  readonly commands: Commands;
  readonly outOfTime: () => boolean;
}

export interface RunOutcome {
  /** Another run holds the lease: nothing was done. */
  readonly leaseHeld: boolean;
  readonly results: Map<StreamName, StreamResult>;
  readonly failures: Map<StreamName, Error>;
  /** What became of each row that was to be repaired, and was reached. */
  readonly repaired: readonly RepairOutcome[];
  /** A stream stopped within a page: by a failure, or by the time budget. */
  readonly interrupted: boolean;
}

/** @throws LeaseBusyError when there are commands and another run holds the lease; StateError */
export async function runStreams(options: RunOptions): Promise<RunOutcome> {
  const { ports, assignment, commands } = options;
  const lease = await options.lease.take();
  if (!lease) {
    const commanded = [commands.resync, commands.replay, ...Object.values(commands.repair ?? {})];
    if (commanded.some(each => each.length > 0) || commands.confirmOrganization !== undefined)
      throw new LeaseBusyError();
    return { leaseHeld: true, results: new Map(), failures: new Map(), repaired: [], interrupted: false };
  }
  const warm = options.warmUp?.();
  try {
    const sequencer = new Sequencer(lease.epoch);
    const run: Run = { ...ports, assignment, lease, sequencer, outOfTime: options.outOfTime };
    const progress = new Progress(run, commands, await loadStates(run, commands));
    const groups = [...new Set(assignment.streams.map(each => each.group))];
    await inParallel(groups, group => progress.runGroup(assignment.streams.filter(each => each.group === group)));
    const outcome = progress.outcome();
    await release(run, outcome);
    return outcome;
  } catch (error) {
    await lease.release({ clean: false }).catch(cause => ports.log.error('The lease was not given back', cause));
    throw error;
  } finally {
    await warm;
  }
}

/** A lease that cannot be given back was lost, or the table is gone: every stream's outcome is uncertain, and reported as failed. */
async function release(run: Run, { interrupted, results, failures }: RunOutcome): Promise<void> {
  try {
    await run.lease.release({ clean: !interrupted });
  } catch (error) {
    for (const stream of results.keys()) if (!failures.has(stream)) fail(stream, asError(error), run, failures);
  }
}

/** Logged at once: Lambda may end the run before the other streams have ended. */
function fail(
  stream: StreamName,
  error: Error,
  { lease: { signal }, log }: Run,
  failures: Map<StreamName, Error>,
): void {
  // Report the lost lease, not the requests it aborted.
  const failure = signal.aborted ? asError(signal.reason) : error;
  failures.set(stream, failure);
  log.error('A stream failed', failure, { stream });
}

type States = Map<StreamName, StreamState | Error>;

async function loadStates(run: Run, commands: Commands): Promise<States> {
  const { streams } = run.assignment;
  // The run before may have left writes on their way: once the fence is raised, none of them can land. Raised for every stream, also
  // for those that are left out of this run: the next one will find the lease clean.
  const every = STREAMS.map(each => each.name);
  if (run.lease.dirty) await run.checkpoints.fence(every, run.lease.epoch);
  // Of those too, because the rows that were sent of them may belong to another organization.
  const saved = await run.checkpoints.load(every);
  const states: States = new Map();
  const refused = await checkOrganization(saved, commands.confirmOrganization, run).catch(asError);
  for (const stream of streams) {
    const each = refused ?? saved.streams.get(stream.name)!;
    if (each instanceof Error) states.set(stream.name, each);
    else {
      const begun = await applySelection(stream, await applyCommand(commands, stream, each, run), run);
      states.set(stream.name, initialState(begun, stream));
    }
  }
  return states;
}

/** Resync and replay begin with a checkpoint at the beginning of the stream, saved before anything is read. */
async function applyCommand(
  commands: Commands,
  { name: stream, hasRowStates }: SyncedStream,
  saved: SavedStream,
  { lease, log, checkpoints }: Run,
): Promise<SavedStream> {
  const replay = commands.replay.includes(stream);
  if (!replay && !commands.resync.includes(stream)) return saved;
  const { checkpoint: before } = saved;
  const checkpoint: Checkpoint = {
    ...before,
    cursor: undefined,
    previous: undefined,
    window: replay || hasRowStates ? [] : before.window,
    generation: replay ? lease.epoch : before.generation,
    names: {},
  };
  await checkpoints.save(stream, checkpoint, lease.epoch);
  log.info(replay ? 'Replay: the stream is sent again from the beginning' : 'Resync: the stream is read again', {
    stream,
  });
  return { ...saved, checkpoint };
}

/**
 * A stream that was read with another filter is read again from the beginning: only the rows themselves say which of them enter the
 * selection and which leave it. The window goes with the cursor, because it knows rows that were withheld:
 *
 *     filter before   severity == 'high'     read: t1 high, t2 low       sent: t1
 *     filter now      severity == 'low'      read again: t1, t2          sent: t1 withdrawn, t2
 *
 * Nothing records what was sent of streams without row states. Of those the filter applies to what is read from now on.
 */
async function applySelection(stream: SyncedStream, saved: SavedStream, run: Run): Promise<SavedStream> {
  const selection = stream.selection?.tag ?? '';
  const { checkpoint } = saved;
  if (checkpoint.selection === selection) return saved;
  if (!stream.hasRowStates || checkpoint === BEGINNING) return { ...saved, checkpoint: { ...checkpoint, selection } };
  const selections = checkpoint.selections + 1;
  const again = { ...checkpoint, cursor: undefined, previous: undefined, window: [], selection, selections };
  await run.checkpoints.save(stream.name, again, run.lease.epoch);
  run.log.info('The filter, or what it leaves out, has changed: the stream is read again from the beginning', {
    stream: stream.name,
  });
  return { ...saved, checkpoint: again };
}

/** How far the streams of a run have come. */
class Progress {
  readonly #run: Run;
  readonly #commands: Commands;
  readonly #states: States;
  readonly #results: Map<StreamName, StreamResult>;
  readonly #failures = new Map<StreamName, Error>();
  readonly #repaired: RepairOutcome[] = [];
  #interrupted = false;

  constructor(run: Run, commands: Commands, states: States) {
    this.#run = run;
    this.#commands = commands;
    this.#states = states;
    this.#results = new Map(run.assignment.streams.map(each => [each.name, EMPTY_RESULT]));
  }

  outcome(): RunOutcome {
    const { signal } = this.#run.lease;
    // A stream may have failed because the lease was lost, before the loss was noticed.
    if (signal.aborted && signal.reason instanceof LeaseLostError) {
      for (const name of this.#failures.keys()) this.#failures.set(name, signal.reason);
    }
    const results = this.#results;
    return {
      leaseHeld: false,
      results,
      failures: this.#failures,
      repaired: this.#repaired,
      interrupted: this.#interrupted,
    };
  }

  /** Streams of one group run one after the other. */
  async runGroup(group: readonly SyncedStream[]): Promise<void> {
    for (const stream of group) {
      // A stream that could not even begin has failed, also when that took all the time.
      const isRefused = this.#states.get(stream.name) instanceof Error;
      if (this.#run.outOfTime() && !isRefused) continue;
      try {
        await this.#runStream(stream, group);
      } catch (error) {
        this.#failed(stream, asError(error));
      }
    }
    // After every stream of the group: it holds no change up.
    for (const stream of group) {
      if (this.#run.outOfTime()) return;
      try {
        await this.#refresh(stream);
      } catch (error) {
        this.#failed(stream, asError(error));
      }
    }
  }

  async #refresh(stream: SyncedStream): Promise<void> {
    const { refreshDays } = this.#run.assignment;
    const isDue = stream.hasRowStates && this.#results.get(stream.name)!.caughtUp && !this.#failures.has(stream.name);
    if (refreshDays === undefined || !isDue) return;
    this.#states.set(stream.name, await refresh(refreshDays, this.#state(stream), this.#streamRun(stream)));
  }

  async #runStream(stream: SyncedStream, group: readonly SyncedStream[]): Promise<void> {
    const streamRun = this.#streamRun(stream);
    const parents = group.find(each => each.name === stream.cascadesFrom);
    let state = this.#state(stream);
    let done = true;
    if (parents && this.#results.get(parents.name)!.caughtUp)
      ({ state, done } = await withdraw(parents, state, streamRun));
    if (done) state = await sync(state, streamRun);
    const ids = this.#commands.repair?.[stream.name as VersionedName] ?? [];
    const { caughtUp } = this.#results.get(stream.name)!;
    state = await repair({ ids, caughtUp, onOutcome: outcome => this.#repaired.push(outcome) }, state, streamRun);
    this.#states.set(stream.name, state);
  }

  #streamRun(stream: SyncedStream): StreamRun {
    const count = (counts: Partial<StreamResult>) => {
      this.#results.set(stream.name, addCounts(this.#results.get(stream.name)!, counts));
    };
    return { stream, run: this.#run, count };
  }

  #state({ name }: SyncedStream): StreamState {
    const state = this.#states.get(name)!;
    if (state instanceof Error) throw state;
    return state;
  }

  /** A stream that is merely slow continues in the next run. One that made no progress has stalled, and counts as failed. */
  #failed({ name: stream }: SyncedStream, error: Error): void {
    this.#interrupted = true;
    if (error instanceof OutOfTimeError) {
      const result = addCounts(this.#results.get(stream)!, { throttledMilliseconds: error.throttledMilliseconds });
      this.#results.set(stream, result);
      if (result.committedPages + result.withdrawn > 0) {
        this.#run.log.warn(error.message, { stream });
        return;
      }
    }
    fail(stream, error, this.#run, this.#failures);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something that is no error was thrown', { cause: error });
}
