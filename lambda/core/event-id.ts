/** `event_id`: the same for the same delivery, however often it is sent and in whichever format. */
import type { Removal } from '../ports.ts';
import type { Stream } from '../streams.ts';
import type { EventContext, Sending } from './event-format.ts';

const LENGTH = 32;

export function rowEventId({ row, revision }: Sending, { hash }: EventContext): string {
  const identity = revision === '' ? row.delivery : hash(`${row.delivery}\n${revision}`);
  return identity.slice(0, LENGTH);
}

export function oversizeEventId({ row, revision }: Sending, { hash }: EventContext): string {
  return hash(`oversize\n${row.delivery}\n${revision}`).slice(0, LENGTH);
}

/** One for a row and a tombstone: what is withdrawn again after a crash bears the same. */
export function withdrawnEventId(id: string, tombstone: Removal, stream: Stream, { hash }: EventContext): string {
  const identity = [stream.name, 'withdrawn', JSON.stringify(id), JSON.stringify(tombstone.id), tombstone.position];
  return hash([...identity, tombstone.deletedAt].join('\n')).slice(0, LENGTH);
}
