/**
 * Implements the option `refreshDays`: every row that exists is sent again before the SIEM forgets
 * it. A SIEM keeps events only for a number of days, so an asset that never changes would drop out
 * of the SIEM's list of existing assets together with its last event.
 *
 * The refresh reads the stream from its beginning, slowly and evenly, pass after pass, and repeats
 * rows that the SIEM has. With `refreshDays` 10 a pass takes 3.17 days. A row is repeated in a pass
 * if its last event was sent at least the length of a pass before the pass began:
 *
 *     first pass   at once            counts the rows (400), sends nothing
 *     pass 1       day 0 to 3.17      row t, sent at day 1 because of a change, is read: not old enough
 *     pass 2       day 3.17 to 6.33   t was sent 2.17 days before the pass began: not old enough
 *     pass 3       day 6.33 to 9.5    t was sent 5.33 days before: repeated, at the age of 8.5 days at most
 *
 * So a row waits for less than three passes: one until it is old enough, at most one until the next
 * pass begins, and one until it is read. If the stream has more rows than in the pass before, the
 * additional rows are read at the end of the pass. After a pause the pass continues evenly from its
 * last position. After a pause that is longer than a pass, the rows are counted again.
 *
 * The refresh runs after the walks of all streams of its group, so it delays no change. It sends a
 * row only while the row's state says that the SIEM has exactly this version. A row that has
 * changed since its last event is sent by the walk, and a row that was removed or filtered is not
 * revived. The events of a refresh say `refresh`.
 */
import type { Checkpoint, Hash, RefreshProgress, RowState } from '../ports.ts';
import { PAUSE_SHARE, passMilliseconds, REFRESH_PAGES, refreshPageLimit } from '../refresh-pace.ts';
import { commitBatch } from './commit.ts';
import { Draft } from './draft.ts';
import { type ReadPage, readPages } from './read-pages.ts';
import type { Row } from './row.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { noteRepeatedCursor, readGroup, walkOptions } from './walk.ts';

/**
 * Reads the pages of a stream that are due, and sends again the rows on them whose last event is
 * old enough.
 *
 * @throws the errors of `commitBatch`
 */
export async function refresh(days: number, initial: Checkpoint, streamRun: StreamRun): Promise<Checkpoint> {
  const { run, count } = streamRun;
  const now = run.clock.now();
  const pass = passMilliseconds(days);
  let checkpoint = initial;
  let progress = afterPause(checkpoint.refresh ?? passFrom(now, undefined), now, pass);
  for (let pages = 0; pages < REFRESH_PAGES && isDue(progress, now, pass) && !streamRun.isOver(); pages++) {
    run.lease.signal.throwIfAborted();
    const page = await nextPage(progress, checkpoint, streamRun);
    if (page.repeats) noteRepeatedCursor(page, streamRun);
    count({ pagesAgain: 1 });

    const next = progressAfter(page, progress, { now, pass, hash: run.hash });
    // The pass that counts the rows sends nothing. Otherwise it could send every row at once,
    // because all rows may be old on the day when the option is set.
    const sentBefore = progress.lastRows === undefined ? Number.NEGATIVE_INFINITY : progress.started - pass;
    checkpoint = await refreshPage(page, sentBefore, next, checkpoint, streamRun);
    progress = next;
  }
  return checkpoint;
}

function passFrom(started: number, lastRows: number | undefined): RefreshProgress {
  return { cursor: undefined, started, rows: 0, lastRows };
}

/**
 * Part of the pass that is already read, from 0 to 1. It is 1 when this pass has read as many rows
 * as the pass before.
 */
function partRead({ rows, lastRows = 0 }: RefreshProgress): number {
  return rows >= lastRows ? 1 : rows / lastRows;
}

/**
 * If a pass is very late, the schedule was paused. The missed rows must not all be sent at once, so
 * the start of the pass is moved.
 */
function afterPause(progress: RefreshProgress, now: number, pass: number): RefreshProgress {
  const { started, lastRows } = progress;
  const late = (now - started) / pass - partRead(progress);
  if (lastRows === undefined || late <= PAUSE_SHARE) return progress;
  // Every row is due by now, including rows that arrived after the count. They are counted again,
  // so that they are sent evenly.
  if (late > 1) return passFrom(now, undefined);
  // The time is rounded down, minus a millisecond. Otherwise a fraction would keep the next page
  // from being due, again in every run.
  return { ...progress, started: Math.floor(now - partRead(progress) * pass) - 1 };
}

/**
 * The rows of a pass are spread evenly over its length. The first pass, which counts them, is as
 * fast as runs allow.
 */
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
  // After a refused cursor rows are read and counted twice. The pass still ends on time, so no row
  // has to wait for another pass.
  const rows = before.rows + page.rows.length;
  // The next pass begins when this pass should have ended, or now if that time has passed.
  if (page.next === null || page.repeats)
    return passFrom(before.lastRows === undefined ? now : Math.max(before.started + pass, now), rows);

  const pages = page.rewound ? 1 : (before.pages ?? 0) + 1;
  const isPowerOfTwo = (pages & (pages - 1)) === 0;
  return { ...before, cursor: page.next, rows, pages, mark: isPowerOfTwo ? hash(page.next) : before.mark };
}

async function nextPage(progress: RefreshProgress, { names }: Checkpoint, streamRun: StreamRun): Promise<ReadPage> {
  const { lastRows = 0, rows } = progress;
  const pages = readPages({
    ...walkOptions(streamRun),
    limit: refreshPageLimit(streamRun.run.assignment.pageLimit, lastRows, rows < lastRows),
    cursor: progress.cursor,
    previous: undefined,
    ahead: false,
    learnedNames: names,
  });
  const { value } = await pages.next();
  await pages.return();
  const page = value as ReadPage;
  return { ...page, repeats: page.repeats || leadsBack(page, progress, streamRun.run.hash) };
}

/**
 * Whether the next cursor leads back to a cursor that was followed. A pass takes days, so only one
 * of the cursors that it has followed is kept: the cursor of page 1, then of page 2, 4, 8, and so
 * on. A circle leads back to it after a few rounds at most (Brent's algorithm). After a refused
 * cursor the pass goes back, so cursors may come again.
 */
function leadsBack({ next, rewound }: ReadPage, { mark }: RefreshProgress, hash: Hash): boolean {
  return next !== null && !rewound && mark !== undefined && hash(next) === mark;
}

async function refreshPage(
  page: ReadPage,
  sentBefore: number,
  refresh: RefreshProgress,
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): Promise<Checkpoint> {
  const { pages, states } = await readGroup([page], new Set(), streamRun);
  const old = pages
    .flat()
    .filter((row): row is Row => !('reason' in row) && isOld(row, states.get(row.id), sentBefore));
  const draft = new Draft(checkpoint, states, draftOptions(old.length, streamRun));
  for (const row of old) draft.refresh(row);
  return commitBatch(draft.batch({ refresh }), checkpoint, streamRun);
}

/** Whether the SIEM has exactly this version of the row, and received it long enough ago. */
function isOld(row: Row, state: RowState | undefined, sentBefore: number): boolean {
  if (state?.status !== 'live' || row.deleted || row.filter === 'filtered') return false;
  if (state.rowHash !== row.rowHash || state.parent !== row.parent) return false;
  return Date.parse(state.forwardedAt) <= sentBefore;
}
