/** How what happened becomes a line. The connector's own envelope is the default; OCSF is the other. */
import type { Hash, Removal } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { Row } from './row.ts';

export interface EventContext {
  readonly connector: string;
  /** ISO 8601. */
  readonly forwardedAt: string;
  readonly hash: Hash;
}

/** A row on its way to the SIEM. */
export interface Sending {
  readonly row: Row;
  readonly stream: Stream;
  readonly sequence: string;
  /** See RowState: a row that comes back after a withdrawal is another delivery, even at the position that it had. */
  readonly revision: string;
  /** Whether the SIEM has the row in another version, as far as the states say. */
  readonly known: boolean;
}

export interface EventFormat {
  /** One JSON line, without a line end, that carries the row's text as the API sent it. */
  row(sending: Sending, context: EventContext): string;
  /** Stands in for a row whose own line exceeds what Firehose takes; it points to the row's dead letter. */
  oversize(sending: Sending, context: EventContext, deadLetter: string): string;
  /** Tells the SIEM that a row vanished with its owner. */
  withdrawn(id: string, tombstone: Removal, stream: Stream, sequence: string, context: EventContext): string;
}
