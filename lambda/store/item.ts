/**
 * Items of the state table: their keys, and the version in each item, so that an item of another
 * version is recognized and never misread.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { StateVersionError } from '../core/errors.ts';
import type { Hash, RemovalEntryKey } from '../ports.ts';
import type { StreamName } from '../streams.ts';

export type Item = Record<string, AttributeValue>;

const VERSION = '2';

export function versionedItem<T extends Item>(key: Key, members: T) {
  return { ...key, ...members, v: { N: VERSION } };
}

/** @throws StateVersionError when another version of the code has written the item */
export function checkedItem(item: Item): Item {
  const version = item['v']?.N;
  if (version !== VERSION) throw new StateVersionError(`${item['pk']?.S?.split('=')[0]}`, version, VERSION);
  return item;
}

/**
 * Keys of the state table. Each row state has a partition of its own, so that row states do not
 * overload a partition. All child entries of an asset share one partition, so that a withdrawal is
 * one query.
 *
 *     pk                     sk                    content
 *     connector              lease                 the lease, and the table's own id
 *     connector              checkpoint#<stream>   cursor, window, generation, the second walk, progress of the refresh
 *     connector              log#<stream>          name of the object that holds the unfinished batch
 *     connector              organization          the organization to which the rows belong
 *     removals#<stream>      <id>#<sequence>       a removal or a restoration that is not yet processed
 *     row#<stream>#<id>      state                 the last event of the id, and whether the row exists
 *     children#<stream>#<parent id>  <id>          a row of <stream> under its parent
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

/**
 * The key includes the sequence, so that a batch that is repeated deletes only the entry that it
 * has processed.
 */
export function removalKey(stream: StreamName, { id, sequence }: RemovalEntryKey, hash: Hash): Key {
  return key(removalsPartition(stream), `${idKey(id, hash)}#${sequence}`);
}

export function rowKey(stream: StreamName, id: string, hash: Hash): Key {
  return key(`${rowPrefix(stream)}${idKey(id, hash)}`, 'state');
}

/** Prefix of the partition keys of all row states. */
export const ROW_PARTITION_PREFIX = 'row#';

/** Prefix of the partition keys of the row states of one stream. */
export function rowPrefix(stream: StreamName): string {
  return `${ROW_PARTITION_PREFIX}${stream}#`;
}

export function childPartition(stream: StreamName, parent: string, hash: Hash): string {
  return `children#${stream}#${idKey(parent, hash)}`;
}

export function childKey(stream: StreamName, parent: string, id: string, hash: Hash): Key {
  return key(childPartition(stream, parent, hash), idKey(id, hash));
}

/**
 * Longest id that is stored in a key as it is. A sort key holds 1,024 bytes, and a character of a
 * well-formed id takes at most three bytes.
 */
const MAX_PLAIN_LENGTH = 300;

/**
 * Plain ids begin with `=` and hashed ids with `#`, so that no id equals the hash of another id.
 */
function idKey(id: string, hash: Hash): string {
  // A lone surrogate has no UTF-8 form, so two ids that differ only in it would share a key.
  const plain = id.length <= MAX_PLAIN_LENGTH && id.isWellFormed();
  return plain ? `=${id}` : `#${hash(JSON.stringify(id))}`;
}

/** @returns the id in a key; undefined when the id was hashed */
export function idInKey(idKey: string | undefined): string | undefined {
  return idKey?.startsWith('=') ? idKey.slice(1) : undefined;
}

function key(pk: string, sk: string): Key {
  return { pk: { S: pk }, sk: { S: sk } };
}
