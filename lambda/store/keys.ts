/**
 * Keys of the state table. Everything about one id lies in a partition of its own, so no partition runs hot; an asset's
 * memberships lie together, because a withdrawal is one query.
 *
 *     pk                     sk                    what
 *     connector              lease                 the lease
 *     connector              checkpoint#<stream>   cursor, window, generation
 *     connector              in-flight#<stream>    ids about to be sent
 *     withdrawals#<stream>   <id>                  a removal whose consequences are still to be told
 *     row#<stream>#<id>      state                 what was last forwarded of the id
 *     members#<stream>#<id>  <id>                  an owned row of <stream> under its owner
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Hash } from '../ports.ts';
import type { StreamName } from '../streams.ts';

export interface Key extends Record<string, AttributeValue> {
  readonly pk: { S: string };
  readonly sk: { S: string };
}

export const leaseKey = key('connector', 'lease');

export function checkpointKey(stream: StreamName): Key {
  return key('connector', `checkpoint#${stream}`);
}

export function intentsKey(stream: StreamName): Key {
  return key('connector', `in-flight#${stream}`);
}

export function removalsPartition(stream: StreamName): string {
  return `withdrawals#${stream}`;
}

export function removalKey(stream: StreamName, id: string, hash: Hash): Key {
  return key(removalsPartition(stream), idKey(id, hash));
}

export function rowKey(stream: StreamName, id: string, hash: Hash): Key {
  return key(`${rowPrefix(stream)}${idKey(id, hash)}`, 'state');
}

/** What the partitions of all row states begin with. */
export const ROW_PARTITIONS = 'row#';

/** What those of a stream begin with; behind it stands what `idOf` reads. */
export function rowPrefix(stream: StreamName): string {
  return `${ROW_PARTITIONS}${stream}#`;
}

export function childPartition(stream: StreamName, parent: string, hash: Hash): string {
  return `members#${stream}#${idKey(parent, hash)}`;
}

export function childKey(stream: StreamName, parent: string, id: string, hash: Hash): Key {
  return key(childPartition(stream, parent, hash), idKey(id, hash));
}

/** A sort key holds 1,024 bytes; three bytes a character is the most that a well-formed id takes. */
const MAX_PLAIN_LENGTH = 300;

/** Plain ids begin with `=`, hashed ones with `#`, so that no id can pass for another's hash. */
function idKey(id: string, hash: Hash): string {
  // A lone surrogate has no UTF-8 form: two ids that differ only in it would share a key.
  const plain = id.length <= MAX_PLAIN_LENGTH && id.isWellFormed();
  return plain ? `=${id}` : `#${hash(JSON.stringify(id))}`;
}

/** The id that a key stands for; nothing when it was hashed. */
export function idOf(idKey: string | undefined): string | undefined {
  return idKey?.startsWith('=') ? idKey.slice(1) : undefined;
}

function key(pk: string, sk: string): Key {
  return { pk: { S: pk }, sk: { S: sk } };
}
