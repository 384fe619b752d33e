/**
 * Walks over a stream, from its checkpoint to its end:
 *
 *     for each group of pages: look up → decide → commit
 *
 * commit.ts contains the steps of a batch, and draft.ts the decisions.
 */
import type { Checkpoint, RowState, SecondWalk } from '../ports.ts';
import type { Batch } from './batch.ts';
import { commitBatch, saveCheckpoint } from './commit.ts';
import { Draft } from './draft.ts';
import { addWithdrawals, withdrawalAllowance } from './guard.ts';
import { groupPages } from './page-groups.ts';
import { isEndOfStream, type ReadPage, type ReadPagesOptions, readPages } from './read-pages.ts';
import { type BadRow, type Row, rowReadOptions } from './row.ts';
import { addCounts, draftOptions, type StreamResult, type StreamRun } from './run.ts';
import { cursorsAfter, windowAfter } from './window.ts';

/**
 * Time after which a circle is read as a whole again, because any of its pages may since have a
 * next cursor that leads out of the circle.
 */
const HOUR = 3_600_000;

/**
 * Reads a stream from its checkpoint to its end, or until the time budget is spent, and sends the
 * rows that changed.
 *
 * @returns the checkpoint that is saved
 */
export async function walk(initial: Checkpoint, streamRun: StreamRun): Promise<Checkpoint> {
  const { run, count } = streamRun;
  let checkpoint = initial;
  /** Version tags of the pages that this walk has read last. */
  let pagesBefore: readonly (readonly string[])[] = [];
  const now = run.clock.now();
  const isCircleKnown = initial.circled !== undefined && now - initial.circled < HOUR;
  const start = { ...startOf(initial), isCircleKnown };
  const groups = groupPages(left => readPages({ ...walkOptions(streamRun, left), ...start }));

  for await (const group of groups) {
    run.lease.signal.throwIfAborted();
    if (group[0]!.rewound) {
      checkpoint = await rewind(group[0]!, checkpoint, streamRun);
      pagesBefore = [];
    }

    const read = await readGroup(group, new Set(checkpoint.window), streamRun);
    const window = windowAfter(group, read.tags, pagesBefore, checkpoint, streamRun.stream);
    const last = group.at(-1)!;
    const isCircle = last.repeats && last.next !== last.sent;
    const circled = isCircleKnown ? initial.circled : now;
    const place = { ...cursorsAfter(group, checkpoint), circled: isCircle ? circled : undefined };
    // After the newer version of a row, a circle may list an older version. The window must not
    // recognize the newer version when it is listed again, so the window is emptied.
    const tags = isCircle && streamRun.stream.hasRowStates ? [] : window.tags;
    const next = { ...place, names: last.names, window: tags };
    const { batch, counts } = decideGroup(read, next, checkpoint, streamRun);
    count({ pages: group.length, ...counts });
    checkpoint = await commitBatch(batch, checkpoint, streamRun);
    count({ committedPages: group.length });
    pagesBefore = window.pages;

    if (last.repeats) noteRepeatedCursor(last, streamRun);
    const isLast = last.next === null || last.repeats;
    // After an unclear answer nothing may follow in this run, so the stream does not count as read
    // to its end.
    if (isLast && run.checkpoints.unclearWrites() === 0) count({ caughtUp: isEndOfStream(last) });
    if (streamRun.isOver()) break;
  }
  return checkpoint;
}

function startOf({ cursor, previous, names }: Checkpoint) {
  return { cursor, previous, learnedNames: names };
}

/** The rows of a group of pages that need a decision, page by page. */
interface ReadGroup {
  readonly pages: readonly (readonly (Row | BadRow)[])[];
  /** Version tags of all rows of each page, including superseded rows. */
  readonly tags: readonly (readonly string[])[];
  readonly states: ReadonlyMap<string, RowState>;
  readonly counts: Partial<StreamResult>;
}

/**
 * Reads the rows of some pages, drops the duplicates that the window recognizes, and looks up the
 * states of the other rows.
 */
export async function readGroup(
  group: readonly ReadPage[],
  window: ReadonlySet<string>,
  { stream, run }: StreamRun,
): Promise<ReadGroup> {
  const rows = group.map(page => page.rows);
  const last = rows.map(lastOfEach);
  const inWindow = ({ versionTag }: Row | BadRow) => versionTag !== undefined && window.has(versionTag);
  const pages = last.map(page => page.filter(row => !inWindow(row)));

  const ids = new Set(pages.flat().flatMap(row => ('reason' in row ? [] : [row.id])));
  const isLookedUp = stream.hasRowStates && ids.size > 0;
  const states = isLookedUp ? await run.rowStates.get(stream.name, [...ids]) : new Map();

  const [all, kept, left] = [rows, last, pages].map(lists => lists.flat().length) as [number, number, number];
  // Only rows that do not need a decision are counted here. The other rows are counted when they
  // are decided.
  const tags = rows.map(page => page.flatMap(({ versionTag }) => versionTag ?? []));
  return { pages, tags, states, counts: { rows: all - left, superseded: all - kept, duplicates: kept - left } };
}

/**
 * Keeps the last occurrence of each id within a page, and orders the rows by their last
 * occurrences.
 */
function lastOfEach(rows: readonly (Row | BadRow)[]): (Row | BadRow)[] {
  const last = new Map<string, Row | BadRow>();
  for (const row of rows) {
    const key = 'reason' in row ? `bad ${row.rowHash}` : `row ${row.id}`;
    last.delete(key);
    last.set(key, row);
  }
  return [...last.values()];
}

/**
 * Makes the batch of a group of pages.
 *
 * @param next members of the checkpoint that describe the pages
 */
function decideGroup(
  read: ReadGroup,
  next: Partial<Checkpoint>,
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): { readonly batch: Batch; readonly counts: Partial<StreamResult> } {
  const { second } = checkpoint;
  // While a second walk withdraws filtered rows, filtered rows that the walk reads count towards
  // the same limit.
  const isGuarded = second !== undefined && second.mode !== 'restored';
  const rows = read.pages.flat();
  const options = {
    ...draftOptions(rows.length, streamRun),
    ...(isGuarded && { allowance: withdrawalAllowance(second).own }),
  };
  const draft = new Draft(checkpoint, read.states, options);
  for (const row of rows) {
    if ('reason' in row) draft.reject(row);
    else draft.row(row, 'walk');
  }
  const batch = draft.batch(isGuarded ? { ...next, second: guarded(second, draft) } : next);
  return { batch, counts: addCounts(read.counts, draft.read) };
}

/** Updates the second walk after the walk has withdrawn rows because of the filter. */
function guarded(second: SecondWalk, { withdrawn, kept }: Draft): SecondWalk {
  if (withdrawn + kept === 0) return second;
  const counted = { ...second, withdrawn: addWithdrawals(second.withdrawn, { own: withdrawn, children: 0 }) };
  if (kept === 0) return counted;
  // The second walk must meet the kept rows once their withdrawal is confirmed.
  const waiting = { reason: 'filtered', own: (second.waiting?.own ?? 0) + kept, children: 0 } as const;
  return { ...counted, phase: 'read', cursor: undefined, rows: 0, waiting };
}

/**
 * Saves the earlier cursor before a row of the rewound walk is sent, because the walk may send an
 * older version of a row. If the run were then killed and the API accepted the refused cursor after
 * all, the newer version would never be read again. For the same reason the window, which has the
 * newer version, is emptied if the stream has row states.
 */
function rewind({ sent }: ReadPage, checkpoint: Checkpoint, streamRun: StreamRun): Promise<Checkpoint> {
  const window = streamRun.stream.hasRowStates ? [] : checkpoint.window;
  return saveCheckpoint({ ...checkpoint, cursor: sent, previous: undefined, window }, streamRun);
}

/** Counts a walk that ended at a cursor that it had already followed. */
export function noteRepeatedCursor(page: ReadPage, { stream, run, count }: StreamRun): void {
  count({ stalledCursors: 1 });
  if (isEndOfStream(page)) return;
  run.log.warn('The API sent a next_cursor that leads back to a page that was read before, so the walk ends there', {
    stream: stream.name,
  });
}

/**
 * Options that every walk over the stream has in common.
 *
 * @param left aborts when the walk is left
 */
export function walkOptions(
  { stream, run, count }: Pick<StreamRun, 'stream' | 'run' | 'count'>,
  left?: AbortSignal,
): Omit<ReadPagesOptions, 'cursor' | 'previous' | 'learnedNames'> {
  const { pageLimit, parentMember, configuredNames } = run.assignment;
  return {
    source: run.source,
    clock: run.clock,
    hash: run.hash,
    path: stream.path,
    ...rowReadOptions(stream, parentMember, run.hash),
    limit: pageLimit,
    configuredNames,
    signal: left ? AbortSignal.any([run.lease.signal, left]) : run.lease.signal,
    onRefusedCursor: () => {
      count({ refusedCursors: 1 });
      run.log.warn('The API refused a cursor; the walk falls back to an earlier one', { stream: stream.name });
    },
  };
}
