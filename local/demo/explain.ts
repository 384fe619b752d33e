/** One row, from end to end: its versions at the API, the events that the SIEM read, and the state that the connector keeps. Pure. */
import type { RowState } from '../../lambda/ports.ts';
import type { RowVersion } from './history.ts';
import type { ReadEvent } from './siem.ts';

export interface RowParts {
  readonly stream: string;
  readonly id: string;
  readonly versions: readonly Pick<RowVersion, 'change' | 'row' | 'at'>[];
  readonly events: readonly ReadEvent[];
  /** Whether the connector keeps a state for each row of the stream. */
  readonly hasRowStates: boolean;
  readonly state: RowState | undefined;
  readonly difference: string | undefined;
}

export interface RowExplanation {
  readonly stream: string;
  readonly id: string;
  /** One sentence. */
  readonly summary: string;
  /** Oldest first. */
  readonly versions: readonly { readonly at: number | null; readonly change: string; readonly row: string | null }[];
  readonly events: readonly {
    readonly eventId: string;
    readonly sequence: string;
    readonly kind: string;
    readonly forwardedAt: string;
    readonly readAt: number;
    readonly object: string;
    readonly row: string | null;
    /** A repeat: the SIEM had read this event before. */
    readonly isRepeat: boolean;
    /** Of all events of the row, the greatest `sequence`: what the SIEM's copy holds. */
    readonly isHeld: boolean;
  }[];
  readonly state: Readonly<Record<string, string | number | boolean>> | null;
  /** Why there is no state. */
  readonly noState: string | null;
}

/** @returns undefined for an unknown row */
export function explainRow(parts: RowParts): RowExplanation | undefined {
  const { stream, id, versions, events, state } = parts;
  if (versions.length === 0 && events.length === 0 && state === undefined) return undefined;
  const seen = new Set<string>();
  const held = events.reduce((greatest, { sequence }) => (sequence > greatest ? sequence : greatest), '');
  return {
    stream,
    id,
    summary: summaryOf(parts),
    versions: versions.map(({ at, change, row }) => ({ at: at || null, change, row: row ?? null })),
    events: events.map(event => {
      const isRepeat = seen.has(event.event_id);
      seen.add(event.event_id);
      const { event_id: eventId, sequence, kind, forwarded_at: forwardedAt, readAt, object, row = null } = event;
      return { eventId, sequence, kind, forwardedAt, readAt, object, row, isRepeat, isHeld: sequence === held };
    }),
    state: stateMembers(state),
    noState: state === undefined ? noState(parts) : null,
  };
}

function summaryOf({ difference, events, versions }: RowParts): string {
  switch (difference) {
    case 'missing':
      return events.length === 0
        ? 'The SIEM does not have it yet.'
        : 'It was restored, and the SIEM does not know yet.';
    case 'different':
      return 'The SIEM has an older version.';
    case 'extra':
      return 'It is gone, and the SIEM still has it.';
    default:
      if (versions.at(-1)?.change === 'removed') return 'It is gone, and the SIEM knows.';
      return 'The SIEM has it, to the last digit.';
  }
}

function stateMembers(state: RowState | undefined): Record<string, string | number | boolean> | null {
  if (state === undefined) return null;
  const { status, rowHash, parent, sequence, forwardedAt, generation } = state;
  return {
    'row hash': rowHash,
    status,
    ...(parent === undefined ? {} : { parent }),
    sequence,
    'forwarded at': forwardedAt,
    generation,
  };
}

function noState({ hasRowStates }: RowParts): string {
  return hasRowStates
    ? 'None: no event of this row was sent.'
    : 'None: rows of this stream never change, so only the de-duplication window recognizes them.';
}
