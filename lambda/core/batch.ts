/**
 * A batch holds all events and writes that follow from a group of pages, from a piece of withdrawals, or from a piece of a sweep. It is
 * decided once and logged whole, so that doing it again has the same result.
 */
import type { Checkpoint, ChildEntry, DeadLetter, ListedRemoval, Listing, RowState } from '../ports.ts';
import { StateVersionError } from './errors.ts';
import type { StreamResult } from './run.ts';

export interface Batch {
  /** The events, packed into records. */
  readonly records: readonly Uint8Array[];
  /** Rows that cannot be sent. They are stored before the batch is logged, under a key of their content. */
  readonly deadLetters: readonly DeadLetter[];
  /** New row states, by id. */
  readonly states: ReadonlyMap<string, RowState>;
  readonly children: readonly ChildEntry[];
  /** Entries of children that were withdrawn, or have moved. */
  readonly childrenDone: readonly ChildEntry[];
  /** Removals and restorations to work off. */
  readonly removals: readonly ListedRemoval[];
  /** Listings that are worked off. */
  readonly removalsDone: readonly Listing[];
  /** The checkpoint that follows. */
  readonly checkpoint: Checkpoint;
  /** Counted once the events are acknowledged. */
  readonly sent: Partial<StreamResult>;
}

/** Whether a batch does nothing but move the checkpoint. */
export function isEmpty({ records, deadLetters, states, children, childrenDone, removals, removalsDone }: Batch) {
  const lengths = [records, deadLetters, children, childrenDone, removals, removalsDone].map(list => list.length);
  return states.size === 0 && lengths.every(length => length === 0);
}

/** Version of the log's format. A later release must read the log of an earlier one, because an update may fall between two runs. */
const FORMAT = 1;

interface Head extends Omit<Batch, 'records' | 'states' | 'deadLetters'> {
  readonly format: number;
  /** Id of the state table that names the log: a bucket may hold the logs of several connectors. */
  readonly table: string;
  readonly states: readonly (readonly [string, RowState])[];
  /** Bytes of each record. */
  readonly records: readonly number[];
}

/**
 * The bytes of the log: one line of JSON, and the records as they are sent, so that each event is encoded once.
 *
 *     {"format":1,"table":"4f…","records":[312],"states":[["a1",{…}]],…,"checkpoint":{…}}⏎{"event_id":…}⏎
 */
export function encodeBatch({ records, states, deadLetters: _, ...rest }: Batch, table: string): Uint8Array {
  const head: Head = {
    format: FORMAT,
    table,
    ...rest,
    records: records.map(({ length }) => length),
    states: [...states],
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...records]);
}

const LINE_FEED = 0x0a;

/** @returns nothing when the log belongs to another table @throws StateVersionError when a later version of the code has written it */
export function decodeBatch(log: Uint8Array, tableId: string): Batch | undefined {
  const end = log.indexOf(LINE_FEED);
  const {
    format,
    table,
    records: sizes,
    states,
    ...rest
  }: Head = JSON.parse(Buffer.from(log.subarray(0, end)).toString());
  if (format !== FORMAT) throw new StateVersionError('log', String(format), String(FORMAT));
  if (table !== tableId) return undefined;

  const records: Uint8Array[] = [];
  let at = end + 1;
  for (const size of sizes) {
    records.push(log.subarray(at, at + size));
    at += size;
  }
  return { ...rest, records, states: new Map(states), deadLetters: [] };
}
