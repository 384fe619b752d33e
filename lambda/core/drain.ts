/**
 * Drains one stream: read page → classify against what was forwarded → forward → record → checkpoint → next page.
 *
 * While a page is committed, the next is being looked up and planned, and the one after fetched. Commits stay in order,
 * and so do the steps of each: in-flight note and memberships → dead letters → Firehose's ack of every line → row states
 * → checkpoint. A kill between any two of them loses nothing.
 */
import type { InFlightBatch } from '../ports.ts';
import type { Memory, Recollection } from './memory.ts';
import { type Plan, planPage } from './plan.ts';
import { type BadRow, type Row, readRow, rowCut } from './row.ts';
import type { NamedStream, Run, StreamResult } from './run.ts';
import { type WalkedPage, walk } from './walk.ts';

export type DrainedStream = NamedStream & { readonly path: string };

export async function drain(stream: DrainedStream, memory: Memory, run: Run, result: StreamResult): Promise<void> {
  let committing: Promise<void> = Promise.resolve();
  try {
    for await (const page of pages(stream, memory, run, result)) {
      run.lease.signal.throwIfAborted();
      if (page.rewound) {
        await committing;
        await rewind(page, stream, memory, run);
      }
      const prepared = await prepare(page, stream, memory, run, result);
      await committing;
      committing = commit(prepared, stream, memory, run, result);
      committing.catch(() => undefined);
      const stalled = page.repeats && !prepared.news;
      if (stalled) result.stalledCursors++;
      if (page.next === null || stalled) {
        await committing;
        await arrive(stream, memory, run);
        result.caughtUp = true;
        return;
      }
      if (run.outOfTime()) break;
    }
  } finally {
    await committing;
  }
}

/**
 * Saved before a row of the rewound walk is sent. It may send an older version of a row; were the run killed then and the
 * refused cursor accepted after all, the newer version would never be read again.
 */
async function rewind(page: WalkedPage, stream: DrainedStream, memory: Memory, run: Run): Promise<void> {
  const checkpoint = memory.advance({ cursor: page.sent, previous: undefined });
  await run.checkpoints.save(stream.name, checkpoint, run.lease.epoch);
}

/** What a resync was mending is mended once the walk has reached the end. */
async function arrive(stream: DrainedStream, memory: Memory, run: Run): Promise<void> {
  if (!memory.checkpoint.mending) return;
  await run.checkpoints.save(stream.name, memory.advance({ mending: false }), run.lease.epoch);
}

function pages(stream: DrainedStream, memory: Memory, run: Run, result: StreamResult): AsyncIterable<WalkedPage> {
  const { cursor, previous, names } = memory.checkpoint;
  return walk({
    source: run.source,
    clock: run.clock,
    path: stream.path,
    cut: rowCut(stream, run.assignment.ownerMember),
    cursor,
    previous,
    limit: run.assignment.pageLimit,
    configuredNames: run.assignment.configuredNames,
    learnedNames: names,
    signal: run.lease.signal,
    onRefusedCursor: () => {
      result.refusedCursors++;
      run.log.warn('The API refused a cursor; the walk falls back to an earlier one', { stream: stream.name });
    },
  });
}

interface PreparedPage {
  readonly page: WalkedPage;
  readonly plan: Plan;
  readonly batch: InFlightBatch | undefined;
  /** The window as it stands after this page, and not after a later one. */
  readonly window: string[] | undefined;
  /** Whether the page brought anything that was not known. */
  readonly news: boolean;
}

async function prepare(
  page: WalkedPage,
  stream: DrainedStream,
  memory: Memory,
  run: Run,
  result: StreamResult,
): Promise<PreparedPage> {
  const rows = sift(page, stream, memory, run);
  result.pages++;
  result.rows += page.rows.length;
  result.suppressed += rows.swallowed;
  result.superseded += rows.superseded;
  const recollection = await lookUp(rows.unknown, stream, memory, run);
  const plan = planPage({
    stream,
    rows: rows.unknown,
    badRows: rows.bad,
    recall: row => memory.recall(row, recollection),
    generation: memory.checkpoint.generation,
    sequencer: run.sequencer,
    context: eventContext(run),
    locate: letter => run.deadLetters.locate(letter),
  });
  result.suppressed += plan.counts.suppressed;
  result.unseenTombstones += plan.counts.unseenTombstones;
  memory.pend(plan.states);
  const batch = await announce(plan, stream, memory, run);
  // An older version may come again when a walk begins anew, and is sent, since it differs: then what the window holds of
  // the versions after it must not swallow them.
  if (stream.memory === 'row-states') memory.window.forget(plan.forwardedIds);
  const moved = memory.window.settle(rows.fingerprints);
  const news = plan.lines.length + plan.deadLetters.length + plan.states.size > 0;
  return { page, plan, batch, window: moved ? memory.window.snapshot() : undefined, news };
}

interface SiftedRows {
  /** Rows that the window does not know: of several with one id, the last. */
  readonly unknown: Row[];
  readonly bad: BadRow[];
  readonly swallowed: number;
  readonly superseded: number;
  /** Of all rows, also of those that a later row of the page superseded. */
  readonly fingerprints: (string | undefined)[];
}

function sift({ rows: elements }: WalkedPage, stream: DrainedStream, memory: Memory, run: Run): SiftedRows {
  const last = new Map<string, Row>();
  const bad = new Map<string, BadRow>();
  const fingerprints: (string | undefined)[] = [];
  for (const element of elements) {
    const row = readRow(element, stream, run.hash);
    fingerprints.push(row.fingerprint);
    if ('reason' in row) bad.set(row.digest, row);
    else {
      last.delete(row.id);
      last.set(row.id, row);
    }
  }
  // Of an id in doubt the SIEM may hold another version than the window: it is sent again, whatever the window knows.
  const unknown = [...last.values()].filter(
    row => !memory.window.has(row.fingerprint) || memory.inFlight.doubts(row.id),
  );
  const unknownBad = [...bad.values()].filter(row => !memory.window.has(row.fingerprint));
  const swallowed = last.size - unknown.length + bad.size - unknownBad.length;
  return { unknown, bad: unknownBad, swallowed, superseded: elements.length - last.size - bad.size, fingerprints };
}

async function lookUp(rows: readonly Row[], stream: DrainedStream, memory: Memory, run: Run): Promise<Recollection> {
  const decided = memory.decided(rows);
  const ids = stream.memory === 'window' ? [] : rows.map(row => row.id).filter(id => !decided.has(id));
  return { decided, stored: ids.length === 0 ? new Map() : await run.rowStates.get(stream.name, ids) };
}

/** Tells the table what is about to be sent, before any of it is. */
async function announce(plan: Plan, stream: DrainedStream, memory: Memory, run: Run) {
  const remembers = stream.memory === 'row-states' && plan.lines.length > 0;
  const batch = remembers ? memory.inFlight.open(plan.forwardedIds, plan.lastSequence) : undefined;
  await Promise.all([
    batch && run.checkpoints.saveInFlight(stream.name, memory.inFlight.toSave(), run.lease.epoch),
    plan.memberships.length > 0 && run.memberships.put(stream.name, plan.memberships, run.lease.guard),
  ]);
  return batch;
}

async function commit(
  { page, plan, batch, window }: PreparedPage,
  stream: DrainedStream,
  memory: Memory,
  run: Run,
  result: StreamResult,
): Promise<void> {
  await Promise.all(plan.deadLetters.map(letter => run.deadLetters.store(letter)));
  result.deadLetters += plan.deadLetters.length;
  if (plan.lines.length > 0) result.throttledMilliseconds += await run.delivery.deliver(plan.lines);
  result.forwarded += plan.counts.forwarded;
  result.tombstones += plan.counts.tombstones;
  result.oversize += plan.counts.oversize;
  result.withoutOwner += plan.counts.withoutOwner;
  await record(plan, stream, run);
  await saveCheckpoint(page, plan, window, stream, memory, run);
  memory.recorded(plan.states, batch);
}

/** Tombstones are listed before the states say "removed": a state alone would suppress the tombstone when it comes again. */
async function record({ tombstones, states }: Plan, stream: DrainedStream, run: Run): Promise<void> {
  const { guard } = run.lease;
  if (tombstones.length > 0) await run.withdrawals.add(stream.name, tombstones, guard);
  if (states.size > 0) await run.rowStates.put(stream.name, states, guard);
}

/** Saves the newest non-null cursor; a page that changed nothing writes nothing. */
async function saveCheckpoint(
  page: WalkedPage,
  plan: Plan,
  window: string[] | undefined,
  stream: DrainedStream,
  memory: Memory,
  run: Run,
): Promise<void> {
  const before = memory.checkpoint;
  const cursor = page.next ?? page.sent;
  const moved = cursor !== before.cursor;
  const learned = page.names.rows !== before.names.rows || page.names.pagination !== before.names.pagination;
  if (!moved && !learned && !window && plan.lines.length === 0) return;
  // The cursor that was sent has just worked: the one to fall back to.
  const previous = moved ? (page.next === null ? undefined : page.sent) : before.previous;
  const after = memory.advance({
    cursor,
    previous,
    names: page.names,
    window: window ?? before.window,
    settled: newest(before.settled, plan.lastSequence),
  });
  await run.checkpoints.save(stream.name, after, run.lease.epoch);
}

function newest(one: string, other: string): string {
  return one < other ? other : one;
}

export function eventContext(run: Run) {
  return {
    connector: run.assignment.connector,
    forwardedAt: new Date(run.clock.now()).toISOString(),
    hash: run.hash,
  };
}
