/**
 * Decides what a page means, and tells the table what is about to be sent. While this goes on, the page before may still be
 * under commit.
 */
import type { Intent } from '../ports.ts';
import { type Plan, planPage } from './decide.ts';
import type { StreamRun } from './draining.ts';
import { inParallel } from './in-parallel.ts';
import type { WalkedPage } from './read-pages.ts';
import type { Row } from './row.ts';
import { eventContext } from './run.ts';
import { type SiftedRows, sift } from './sift.ts';
import type { Recollection } from './stream-state.ts';

export interface PreparedPage {
  readonly page: WalkedPage;
  readonly plan: Plan;
  readonly batch: Intent | undefined;
  /** The window as it stands after this page, and not after a later one; absent when it has not changed. */
  readonly window: string[] | undefined;
  /** Whether the page brought anything that was not known. */
  readonly news: boolean;
}

export async function prepare(page: WalkedPage, streamRun: StreamRun): Promise<PreparedPage> {
  const { result } = streamRun;
  const rows = sift(page, streamRun);
  result.pages++;
  result.rows += page.rows.length;
  result.suppressed += rows.swallowed;
  result.superseded += rows.superseded;
  return decide(page, rows, streamRun);
}

/**
 * Decides about one row that no walk has just brought, as if it were a page of its own that leaves the cursor where it is.
 *
 * The window stays as it is: it remembers what the walk reads again, and this row would take the place of one of those.
 *
 * @param again sends it although its state says that the SIEM has it
 */
export async function prepareRow(row: Row, again: boolean, streamRun: StreamRun): Promise<PreparedPage> {
  const { cursor, names } = streamRun.memory.checkpoint;
  const page = { rows: [], sent: cursor, next: null, rewound: false, repeats: false, names };
  return decide(page, { unknown: [row], bad: [], versionTags: [] }, streamRun, again);
}

type Undecided = Pick<SiftedRows, 'unknown' | 'bad' | 'fingerprints'>;

async function decide(page: WalkedPage, rows: Undecided, streamRun: StreamRun, again = false): Promise<PreparedPage> {
  const { stream, memory, run, result } = streamRun;
  const recollection = await lookUp(rows.unknown, streamRun);
  const plan = planPage({
    stream,
    rows: rows.unknown,
    badRows: rows.bad,
    recall: row => {
      const knowledge = memory.recall(row, recollection);
      return again ? { ...knowledge, unconfirmed: true } : knowledge;
    },
    generation: memory.checkpoint.generation,
    sequencer: run.sequencer,
    context: eventContext(run),
    format: run.assignment.format,
    locate: deadLetter => run.deadLetters.locate(deadLetter),
  });
  result.suppressed += plan.counts.suppressed;
  result.unseenTombstones += plan.counts.unseenTombstones;
  memory.pend(plan.states);
  const batch = await announce(plan, streamRun);
  // An older version may come again when a walk begins anew, and is sent, since it differs: then what the window holds of
  // the versions after it must not swallow them.
  if (stream.memory === 'row-states') memory.window.forget(plan.forwardedIds);
  const moved = memory.window.settle(rows.versionTags);
  const news = plan.lines.length + plan.deadLetters.length + plan.states.size > 0;
  return { page, plan, batch, window: moved ? memory.window.snapshot() : undefined, news };
}

async function lookUp(rows: readonly Row[], { stream, memory, run }: StreamRun): Promise<Recollection> {
  const decided = memory.decided(rows);
  const ids = stream.memory === 'window' ? [] : rows.map(row => row.id).filter(id => !decided.has(id));
  return { decided, stored: ids.length === 0 ? new Map() : await run.rowStates.get(stream.name, ids) };
}

/** Tells the table what is about to be sent, before any of it is. */
async function announce(plan: Plan, { stream, memory, run }: StreamRun): Promise<Intent | undefined> {
  const remembers = stream.memory === 'row-states' && plan.lines.length > 0;
  const batch = remembers ? memory.intents.open(plan.forwardedIds, plan.lastSequence) : undefined;
  const saveIntents = async () => {
    if (batch) await run.checkpoints.saveIntents(stream.name, memory.intents.toSave(), run.lease.epoch);
  };
  const putChildren = async () => {
    if (plan.childIndex.length > 0) await run.childIndex.put(stream.name, plan.childIndex, run.lease.assertLeaseValid);
  };
  await inParallel([saveIntents, putChildren], write => write());
  return batch;
}
