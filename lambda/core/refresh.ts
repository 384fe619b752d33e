/**
 * Sends every row that exists again before the SIEM forgets it: the option `refreshDays`. SIEMs keep events for so many days, and an asset
 * that never changes would leave "what exists now" when its last event does.
 *
 * A second walk reads the stream from its beginning, slowly and evenly, pass after pass, and repeats what the SIEM has. With `refreshDays`
 * 10 a pass takes 3.17 days. A row is repeated in a pass if it was sent a pass or longer before the pass began:
 *
 *     first pass   at once            counts the rows, sends nothing: 400
 *     pass 1       day 0 to 3.17      row t, sent at day 1 by its change, is read: not old enough
 *     pass 2       day 3.17 to 6.33   t was sent 2.17 days before the pass began: not old enough
 *     pass 3       day 6.33 to 9.5    t was sent 5.33 days before: repeated, at the age of 8.5 days at most
 *
 * So a row waits for less than three passes: one until it is old enough, at most one until the next pass begins, and one until it is read.
 * When more rows come than the pass before had, the rest is read at the end of the pass. After a pause the pass continues evenly from where
 * it was. After one that is longer than a pass the rows are counted again.
 *
 * It comes after the walk of every stream of its group, so it holds no change up. It sends a row only while the row's state says that the
 * SIEM has exactly this: a row that changed meanwhile is sent by its change, and one that was removed or withheld is not revived. Its events
 * say `refresh`, and have an `event_id` of their own that a repeat after a kill shares.
 */
import type { Hash, RefreshProgress, RowState } from '../ports.ts';
import { PAUSE, passMilliseconds, REFRESH_PAGES, refreshLimit } from '../refresh-pace.ts';
import { sendAndCommit } from './commit.ts';
import {
  batchOf,
  decideRow,
  type Known,
  knownOf,
  nextRevision,
  type Outcome,
  revisionName,
  type StreamState,
} from './decide.ts';
import { eventLine } from './event.ts';
import { type ReadPage, readPages } from './read-pages.ts';
import { type Row, readRow } from './row.ts';
import type { StreamRun } from './run.ts';
import { sequenceAt } from './sequence.ts';
import { decideOptions, noteRepeat, walkOf } from './sync.ts';

/** Reads the pages of a stream that are due, and sends what is old of them. @throws as `sync` does */
export async function refresh(days: number, initial: StreamState, streamRun: StreamRun): Promise<StreamState> {
  const { run } = streamRun;
  const now = run.clock.now();
  const pass = passMilliseconds(days);
  let state = initial;
  let progress = afterPause(state.checkpoint.refresh ?? passFrom(now, undefined), now, pass);
  for (let pages = 0; pages < REFRESH_PAGES && isDue(progress, now, pass) && !run.outOfTime(); pages++) {
    run.lease.signal.throwIfAborted();
    const page = await nextPage(progress, state, streamRun);
    if (page.repeats) noteRepeat(page, streamRun);
    const next = progressAfter(page, progress, { now, pass, hash: run.hash });
    // While rows are counted nothing is sent: on the day when the option is set, every row may be old.
    const sentBefore = progress.lastRows === undefined ? Number.NEGATIVE_INFINITY : progress.started - pass;
    state = await refreshPage(page, sentBefore, next, state, streamRun);
    progress = next;
  }
  return state;
}

function passFrom(started: number, lastRows: number | undefined): RefreshProgress {
  return { cursor: undefined, started, rows: 0, lastRows };
}

/** The part of the pass that is read: 1 when nothing that the pass before had is left. */
function partRead({ rows, lastRows = 0 }: RefreshProgress): number {
  return rows >= lastRows ? 1 : rows / lastRows;
}

/** Reading that is late by much was paused. What was missed must not leave at once, so the pass is moved. */
function afterPause(progress: RefreshProgress, now: number, pass: number): RefreshProgress {
  const { started, lastRows } = progress;
  const late = (now - started) / pass - partRead(progress);
  if (lastRows === undefined || late <= PAUSE) return progress;
  // Every row is old by now, also those that came since the rows were counted. They are counted again, so that they leave evenly.
  if (late > 1) return passFrom(now, undefined);
  // Rounded down, and by a millisecond more: or a fraction would keep the next page from being due, in every run again.
  return { ...progress, started: Math.floor(now - partRead(progress) * pass) - 1 };
}

/** The rows of a pass are spread evenly over its length. The first pass, which counts them, is as fast as runs allow. */
function isDue(progress: RefreshProgress, now: number, pass: number): boolean {
  return progress.lastRows === undefined || (now - progress.started) / pass >= partRead(progress);
}

interface PassOptions {
  readonly now: number;
  /** Milliseconds that a pass takes. */
  readonly pass: number;
  readonly hash: Hash;
}

function progressAfter(page: ReadPage, before: RefreshProgress, { now, pass, hash }: PassOptions): RefreshProgress {
  // After a refused cursor rows are read and counted twice: the pass ends when it should have, and no row waits for another one.
  const rows = before.rows + page.rows.length;
  // The next pass begins when this one should have ended, or now, where that has passed.
  if (page.next === null || page.repeats)
    return passFrom(before.lastRows === undefined ? now : Math.max(before.started + pass, now), rows);

  const pages = page.rewound ? 1 : (before.pages ?? 0) + 1;
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  return { ...before, cursor: page.next, rows, pages, mark: isPowerOfTwo ? hash(page.next) : before.mark };
}

async function nextPage(progress: RefreshProgress, state: StreamState, streamRun: StreamRun): Promise<ReadPage> {
  const { lastRows = 0, rows } = progress;
  const pages = readPages({
    ...walkOf(streamRun),
    limit: refreshLimit(streamRun.run.assignment.pageLimit, lastRows, rows < lastRows),
    cursor: progress.cursor,
    previous: undefined,
    ahead: false,
    learnedNames: state.checkpoint.names,
  });
  const { value } = await pages.next();
  await pages.return();
  const page = value as ReadPage;
  return { ...page, repeats: page.repeats || leadsBack(page, progress, streamRun.run.hash) };
}

/**
 * A pass takes days, so of the cursors that it has followed only one is kept, that of page 1, 2, 4, 8, and so on. A circle leads back to it
 * after a few rounds at most (Brent's algorithm). After a refused cursor the pass goes back, and cursors may come again.
 */
function leadsBack({ next, rewound }: ReadPage, { mark }: RefreshProgress, hash: Hash): boolean {
  return next !== null && !rewound && mark !== undefined && hash(next) === mark;
}

async function refreshPage(
  page: ReadPage,
  sentBefore: number,
  progress: RefreshProgress,
  state: StreamState,
  streamRun: StreamRun,
): Promise<StreamState> {
  const { stream, run } = streamRun;
  const last = new Map<string, Row>();
  for (const element of page.rows) {
    const row = readRow(element, stream, run.hash);
    if (!('reason' in row)) last.set(row.id, row);
  }
  const stored = last.size === 0 ? new Map() : await run.rowStates.get(stream.name, [...last.keys()]);
  const rows = [...last.values()].map(row => ({ row, known: knownOf(row.id, stored, { ...state, staged: NONE }) }));
  const old = rows.filter(({ row, known }) => isOld(row, known, sentBefore));
  const back = await restored(rows, streamRun);
  const outcomes = outcomesOf(old, back, state, streamRun);
  const batch = batchOf(outcomes, state, streamRun, { checkpoint: { refresh: progress } });
  await sendAndCommit(batch, streamRun);
  return batch.state;
}

/** Every batch is committed by now: the table has what was staged. */
const NONE: ReadonlyMap<string, RowState> = new Map();

interface KnownRow {
  readonly row: Row;
  readonly known: Known;
}

/** Whether the SIEM has exactly this row, and was sent it long ago. */
function isOld(row: Row, { state, gone, generation }: Known, sentBefore: number): boolean {
  if (state?.status !== 'live' || gone) return false;
  if (state.rowHash !== row.rowHash || state.parent !== row.parent) return false;
  // A row of an earlier generation is sent by the replay.
  return state.generation >= generation && Date.parse(state.forwardedAt) <= sentBefore;
}

/**
 * Rows that were withdrawn with their parent, and exist again with it. The platform does not say whether it delivers them again, so the
 * refresh sends them: the API lists the row as it was, and the parent exists.
 */
async function restored(rows: readonly KnownRow[], { stream, run }: StreamRun): Promise<readonly KnownRow[]> {
  const candidates = rows.filter(
    ({ row, known: { state, unconfirmed } }) =>
      stream.cascadesFrom !== undefined &&
      !unconfirmed &&
      state?.status === 'removed' &&
      state.rowHash === row.rowHash &&
      row.parent !== undefined &&
      row.filter !== 'withhold',
  );
  if (candidates.length === 0) return [];
  const parents = await run.rowStates.get(stream.cascadesFrom as 'assets', [
    ...new Set(candidates.map(({ row }) => row.parent!)),
  ]);
  return candidates.filter(({ row }) => (parents.get(row.parent!)?.status ?? 'removed') !== 'removed');
}

function outcomesOf(
  old: readonly KnownRow[],
  back: readonly KnownRow[],
  { checkpoint }: StreamState,
  streamRun: StreamRun,
): Outcome[] {
  const options = decideOptions(old.length + back.length, streamRun);
  const { stream, context, locate, sequences } = options;
  const repeated = old.map(({ row, known }, index): Outcome => {
    const state = known.state!;
    const sequence = sequenceAt(sequences, index + 1);
    const revision = revisionName(nextRevision(known), checkpoint);
    const event = { row, stream, sequence, revision, refreshOf: state.sequence };
    const next = { ...state, sequence, forwardedAt: context.forwardedAt };
    return { id: row.id, sequence, ...eventLine(event, context, locate), state: next, sent: { refreshed: 1 } };
  });
  const sentAgain = back.map(({ row, known }, index) => {
    const sequence = sequenceAt(sequences, old.length + index + 1);
    return decideRow(row, sequence, known, checkpoint, options).outcome;
  });
  return [...repeated, ...sentAgain];
}
