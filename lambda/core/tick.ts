/**
 * One run over all streams, under one lease: assets → withdrawals → threats, one after the other, and DNS blocks beside
 * them. A failing stream does not stop the others.
 */
import type { Checkpoint, HeldLease, Lease, StreamMemory } from '../ports.ts';
import { type DrainedStream, STREAMS, type StreamName } from '../streams.ts';
import { drain } from './drain.ts';
import type { Draining } from './draining.ts';
import { LeaseBusyError, LeaseLostError, OutOfTimeError } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import type { LetterPlace } from './letter.ts';
import { Memory } from './memory.ts';
import { type LetterOutcome, redrive } from './redrive.ts';
import { type Assignment, emptyResult, type Run, type StreamResult, type World } from './run.ts';
import { Sequencer } from './sequence.ts';
import { withdraw } from './withdraw.ts';

/** What an operator may ask for besides the walk. */
export interface Commands {
  /** Read everything again, send only what differs. */
  readonly resync: readonly StreamName[];
  /** Send everything again once, for a SIEM that lost its data. */
  readonly replay: readonly StreamName[];
  /** Dead letters to try again once their streams are drained. */
  readonly redrive?: readonly LetterPlace[];
}

export interface TickOptions {
  readonly world: World;
  readonly lease: Lease;
  /** Started once the lease is held, and ended before the run is. Never rejects. */
  readonly warmUp?: () => Promise<unknown>;
  readonly assignment: Assignment;
  readonly commands: Commands;
  readonly outOfTime: () => boolean;
}

export interface TickOutcome {
  /** Another run holds the lease: nothing was done. */
  readonly leaseHeld: boolean;
  readonly results: Map<StreamName, StreamResult>;
  readonly failures: Map<StreamName, Error>;
  /** What became of each dead letter that was ordered to be tried again, and was reached. */
  readonly letters: readonly LetterOutcome[];
  /** A stream stopped amid a page: by a failure, or by the time budget. Some of its writes may still be under way. */
  readonly interrupted: boolean;
}

/** @throws LeaseBusyError when there are commands and another run holds the lease; StateError */
export async function tick(options: TickOptions): Promise<TickOutcome> {
  const { world, assignment, commands } = options;
  const lease = await options.lease.take();
  if (!lease) {
    const ordered = [commands.resync, commands.replay, commands.redrive ?? []];
    if (ordered.some(each => each.length > 0)) throw new LeaseBusyError();
    return { leaseHeld: true, results: new Map(), failures: new Map(), letters: [], interrupted: false };
  }
  const warm = options.warmUp?.();
  try {
    const run: Run = {
      ...world,
      assignment,
      lease,
      sequencer: new Sequencer(lease.epoch),
      outOfTime: options.outOfTime,
    };
    const outcome = await drainAll(run, await load(run, lease, commands), commands.redrive ?? []);
    await giveBack(lease, outcome);
    return outcome;
  } catch (error) {
    await lease.release({ clean: false }).catch(cause => world.log.error('The lease was not given back', cause));
    throw error;
  } finally {
    await warm;
  }
}

/** What cannot be given back was lost, or the table is gone: each stream's outcome is in doubt, and is told as failed. */
async function giveBack(lease: HeldLease, { interrupted, results, failures }: TickOutcome): Promise<void> {
  try {
    await lease.release({ clean: !interrupted });
  } catch (error) {
    for (const stream of results.keys()) if (!failures.has(stream)) failures.set(stream, asError(error));
  }
}

type Memories = Map<StreamName, Memory | Error>;

async function load(run: Run, lease: HeldLease, commands: Commands): Promise<Memories> {
  const { streams, pageLimit } = run.assignment;
  const names = streams.map(each => each.name);
  // The run before may still have writes under way: once the fence is raised, none of them can land.
  // Of every stream, also of those that are left out of this run: the next one will find the lease clean.
  if (lease.unclean)
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

async function obey(commands: Commands, stream: StreamName, memory: StreamMemory | Error, run: Run) {
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
    settled: before?.settled ?? '',
    mending: true,
  };
  if (unreadable) await checkpoints.saveInFlight(stream, [], lease.epoch);
  await checkpoints.save(stream, checkpoint, lease.epoch);
  log.info(replay ? 'Replay: the stream is sent again from the beginning' : 'Resync: the stream is read again', {
    stream,
  });
  return { checkpoint, inFlight: unreadable ? [] : memory.inFlight };
}

async function drainAll(run: Run, memories: Memories, redrive: readonly LetterPlace[]): Promise<TickOutcome> {
  const results = new Map(run.assignment.streams.map(each => [each.name, emptyResult()]));
  const failures = new Map<StreamName, Error>();
  const lanes = Map.groupBy(run.assignment.streams, each => each.lane);
  const progress: Progress = { memories, results, failures, redrive, letters: [], interrupted: false };
  await inParallel([...lanes.values()], lane => drainLane(lane, run, progress));
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
  readonly redrive: readonly LetterPlace[];
  readonly letters: LetterOutcome[];
  interrupted: boolean;
}

async function drainLane(lane: readonly DrainedStream[], run: Run, progress: Progress): Promise<void> {
  for (const stream of lane) {
    if (run.outOfTime()) return;
    try {
      await drainStream(stream, lane, run, progress);
    } catch (error) {
      progress.interrupted = true;
      if (error instanceof OutOfTimeError && isProgress(error, progress.results.get(stream.name)!)) {
        run.log.warn(error.message, { stream: stream.name });
      } else progress.failures.set(stream.name, asError(error));
    }
  }
}

async function drainStream(stream: DrainedStream, lane: readonly DrainedStream[], run: Run, progress: Progress) {
  const memory = readable(progress.memories.get(stream.name)!);
  const draining: Draining = { stream, memory, run, result: progress.results.get(stream.name)! };
  const owners = lane.find(each => each.name === stream.vanishesWith);
  const withdrawn = owners ? await withdrawFor(owners, draining, progress) : true;
  if (withdrawn) await drain(draining);
  const letters = progress.redrive.filter(each => each.stream === stream.name);
  await redrive(letters, progress.letters, draining);
}

/** @returns whether there is time left for the stream itself */
async function withdrawFor(owners: DrainedStream, { stream, memory, run, result }: Draining, progress: Progress) {
  if (!progress.results.get(owners.name)!.caughtUp) return true;
  const ownersMemory = readable(progress.memories.get(owners.name)!);
  return withdraw({ owners, ownersMemory, stream, memory, run, result });
}

function readable(memory: Memory | Error): Memory {
  if (memory instanceof Error) throw memory;
  return memory;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Something that is no error was thrown', { cause: error });
}
