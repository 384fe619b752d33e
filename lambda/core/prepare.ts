/**
 * Decides what a page means, and tells the table what is about to be sent. While this goes on, the page before may still be
 * under commit.
 */
import type { InFlightBatch } from '../ports.ts';
import type { Draining } from './draining.ts';
import { inParallel } from './in-parallel.ts';
import type { Recollection } from './memory.ts';
import { type Plan, planPage } from './plan.ts';
import type { Row } from './row.ts';
import { eventContext } from './run.ts';
import { type SiftedRows, sift } from './sift.ts';
import type { WalkedPage } from './walk.ts';

export interface PreparedPage {
  readonly page: WalkedPage;
  readonly plan: Plan;
  readonly batch: InFlightBatch | undefined;
  /** The window as it stands after this page, and not after a later one; absent when it has not changed. */
  readonly window: string[] | undefined;
  /** Whether the page brought anything that was not known. */
  readonly news: boolean;
}

export async function prepare(page: WalkedPage, draining: Draining): Promise<PreparedPage> {
  const { result } = draining;
  const rows = sift(page, draining);
  result.pages++;
  result.rows += page.rows.length;
  result.suppressed += rows.swallowed;
  result.superseded += rows.superseded;
  return decide(page, rows, draining);
}

/**
 * Decides about one row that no walk has just brought, as if it were a page of its own that leaves the cursor where it is.
 *
 * The window stays as it is: it remembers what the walk reads again, and this row would take the place of one of those.
 *
 * @param again sends it although its state says that the SIEM has it
 */
export async function prepareRow(row: Row, again: boolean, draining: Draining): Promise<PreparedPage> {
  const { cursor, names } = draining.memory.checkpoint;
  const page = { rows: [], sent: cursor, next: null, rewound: false, repeats: false, names };
  return decide(page, { unknown: [row], bad: [], fingerprints: [] }, draining, again);
}

type Undecided = Pick<SiftedRows, 'unknown' | 'bad' | 'fingerprints'>;

async function decide(page: WalkedPage, rows: Undecided, draining: Draining, again = false): Promise<PreparedPage> {
  const { stream, memory, run, result } = draining;
  const recollection = await lookUp(rows.unknown, draining);
  const plan = planPage({
    stream,
    rows: rows.unknown,
    badRows: rows.bad,
    recall: row => {
      const knowledge = memory.recall(row, recollection);
      return again ? { ...knowledge, doubtful: true } : knowledge;
    },
    generation: memory.checkpoint.generation,
    sequencer: run.sequencer,
    context: eventContext(run),
    format: run.assignment.format,
    locate: letter => run.deadLetters.locate(letter),
  });
  result.suppressed += plan.counts.suppressed;
  result.unseenTombstones += plan.counts.unseenTombstones;
  memory.pend(plan.states);
  const batch = await announce(plan, draining);
  // An older version may come again when a walk begins anew, and is sent, since it differs: then what the window holds of
  // the versions after it must not swallow them.
  if (stream.memory === 'row-states') memory.window.forget(plan.forwardedIds);
  const moved = memory.window.settle(rows.fingerprints);
  const news = plan.lines.length + plan.deadLetters.length + plan.states.size > 0;
  return { page, plan, batch, window: moved ? memory.window.snapshot() : undefined, news };
}

async function lookUp(rows: readonly Row[], { stream, memory, run }: Draining): Promise<Recollection> {
  const decided = memory.decided(rows);
  const ids = stream.memory === 'window' ? [] : rows.map(row => row.id).filter(id => !decided.has(id));
  return { decided, stored: ids.length === 0 ? new Map() : await run.rowStates.get(stream.name, ids) };
}

/** Tells the table what is about to be sent, before any of it is. */
async function announce(plan: Plan, { stream, memory, run }: Draining): Promise<InFlightBatch | undefined> {
  const remembers = stream.memory === 'row-states' && plan.lines.length > 0;
  const batch = remembers ? memory.inFlight.open(plan.forwardedIds, plan.lastSequence) : undefined;
  const saveInFlight = async () => {
    if (batch) await run.checkpoints.saveInFlight(stream.name, memory.inFlight.toSave(), run.lease.epoch);
  };
  const putMemberships = async () => {
    if (plan.memberships.length > 0) await run.memberships.put(stream.name, plan.memberships, run.lease.guard);
  };
  await inParallel([saveInFlight, putMemberships], write => write());
  return batch;
}
