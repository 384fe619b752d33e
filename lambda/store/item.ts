/**
 * Items of the state table: their keys, and the version that each one carries, so that an item of another version is recognized and never
 * misread.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { StateVersionError } from '../core/errors.ts';
import type { Hash, Listing } from '../ports.ts';
import type { StreamName } from '../streams.ts';

export type Item = Record<string, AttributeValue>;

const VERSION = '2';

export function versioned<T extends Item>(key: Key, members: T) {
  return { ...key, ...members, v: { N: VERSION } };
}

/** @throws StateVersionError when another version of the code has written the item */
export function readable(item: Item): Item {
  const version = item['v']?.N;
  if (version !== VERSION) throw new StateVersionError(`${item['pk']?.S?.split('=')[0]}`, version, VERSION);
  return item;
}

/**
 * Keys of the state table. Everything about one id lies in a partition of its own, so no partition runs hot; an asset's
 * child entries are together, because a withdrawal is one query.
 *
 *     pk                     sk                    what
 *     connector              lease                 the lease, and the table's own id
 *     connector              checkpoint#<stream>   cursor, window, generation, the second walk, progress of the refresh
 *     connector              log#<stream>          the object that holds the batch on its way
 *     connector              organization          whose rows the table is about
 *     removals#<stream>      <id>#<sequence>       a removal, or a restoration, still to be worked off
 *     row#<stream>#<id>      state                 the last event of the id, and whether the row exists
 *     children#<stream>#<id> <id>                  a row of <stream> under its parent
 */

export interface Key extends Item {
  readonly pk: { S: string };
  readonly sk: { S: string };
}

export const leaseKey = key('connector', 'lease');

export function checkpointKey(stream: StreamName): Key {
  return key('connector', `checkpoint#${stream}`);
}

export function logKey(stream: StreamName): Key {
  return key('connector', `log#${stream}`);
}

export const organizationKey = key('connector', 'organization');

export function removalsPartition(stream: StreamName): string {
  return `removals#${stream}`;
}

/** The key includes the sequence, so that a batch that is done again deletes only the entry that it has worked off. */
export function removalKey(stream: StreamName, { id, sequence }: Listing, hash: Hash): Key {
  return key(removalsPartition(stream), `${idKey(id, hash)}#${sequence}`);
}

export function rowKey(stream: StreamName, id: string, hash: Hash): Key {
  return key(`${rowPrefix(stream)}${idKey(id, hash)}`, 'state');
}

/** Prefix of the partition keys of all row states. */
export const ROW_PARTITIONS = 'row#';

/** Prefix of the partition keys of the row states of one stream. */
export function rowPrefix(stream: StreamName): string {
  return `${ROW_PARTITIONS}${stream}#`;
}

export function childPartition(stream: StreamName, parent: string, hash: Hash): string {
  return `children#${stream}#${idKey(parent, hash)}`;
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
