/** `event_id`: the same for the same delivery, however often it is sent and in whichever format. */
import type { Tombstone } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { EventContext, Sending } from './event-format.ts';

const LENGTH = 32;

export function rowEventId({ row, incarnation }: Sending, { hash }: EventContext): string {
  const identity = incarnation === '' ? row.delivery : hash(`${row.delivery}\n${incarnation}`);
  return identity.slice(0, LENGTH);
}

export function oversizeEventId({ row, incarnation }: Sending, { hash }: EventContext): string {
  return hash(`oversize\n${row.delivery}\n${incarnation}`).slice(0, LENGTH);
}

/** One for a row and a tombstone: what is withdrawn again after a crash bears the same. */
export function withdrawnEventId(id: string, tombstone: Tombstone, stream: Stream, { hash }: EventContext): string {
  const identity = [stream.name, 'withdrawn', JSON.stringify(id), JSON.stringify(tombstone.id), tombstone.position];
  return hash([...identity, tombstone.deletedAt].join('\n')).slice(0, LENGTH);
}
