/**
 * One run over all streams, under one lease: assets → withdrawals → threats, one after the other, and DNS blocks beside
 * them. A failing stream does not stop the others.
 */
import type { Checkpoint, HeldLease, Lease, SavedStream } from '../ports.ts';
import { STREAMS, type StreamName, type SyncedStream } from '../streams.ts';
import type { DeadLetterKey } from './dead-letter.ts';
import type { StreamRun } from './draining.ts';
import { LeaseBusyError, LeaseLostError, OutOfTimeError } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import { type RedriveOutcome, redrive } from './redrive.ts';
import { type Assignment, emptyResult, type Ports, type Run, type StreamResult } from './run.ts';
import { Sequencer } from './sequence.ts';
import { Memory } from './stream-state.ts';
import { drain } from './sync.ts';
import { withdraw } from './withdraw.ts';

/** What an operator may ask for besides the walk. */
export interface Commands {
  /** Read everything again, send only what differs. */
  readonly resync: readonly StreamName[];
  /** Send everything again once, for a SIEM that lost its data. */
  readonly replay: readonly StreamName[];
  /** Dead letters to try again once their streams are drained. */
  readonly redrive?: readonly DeadLetterKey[];
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
  /** What became of each dead letter that was ordered to be tried again, and was reached. */
  readonly letters: readonly RedriveOutcome[];
  /** A stream stopped amid a page: by a failure, or by the time budget. Some of its writes may still be under way. */
  readonly interrupted: boolean;
}

/** @throws LeaseBusyError when there are commands and another run holds the lease; StateError */
export async function runStreams(options: RunOptions): Promise<RunOutcome> {
  const { ports, assignment, commands } = options;
  const lease = await options.lease.take();
  if (!lease) {
    const commanded = [commands.resync, commands.replay, commands.redrive ?? []];
    if (commanded.some(each => each.length > 0)) throw new LeaseBusyError();
    return { leaseHeld: true, results: new Map(), failures: new Map(), letters: [], interrupted: false };
  }
  const warm = options.warmUp?.();
  try {
    const run: Run = {
      ...ports,
      assignment,
      lease,
      sequencer: new Sequencer(lease.epoch),
      outOfTime: options.outOfTime,
    };
    const outcome = await drainAll(run, await load(run, lease, commands), commands.redrive ?? []);
    await giveBack(lease, run, outcome);
    return outcome;
  } catch (error) {
    await lease.release({ clean: false }).catch(cause => ports.log.error('The lease was not given back', cause));
    throw error;
  } finally {
    await warm;
  }
}

/** What cannot be given back was lost, or the table is gone: each stream's outcome is in doubt, and is told as failed. */
async function giveBack(lease: HeldLease, run: Run, { interrupted, results, failures }: RunOutcome): Promise<void> {
  try {
    await lease.release({ clean: !interrupted });
  } catch (error) {
    for (const stream of results.keys()) if (!failures.has(stream)) fail(stream, error, run, { failures });
  }
}

type Memories = Map<StreamName, Memory | Error>;

async function load(run: Run, lease: HeldLease, commands: Commands): Promise<Memories> {
  const { streams, pageLimit } = run.assignment;
  const names = streams.map(each => each.name);
  // The run before may still have writes under way: once the fence is raised, none of them can land.
  // Of every stream, also of those that are left out of this run: the next one will find the lease clean.
  if (lease.dirty)
    await run.checkpoints.fence(
      STREAMS.map(each => each.name),
      lease.epoch,
    );
  const stored = await run.checkpoints.load(names);
  const memories: Memories = new Map();
  for (const name of names) {
    const memory = await obey(commands, name, stored.get(name)!, run);
    memories.set(name, memory instanceof Error ? memory : new Memory(memory, pageLimit));
  }
  return memories;
}

async function obey(commands: Commands, stream: StreamName, memory: SavedStream | Error, run: Run) {
  const replay = commands.replay.includes(stream);
  if (!replay && !commands.resync.includes(stream)) return memory;
  const immutable = run.assignment.streams.some(each => each.name === stream && each.memory === 'window');
  const { lease, log, checkpoints } = run;
  // What cannot be read says nothing about what the SIEM has: then only sending everything again is safe.
  const unreadable = memory instanceof Error;
  const before = unreadable ? undefined : memory.checkpoint;
  const checkpoint: Checkpoint = {
    cursor: undefined,
    previous: undefined,
    window: replay || !immutable ? [] : (before?.window ?? []),
    generation: replay || unreadable ? lease.epoch : before!.generation,
    names: {},
    committed: before?.committed ?? '',
    repairing: true,
  };
  if (unreadable) await checkpoints.saveIntents(stream, [], lease.epoch);
  await checkpoints.save(stream, checkpoint, lease.epoch);
  log.info(replay ? 'Replay: the stream is sent again from the beginning' : 'Resync: the stream is read again', {
    stream,
  });
  return { checkpoint, intents: unreadable ? [] : memory.intents };
}

async function drainAll(run: Run, memories: Memories, redrive: readonly DeadLetterKey[]): Promise<RunOutcome> {
  const results = new Map(run.assignment.streams.map(each => [each.name, emptyResult()]));
  const failures = new Map<StreamName, Error>();
  const groups = Map.groupBy(run.assignment.streams, each => each.group);
  const progress: Progress = { memories, results, failures, redrive, letters: [], interrupted: false };
  await inParallel([...groups.values()], group => drainLane(group, run, progress));
  const lost = run.lease.signal.aborted ? run.lease.signal.reason : undefined;
  // The cause, not its echoes: a request that was aborted because the lease went says so in its own words.
  if (lost instanceof LeaseLostError) for (const name of failures.keys()) failures.set(name, lost);
  return { leaseHeld: false, results, failures, letters: progress.letters, interrupted: progress.interrupted };
}

/** A stream that is merely slow goes on in the next run. One that gets nowhere has stalled, and must be told as failed. */
function isProgress({ throttledMilliseconds }: OutOfTimeError, result: StreamResult): boolean {
  result.throttledMilliseconds += throttledMilliseconds;
  return result.settledPages + result.withdrawn > 0;
}

interface Progress {
  readonly memories: Memories;
  readonly results: Map<StreamName, StreamResult>;
  readonly failures: Map<StreamName, Error>;
  readonly redrive: readonly DeadLetterKey[];
  readonly letters: RedriveOutcome[];
  interrupted: boolean;
}

/** Logged now: Lambda may end the run before the other streams have ended. */
function fail(stream: StreamName, error: unknown, run: Run, { failures }: Pick<Progress, 'failures'>): void {
  const failure = run.lease.signal.aborted ? asError(run.lease.signal.reason) : asError(error);
  failures.set(stream, failure);
  run.log.error('A stream failed', failure, { stream });
}

async function drainLane(group: readonly SyncedStream[], run: Run, progress: Progress): Promise<void> {
  for (const stream of group) {
    if (run.outOfTime()) return;
    try {
      await drainStream(stream, group, run, progress);
    } catch (error) {
      progress.interrupted = true;
      if (error instanceof OutOfTimeError && isProgress(error, progress.results.get(stream.name)!)) {
        run.log.warn(error.message, { stream: stream.name });
      } else fail(stream.name, error, run, progress);
    }
  }
}

async function drainStream(stream: SyncedStream, group: readonly SyncedStream[], run: Run, progress: Progress) {
  const memory = readable(progress.memories.get(stream.name)!);
  const streamRun: StreamRun = { stream, memory, run, result: progress.results.get(stream.name)! };
  const parents = group.find(each => each.name === stream.cascadesFrom);
  const withdrawn = parents ? await withdrawFor(parents, streamRun, progress) : true;
  if (withdrawn) await drain(streamRun);
  const letters = progress.redrive.filter(each => each.stream === stream.name);
  await redrive(letters, progress.letters, streamRun);
}

/** @returns whether there is time left for the stream itself */
async function withdrawFor(parents: SyncedStream, { stream, memory, run, result }: StreamRun, progress: Progress) {
  if (!progress.results.get(parents.name)!.caughtUp) return true;
  const parentsState = readable(progress.memories.get(parents.name)!);
  return withdraw({ parents, parentsState, stream, memory, run, result });
}

function readable(memory: Memory | Error): Memory {
  if (memory instanceof Error) throw memory;
  return memory;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something that is no error was thrown', { cause: error });
}
