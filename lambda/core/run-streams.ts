/**
 * Runs all streams under one lease: assets, then withdrawals, then threats, one after the other,
 * and DNS blocks at the same time. A failing stream does not stop the other streams.
 */

import type { Checkpoint, Lease, LogEntry, SavedStream } from '../ports.ts';
import { childStreamOf, STREAMS, type StreamName, type SyncedStream } from '../streams.ts';
import { redoBatch, saveCheckpoint } from './commit.ts';
import {
  LeaseBusyError,
  LeaseLostError,
  LogMissingError,
  OutdatedWithdrawalsError,
  OutOfTimeError,
  UnclearWritesError,
} from './errors.ts';
import { waitingWithdrawalsOf, withdrawalsDigest } from './guard.ts';
import { inParallel } from './in-parallel.ts';
import { checkOrganization } from './organization.ts';
import { refresh } from './refresh.ts';
import {
  type Assignment,
  addCounts,
  EMPTY_RESULT,
  type Ports,
  type Run,
  type StreamResult,
  type StreamRun,
} from './run.ts';
import { beginSecondWalk, confirmWithdrawals, isSecondWalkDue, ListPass, type SecondWalkStart } from './second-walk.ts';
import { Sequencer } from './sequence.ts';
import { StreamLogs } from './stream-logs.ts';
import { sweep } from './sweep.ts';
import { walk } from './walk.ts';
import { withdraw } from './withdraw.ts';
import { withdrawAgain } from './withdraw-again.ts';

/** The commands of an operator. */
export interface Commands {
  /** Streams to read again completely. Only rows that differ are sent. */
  readonly resync: readonly StreamName[];
  /** Streams whose rows are all sent again, once, because the SIEM has lost its data. */
  readonly replay: readonly StreamName[];
  /**
   * Time in milliseconds since 1970. A replay repeats only events that were sent after it, because
   * the SIEM has the earlier events. If absent, all events are repeated.
   */
  readonly since?: number | undefined;
  /**
   * Digest of the organization whose rows are sent from now on under the name of this connector.
   * See organization.ts.
   */
  readonly confirmOrganization?: string | undefined;
  /** Digest of the waiting withdrawals that the operator confirms. See guard.ts. */
  readonly confirmWithdrawals?: string | undefined;
}

export interface RunOptions {
  readonly ports: Ports;
  readonly lease: Lease;
  /**
   * Requests that are made in advance. They start when the lease is held, and end before the run
   * ends. The promise never rejects.
   */
  readonly warmUp?: () => Promise<unknown>;
  readonly assignment: Assignment;
  readonly commands: Commands;
  readonly outOfTime: () => boolean;
}

export interface RunOutcome {
  /** Whether another run holds the lease, so that this run did nothing. */
  readonly leaseHeld: boolean;
  readonly results: Map<StreamName, StreamResult>;
  readonly failures: Map<StreamName, Error>;
  /** Whether a stream stopped within a page, because of a failure or the time budget. */
  readonly interrupted: boolean;
}

/** @throws LeaseBusyError when there are commands and another run holds the lease; StateError */
export async function runStreams(options: RunOptions): Promise<RunOutcome> {
  const { ports, assignment, commands } = options;
  const lease = await options.lease.take();
  if (!lease) {
    const { resync, replay, confirmOrganization, confirmWithdrawals: confirmed } = commands;
    if (resync.length + replay.length > 0 || confirmOrganization !== undefined || confirmed !== undefined)
      throw new LeaseBusyError();
    return { leaseHeld: true, results: new Map(), failures: new Map(), interrupted: false };
  }
  const warm = options.warmUp?.();
  try {
    const sequencer = new Sequencer(lease.epoch);
    const run: Run = { ...ports, assignment, lease, sequencer, outOfTime: options.outOfTime };
    const progress = new Progress(run);
    await progress.load(commands);
    const groups = [...new Set(assignment.streams.map(({ group }) => group))];
    await inParallel(groups, group => progress.runGroup(assignment.streams.filter(stream => stream.group === group)));
    await progress.deleteLogs();
    const outcome = progress.outcome();
    await release(run, outcome);
    return outcome;
  } catch (error) {
    const unclear = ports.checkpoints.unclearWrites() > 0;
    await lease.release({ clean: false, unclear }).catch(cause => ports.log.error('The lease was not released', cause));
    throw error;
  } finally {
    await warm;
  }
}

/**
 * Releases the lease. If that fails, the lease was lost or the table is gone, so the outcome of
 * every stream is uncertain and is reported as failed.
 */
async function release(run: Run, { interrupted, results, failures }: RunOutcome): Promise<void> {
  try {
    await run.lease.release({ clean: !interrupted, unclear: run.checkpoints.unclearWrites() > 0 });
  } catch (error) {
    for (const stream of results.keys()) if (!failures.has(stream)) fail(stream, asError(error), run, failures);
  }
}

/** Logs the failure at once, because Lambda may end the run before the other streams have ended. */
function fail(
  stream: StreamName,
  error: Error,
  { lease: { signal }, log }: Run,
  failures: Map<StreamName, Error>,
): void {
  // If the lease was lost, the loss is reported, and not the requests that were aborted because of
  // it.
  const failure = signal.aborted ? asError(signal.reason) : error;
  failures.set(stream, failure);
  log.error('A stream failed', failure, { stream });
}

/** Length of a second walk's turn. After it, new changes are read. */
const TURN_MILLISECONDS = 30_000;
const DAY_MILLISECONDS = 86_400_000;
/**
 * Number of consecutive runs that may end early because answers were unclear, before a stream
 * fails.
 */
const UNCLEAR_RUNS = 2;

/** Runs the streams of a run, and keeps the progress of each stream. */
class Progress {
  readonly #run: Run;
  readonly #logs: ReadonlyMap<StreamName, StreamLogs>;
  readonly #checkpoints = new Map<StreamName, Checkpoint | Error>();
  readonly #passes = new Map<StreamName, ListPass>();
  readonly #results: Map<StreamName, StreamResult>;
  readonly #failures = new Map<StreamName, Error>();
  #interrupted = false;

  constructor(run: Run) {
    this.#run = run;
    this.#results = new Map(run.assignment.streams.map(({ name }) => [name, EMPTY_RESULT]));
    this.#logs = new Map(run.assignment.streams.map(({ name }) => [name, new StreamLogs(run)]));
  }

  /**
   * Reads the checkpoints, repeats unfinished batches of an earlier run, and applies the commands.
   *
   * A stream that cannot begin fails, but the other streams continue.
   */
  async load(commands: Commands): Promise<void> {
    const run = this.#run;
    // Writes of the previous run may still be on their way. After the fence is raised, DynamoDB
    // refuses them. The fence is raised for every stream, including streams that this run leaves
    // out, because the next run will find the lease clean and will not raise it.
    const every = STREAMS.map(({ name }) => name);
    if (run.lease.dirty) await run.checkpoints.fence(every, run.lease.epoch);

    // The check of the organization needs the state of every stream, including streams that this
    // run leaves out, because each of them may hold rows of another organization.
    const saved = await run.checkpoints.load(every);
    const refused = await checkOrganization(saved, commands.confirmOrganization, run).catch(asError);
    await inParallel(run.assignment.streams, async stream => {
      const found = refused ?? saved.streams.get(stream.name)!;
      const begun = found instanceof Error ? found : await this.#begin(stream, found, commands).catch(asError);
      this.#checkpoints.set(stream.name, begun);
    });
    await this.#confirm(commands.confirmWithdrawals);
  }

  async #begin(stream: SyncedStream, { checkpoint, log }: SavedStream, commands: Commands): Promise<Checkpoint> {
    const streamRun = this.#streamRun(stream);
    const isOpen = log !== undefined && log.sequence > checkpoint.committed;
    const redone = isOpen ? await this.#redo(log, streamRun, commands) : undefined;
    if (log && this.#run.lease.dirty) streamRun.logs.inherit(log, redone !== undefined);
    const given = isOpen ? { ...checkpoint, committed: log.sequence } : checkpoint;
    return await applyCommands(commands, redone ?? given, streamRun);
  }

  /**
   * @returns undefined if the log's object is missing but a replay sends every row again, so that
   * the batch is not needed
   */
  async #redo(log: LogEntry, streamRun: StreamRun, { replay, since }: Commands): Promise<Checkpoint | undefined> {
    try {
      return await redoBatch(log, streamRun);
    } catch (error) {
      const isWholeReplay = replay.includes(streamRun.stream.name) && since === undefined;
      if (isWholeReplay && error instanceof LogMissingError) return undefined;
      throw error;
    }
  }

  async #confirm(digest: string | undefined): Promise<void> {
    if (digest === undefined) return;
    const { hash, assignment } = this.#run;
    const known = assignment.streams.flatMap(stream => {
      const checkpoint = this.#checkpoints.get(stream.name)!;
      return checkpoint instanceof Error ? [] : [[stream, checkpoint] as const];
    });
    const shown = withdrawalsDigest(
      known.map(([{ name }, checkpoint]) => [name, checkpoint]),
      hash,
    );
    if (shown !== digest) throw new OutdatedWithdrawalsError();
    for (const [stream, checkpoint] of known) {
      if (!checkpoint.second?.waiting) continue;
      this.#checkpoints.set(stream.name, await saveCheckpoint(confirmWithdrawals(checkpoint), this.#streamRun(stream)));
    }
  }

  /**
   * Deletes the logs of finished batches, because they contain rows. If the deletion fails, the
   * next run finds the lease dirty and deletes the logs.
   */
  async deleteLogs(): Promise<void> {
    const deleted = await inParallel([...this.#logs.values()], logs => logs.delete());
    if (deleted.includes(false)) this.#interrupted = true;
  }

  outcome(): RunOutcome {
    const { signal } = this.#run.lease;
    // A stream may have failed because the lease was lost, before the loss was noticed.
    if (signal.aborted && signal.reason instanceof LeaseLostError) {
      for (const name of this.#failures.keys()) this.#failures.set(name, signal.reason);
    }
    this.#noteUnclear();
    this.#noteWaiting();
    return {
      leaseHeld: false,
      results: this.#results,
      failures: this.#failures,
      interrupted: this.#interrupted,
    };
  }

  /**
   * Counts the streams that the run ended early because of an unclear answer. The next run
   * continues them. If many consecutive runs end in this way, the connection to DynamoDB is bad, so
   * the stream fails.
   */
  #noteUnclear(): void {
    if (this.#run.checkpoints.unclearWrites() === 0) return;
    const { unclearRuns } = this.#run.lease;
    for (const [stream, { caughtUp, readsAgain }] of this.#results) {
      const isCut = !caughtUp || readsAgain;
      if (!isCut || this.#failures.has(stream)) continue;
      this.#count(stream, { unclearWrites: 1 });
      if (unclearRuns >= UNCLEAR_RUNS) fail(stream, new UnclearWritesError(unclearRuns + 1), this.#run, this.#failures);
    }
  }

  #noteWaiting(): void {
    const known = [...this.#checkpoints].flatMap(([stream, checkpoint]) =>
      checkpoint instanceof Error ? [] : [[stream, checkpoint] as const],
    );
    for (const [stream, { own, children }] of waitingWithdrawalsOf(known))
      this.#count(stream, { withdrawalsWaiting: own + children });
  }

  /**
   * Streams of one group run one after the other, and second walks take turns with them, so that
   * new changes never wait for the end of a second walk.
   */
  async runGroup(group: readonly SyncedStream[]): Promise<void> {
    for (const stream of group) await this.#attempt(stream, () => this.#walk(stream, group));
    for (;;) {
      const turnEnds = this.#run.clock.now() + TURN_MILLISECONDS;
      let isOpen = false;
      for (const stream of group)
        await this.#attempt(stream, async () => {
          isOpen = (await this.#secondWalk(stream, turnEnds)) || isOpen;
        });
      if (!isOpen || this.#isOver()) break;
      for (const stream of group) await this.#attempt(stream, () => this.#walk(stream, group));
    }
    for (const stream of group) await this.#leave(stream);
    for (const stream of group) await this.#attempt(stream, () => this.#refresh(stream));
  }

  readonly #isOver = (): boolean => this.#run.outOfTime() || this.#run.checkpoints.unclearWrites() > 0;

  /**
   * Runs the action, unless the stream has failed or the run is over. A stream whose checkpoint
   * could not be loaded fails, even if the time is used up.
   */
  async #attempt(stream: SyncedStream, action: () => Promise<void>): Promise<void> {
    const isRefused = this.#checkpoints.get(stream.name) instanceof Error;
    if (this.#failures.has(stream.name) || (this.#isOver() && !isRefused)) return;
    try {
      await action();
    } catch (error) {
      this.#failed(stream, asError(error));
    }
  }

  async #walk(stream: SyncedStream, group: readonly SyncedStream[]): Promise<void> {
    const streamRun = this.#streamRun(stream);
    const parents = group.find(({ name }) => name === stream.cascadesFrom);
    let isDone = true;
    if (parents && this.#results.get(parents.name)!.caughtUp) {
      const outcome = await withdraw(parents, this.#checkpoint(stream), streamRun);
      this.#checkpoints.set(stream.name, outcome.checkpoint);
      isDone = outcome.isDone;
    }
    this.#count(stream.name, { caughtUp: false });
    if (isDone) this.#checkpoints.set(stream.name, await walk(this.#checkpoint(stream), streamRun));
  }

  /** @returns whether the second walk can read more pages now */
  async #secondWalk(stream: SyncedStream, turnEnds: number): Promise<boolean> {
    const { clock } = this.#run;
    const { caughtUp, stalledCursors } = this.#results.get(stream.name)!;
    // If the API leads the walk around a circle, the walk gets no further, so the second walk need
    // not wait for it.
    if (!caughtUp && stalledCursors === 0) return false;
    const isOver = () => this.#isOver() || clock.now() >= turnEnds;

    let checkpoint = await this.#reconcile(stream);
    while (isSecondWalkDue(checkpoint, clock.now()) && !isOver()) {
      checkpoint = await this.#continue(stream, checkpoint, isOver);
      this.#checkpoints.set(stream.name, checkpoint);
    }
    return isSecondWalkDue(checkpoint, clock.now());
  }

  #continue(stream: SyncedStream, checkpoint: Checkpoint, isOver: () => boolean): Promise<Checkpoint> {
    const streamRun = this.#streamRun(stream);
    if (checkpoint.second!.phase === 'withdraw') return withdrawAgain(checkpoint, streamRun, isOver);
    if (checkpoint.second!.phase === 'sweep') {
      const child = childStreamOf(stream.name);
      const children = child && this.#checkpoints.get(child.name);
      const counts = children instanceof Error ? undefined : children?.counts;
      return sweep(checkpoint, counts, streamRun, isOver);
    }
    const before = this.#passes.get(stream.name);
    const pass = before?.continues(checkpoint) ? before : new ListPass(checkpoint, streamRun);
    this.#passes.set(stream.name, pass);
    return pass.read(checkpoint, isOver);
  }

  /** Begins a second walk when the last second walk began longer than `reconcileDays` ago. */
  async #reconcile(stream: SyncedStream): Promise<Checkpoint> {
    const { assignment, clock, lease } = this.#run;
    const checkpoint = this.#checkpoint(stream);
    const { reconcileDays } = assignment;
    if (reconcileDays === undefined || !stream.hasRowStates || checkpoint.second) return checkpoint;

    const now = clock.now();
    const { reconciled } = checkpoint;
    if (reconciled !== undefined && now - reconciled < reconcileDays * DAY_MILLISECONDS) return checkpoint;
    // In the first run with the option the days begin to count, so that setting the option does not
    // start a second walk at once.
    const next =
      reconciled === undefined
        ? { ...checkpoint, reconciled: now }
        : beginSecondWalk(checkpoint, { mode: 'differences', now, epoch: lease.epoch });
    const saved = await saveCheckpoint(next, this.#streamRun(stream));
    this.#checkpoints.set(stream.name, saved);
    return saved;
  }

  /**
   * Saves the place at which the run leaves an unfinished pass, and records that there is more to
   * read.
   */
  async #leave(stream: SyncedStream): Promise<void> {
    const checkpoint = this.#checkpoints.get(stream.name)!;
    if (checkpoint instanceof Error || this.#failures.has(stream.name)) return;
    try {
      const pass = this.#passes.get(stream.name);
      const isLeft = pass?.continues(checkpoint) && this.#run.checkpoints.unclearWrites() === 0;
      if (pass && isLeft) this.#checkpoints.set(stream.name, await pass.leave());
      if (isSecondWalkDue(this.#checkpoint(stream), this.#run.clock.now()))
        this.#count(stream.name, { readsAgain: true });
    } catch (error) {
      this.#failed(stream, asError(error));
    }
  }

  async #refresh(stream: SyncedStream): Promise<void> {
    const { refreshDays } = this.#run.assignment;
    const checkpoint = this.#checkpoint(stream);
    const isCaughtUp = this.#results.get(stream.name)!.caughtUp;
    // A second walk that sends everything again already refreshes every row.
    if (refreshDays === undefined || !stream.hasRowStates || !isCaughtUp || checkpoint.second?.mode === 'all') return;
    this.#checkpoints.set(stream.name, await refresh(refreshDays, checkpoint, this.#streamRun(stream)));
  }

  #streamRun(stream: SyncedStream): StreamRun {
    const count = (counts: Partial<StreamResult>) => this.#count(stream.name, counts);
    return { stream, run: this.#run, count, logs: this.#logs.get(stream.name)!, isOver: this.#isOver };
  }

  #count(stream: StreamName, counts: Partial<StreamResult>): void {
    this.#results.set(stream, addCounts(this.#results.get(stream)!, counts));
  }

  #checkpoint({ name }: SyncedStream): Checkpoint {
    const checkpoint = this.#checkpoints.get(name)!;
    if (checkpoint instanceof Error) throw checkpoint;
    return checkpoint;
  }

  /**
   * Records the failure of a stream. A stream that is merely slow continues in the next run. A
   * stream that made no progress has stalled, so it counts as failed.
   */
  #failed({ name: stream }: SyncedStream, error: Error): void {
    this.#interrupted = true;
    if (error instanceof OutOfTimeError) {
      const { committedPages, withdrawn, pagesAgain } = this.#results.get(stream)!;
      if (committedPages + withdrawn + pagesAgain > 0) {
        this.#run.log.warn(error.message, { stream });
        return;
      }
    }
    fail(stream, error, this.#run, this.#failures);
  }
}

/**
 * Longest time between the start of a run, from which its epoch is made, and its last event,
 * because no run takes longer than 15 minutes.
 */
const LATE_MILLISECONDS = 900_000;

/**
 * Applies a resync, a replay or a changed filter, each of which reads the stream again. If the
 * stream has row states, a second walk reads the stream again, in addition to the walk. Otherwise
 * the walk itself begins again, and only the window keeps blocks from being sent twice:
 *
 *     filter before   severity == 'high'     read: t1 high, t2 low       sent: t1
 *     filter now      severity == 'low'      read again: t1, t2          sent: t1 withdrawn, t2
 */
async function applyCommands(commands: Commands, before: Checkpoint, streamRun: StreamRun): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  const isReplay = commands.replay.includes(stream.name);
  const isResync = isReplay || commands.resync.includes(stream.name);
  const filter = stream.filter?.tag ?? '';
  const isBegun = before.cursor !== undefined || before.window.length > 0 || before.committed !== '';
  const isFilterChanged = filter !== before.filter && isBegun && stream.hasRowStates;
  if (!isResync && !isFilterChanged) return { ...before, filter };

  const mode = isReplay ? 'all' : 'differences';
  const isSince = isReplay && commands.since !== undefined;
  const since = isSince ? commands.since - LATE_MILLISECONDS : undefined;
  const begin = { mode, now: run.clock.now(), epoch: run.lease.epoch, isFilterChanged, since } as const;
  // The names of members may have changed, so they are searched for again.
  const named = isResync ? { ...before, filter, names: {} } : { ...before, filter };
  const begun = stream.hasRowStates ? beginSecondWalk(named, begin) : beginBlocksAgain(named, { ...begin, isReplay });
  run.log.info(
    isReplay
      ? 'Replay: the stream is sent again from the beginning'
      : isResync
        ? 'Resync: the stream is read again'
        : 'The filter, or what it leaves out, has changed: the stream is read again from the beginning',
    { stream: stream.name },
  );
  return saveCheckpoint(begun, streamRun);
}

/**
 * Makes the walk itself read the DNS blocks again, because they have no row states. Only a replay
 * of blocks since a given time is a second walk, because the walk must not pass over an earlier
 * block that is new.
 */
function beginBlocksAgain(
  before: Checkpoint,
  { isReplay, ...begin }: SecondWalkStart & { readonly isReplay: boolean },
): Checkpoint {
  const { window } = before;
  if (isReplay && begin.since !== undefined) return { ...beginSecondWalk(before, begin), window };
  const beginning = { ...before, cursor: undefined, previous: undefined };
  return isReplay ? { ...beginning, second: undefined, window: [] } : beginning;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something that is not an error was thrown', { cause: error });
}
