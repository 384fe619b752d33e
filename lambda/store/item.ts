/**
 * Items of the state table: their keys, and a version and a checksum that each one carries, so that an item of another version, or one
 * that was changed by hand, is recognized and never misread. Names of attributes (`seal` is the checksum) are read by earlier releases
 * too, so they stay.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Hash } from '../ports.ts';
import type { StreamName } from '../streams.ts';

export type Item = Record<string, AttributeValue>;

/** Goes into a batch: its attributes are JSON as they are. */
export type TextItem = Record<string, { S: string } | { N: string } | { BOOL: boolean }>;

const VERSION = '1';
const CHECKSUM_LENGTH = 16;
/** Not under the checksum: the key is its salt, and the fence moves without the rest. */
const NOT_IN_CHECKSUM = new Set(['pk', 'sk', 'v', 'seal', 'epoch']);

export function withChecksum<T extends Item>(key: Key, members: T, hash: Hash) {
  return { ...key, ...members, v: { N: VERSION }, seal: { S: checksumOf(key, members, hash) } };
}

/** @returns why the item must not be read; nothing when it is intact */
export function integrityError(item: Item, hash: Hash): string | undefined {
  const version = item['v']?.N;
  if (version !== VERSION) {
    return version === undefined ? 'it has no version' : `it has version ${version}, this code reads ${VERSION}`;
  }
  const { pk, sk } = item;
  if (pk?.S === undefined || sk?.S === undefined) return 'it has no key';
  const intact = item['seal']?.S === checksumOf({ pk: { S: pk.S }, sk: { S: sk.S } }, item, hash);
  return intact ? undefined : 'it was changed by something other than this connector';
}

function checksumOf(key: Key, members: Item, hash: Hash): string {
  let checked = `${key.pk.S}\n${key.sk.S}`;
  for (const name of inOrder(Object.keys(members))) {
    if (!NOT_IN_CHECKSUM.has(name)) checked += `\n${name}\n${text(members[name]!)}`;
  }
  return hash(checked).slice(0, CHECKSUM_LENGTH);
}

/** Items are written with their members in order: sorting them would cost more than the rest of the checksum. */
function inOrder(names: string[]): string[] {
  for (let i = 1; i < names.length; i++) if (names[i - 1]! > names[i]!) return names.sort();
  return names;
}

/** With its DynamoDB type: a number that became a text is another value. */
function text(value: AttributeValue): string {
  const type = Object.keys(value)[0] ?? '';
  const content: unknown = value[type as keyof AttributeValue];
  return `${type}:${content instanceof Uint8Array ? Buffer.from(content).toString('base64') : String(content)}`;
}

/**
 * Keys of the state table. Everything about one id lies in a partition of its own, so no partition runs hot; an asset's
 * child entries are together, because a withdrawal is one query.
 *
 *     pk                     sk                    what
 *     connector              lease                 the lease
 *     connector              checkpoint#<stream>   cursor, window, generation
 *     connector              in-flight#<stream>    ids about to be sent
 *     connector              refresh#<stream>      how far the stream was read again
 *     withdrawals#<stream>   <id>                  a removal whose child rows are still to be withdrawn
 *     row#<stream>#<id>      state                 what was last forwarded of the id
 *     members#<stream>#<id>  <id>                  a row of <stream> under its parent
 */

export interface Key extends TextItem {
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

export function refreshKey(stream: StreamName): Key {
  return key('connector', `refresh#${stream}`);
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

/** What those of a stream begin with. What follows is for `idOf`. */
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
