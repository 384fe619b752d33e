/**
 * A batch holds all events and writes that follow from a group of pages, from a part of the
 * withdrawals, or from a part of a sweep. It is decided once and logged whole, so that repeating it
 * after a crash has the same result.
 */
import type { Checkpoint, ChildEntry, DeadLetter, ListedRemoval, RemovalEntryKey, RowState } from '../ports.ts';
import { StateVersionError } from './errors.ts';
import type { StreamResult } from './run.ts';

export interface Batch {
  /** Events, packed into records. */
  readonly records: readonly Uint8Array[];
  /**
   * Rows that cannot be sent. They are stored before the batch is logged, under a key that follows
   * from their content.
   */
  readonly deadLetters: readonly DeadLetter[];
  /** New row states, by the id of the row. */
  readonly states: ReadonlyMap<string, RowState>;
  readonly children: readonly ChildEntry[];
  /** Child entries to delete, because the child was withdrawn or has moved to another parent. */
  readonly childrenDone: readonly ChildEntry[];
  /**
   * Removals and restorations of parents. They are listed, so that a later batch handles their
   * children.
   */
  readonly removals: readonly ListedRemoval[];
  /**
   * Keys of listed removals whose children this batch finishes, so the removals are deleted from
   * the list.
   */
  readonly removalsDone: readonly RemovalEntryKey[];
  /** Checkpoint to save after the batch. */
  readonly checkpoint: Checkpoint;
  /** Counts that are added to the result once Firehose has acknowledged the events. */
  readonly sent: Partial<StreamResult>;
}

/**
 * Largest number of rows in a batch that is not made from pages: rows that were held back, rows to
 * sweep, or child rows of removed parents. It is limited, because an asset may have a million
 * threats.
 */
export const BATCH_ROWS = 500;

/** Whether a batch does nothing but move the checkpoint. */
export function isEmptyBatch(batch: Omit<Batch, 'checkpoint' | 'sent'>): boolean {
  const { records, deadLetters, states, children, childrenDone, removals, removalsDone } = batch;
  const lists = [records, deadLetters, [...states], children, childrenDone, removals, removalsDone];
  return lists.every(({ length }) => length === 0);
}

/**
 * Version of the log's format. A release must be able to read the log of the release before it,
 * because an update may fall between two runs.
 */
const FORMAT = 1;

interface Head extends Omit<Batch, 'records' | 'states' | 'deadLetters'> {
  readonly format: number;
  /**
   * Id of the state table to which the log belongs, because a bucket may hold the logs of several
   * connectors.
   */
  readonly table: string;
  readonly states: readonly (readonly [string, RowState])[];
  /** Size of each record, in bytes. */
  readonly records: readonly number[];
}

/**
 * Encodes the log: one line of JSON, followed by the records exactly as they are sent, so that each
 * event is encoded only once.
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

/**
 * @returns undefined when the log belongs to another table
 * @throws StateVersionError when a version of the code with another format has written the log
 */
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
