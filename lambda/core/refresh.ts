/**
 * Sends every row that exists again before the SIEM forgets it: the option `refreshDays`. SIEMs keep events for so many days, and an asset
 * that never changes would leave "what exists now" when its last event does.
 *
 * A second walk reads the stream from its beginning, slowly and evenly, and repeats what the SIEM has. With `refreshDays` 10:
 *
 *     pass 0   at once         counts the pages, sends nothing: 4
 *     pass 1   4.5 days long   page 1 at day 0, page 2 at day 1.1, page 3 at day 2.2 …   rows were sent less than 5 days ago: nothing
 *     pass 2   4.5 days long   rows that were sent 5 days ago or longer are sent again, none of them after more than 9.5 days
 *
 * It comes after the walk of every stream of its group, so it holds no change up. It sends a row only while the row's state says that the
 * SIEM has exactly this: a row that changed meanwhile is sent by its change, and one that was removed or withheld is not revived. Its events
 * say `refresh`, and have an `event_id` of their own that a repeat after a kill shares.
 */
import type { RefreshProgress, RowState, StoredState } from '../ports.ts';
import { oldMilliseconds, passMilliseconds, REFRESH_PAGES } from '../refresh-pace.ts';
import { type EventContext, eventLine } from './event.ts';
import { inParallel } from './in-parallel.ts';
import { type ReadPage, readPages } from './read-pages.ts';
import { type Row, readRow } from './row.ts';
import { eventContext, type StreamRun } from './run.ts';
import { sequenceAt } from './sequence.ts';
import { isUnconfirmed, type StreamState } from './stream-state.ts';
import { walkOf } from './sync.ts';

/** Reads the pages of a stream that are due, and sends what is old of them. @throws as `sync` does */
export async function refresh(days: number, state: StreamState, streamRun: StreamRun): Promise<void> {
  const { stream, run } = streamRun;
  const { checkpoints, lease, clock } = run;
  let progress = (await checkpoints.loadRefresh(stream.name)) ?? passFrom(clock.now(), 0);
  for (let due = pagesDue(progress, clock.now(), days); due > 0 && !run.outOfTime(); due--) {
    lease.signal.throwIfAborted();
    const page = await nextPage(progress, state, streamRun);
    // While pages are counted nothing is sent: on the day when the option is set, every row may be old.
    if (progress.lastPages > 0) await refreshPage(page, days, state, streamRun);
    progress = progressAfter(page, progress, clock.now(), days);
    await checkpoints.saveRefresh(stream.name, progress, lease.epoch);
    if (progress.pages === 0) return;
  }
}

function passFrom(started: number, lastPages: number): RefreshProgress {
  return { cursor: undefined, started, pages: 0, lastPages };
}

/** The pages of a pass are spread evenly over its length. The first pass, which counts them, is as fast as runs allow. */
function pagesDue({ started, pages, lastPages }: RefreshProgress, now: number, days: number): number {
  if (lastPages === 0) return REFRESH_PAGES;
  const due = Math.floor(((now - started) / passMilliseconds(days)) * lastPages) + 1;
  return Math.min(REFRESH_PAGES, due - pages);
}

function progressAfter({ next, rewound, repeats }: ReadPage, before: RefreshProgress, now: number, days: number) {
  // The API refused the cursor, and gave the first page instead.
  const pages = rewound ? 1 : before.pages + 1;
  if (next !== null && !repeats) return { ...before, cursor: next, pages };
  // The next pass begins when this one should have ended, or now, where that is long ago.
  const end = before.started + passMilliseconds(days);
  return passFrom(before.lastPages === 0 ? now : Math.max(end, now - passMilliseconds(days)), pages);
}

async function nextPage({ cursor }: RefreshProgress, state: StreamState, streamRun: StreamRun): Promise<ReadPage> {
  const pages = readPages({
    ...walkOf(streamRun),
    cursor,
    previous: undefined,
    ahead: false,
    learnedNames: state.checkpoint.names,
  });
  const { value } = await pages.next();
  await pages.return();
  return value as ReadPage;
}

async function refreshPage(page: ReadPage, days: number, state: StreamState, streamRun: StreamRun): Promise<void> {
  const { stream, run, count } = streamRun;
  const last = new Map<string, Row>();
  for (const element of page.rows) {
    const row = readRow(element, stream, run.hash);
    if (!('reason' in row)) last.set(row.id, row);
  }
  if (last.size === 0) return;
  const stored = await run.rowStates.get(stream.name, [...last.keys()]);
  const context = eventContext(run);
  const sentBefore = Date.parse(context.forwardedAt) - oldMilliseconds(days);
  const old = [...last.values()].flatMap(row => {
    const known = stored.get(row.id);
    return isOld(row, known, sentBefore, state) ? [{ row, known }] : [];
  });
  if (old.length === 0) return;
  const { deadLetters, lines, states } = repeated(old, context, streamRun);
  await inParallel(deadLetters, each => run.deadLetters.store(each, run.lease.assertValid));
  count({ throttledMilliseconds: await run.delivery.deliver(lines, run.lease.assertValid) });
  count({ refreshed: lines.length });
  await run.rowStates.put(stream.name, states, run.lease.assertValid);
}

interface OldRow {
  readonly row: Row;
  readonly known: RowState;
}

/** Whether the SIEM has exactly this row, and was sent it long ago. */
function isOld(row: Row, known: StoredState | undefined, sentBefore: number, state: StreamState): known is RowState {
  if (!known || known instanceof Error || known.removed || row.filter === 'withhold') return false;
  if (known.rowHash !== row.rowHash || known.parent !== row.parent || isUnconfirmed(state, row.id)) return false;
  // A row of an earlier generation is sent by the replay. One without a time was sent by an early release.
  return known.generation >= state.checkpoint.generation && !(Date.parse(known.forwardedAt) > sentBefore);
}

/** The events that repeat these rows, and the states that they leave. No intent is needed: the table knows every id already. */
function repeated(rows: readonly OldRow[], context: EventContext, { stream, run }: StreamRun) {
  const { format } = run.assignment;
  const sequences = run.sequencer.reserve(rows.length);
  const states = new Map<string, RowState>();
  const events = rows.map(({ row, known }, index) => {
    const sequence = sequenceAt(sequences, index + 1);
    states.set(row.id, { ...known, sequence, forwardedAt: context.forwardedAt });
    const event = { row, stream, sequence, revision: known.revision, known: true, refreshOf: known.sequence };
    return eventLine(event, context, format, run.deadLetters.locate);
  });
  return {
    deadLetters: events.flatMap(({ deadLetter }) => deadLetter ?? []),
    lines: events.map(({ line }) => line),
    states,
  };
}
