/**
 * Items of the state table bear the version of their form and a seal over their members, so that one written by another
 * version, or changed by hand, is recognised and never misread.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Hash } from '../ports.ts';
import type { Key } from './keys.ts';

export type Item = Record<string, AttributeValue>;

const VERSION = '1';
const CHECKSUM_LENGTH = 16;
/** Not under the seal: the key is its salt, and the fence moves without the rest. */
const NOT_IN_CHECKSUM = new Set(['pk', 'sk', 'v', 'seal', 'epoch']);

export function withChecksum(key: Key, members: Item, hash: Hash): Item {
  return { ...key, ...members, v: { N: VERSION }, withChecksum: { S: checksumOf(key, members, hash) } };
}

/** @returns why the item must not be read; nothing when it is sound. */
export function integrityError(item: Item, hash: Hash): string | undefined {
  const version = item['v']?.N;
  if (version !== VERSION) {
    return version === undefined ? 'it bears no version' : `it has version ${version}, this code reads ${VERSION}`;
  }
  const { pk, sk } = item;
  if (pk?.S === undefined || sk?.S === undefined) return 'it has no key';
  const sound = item['seal']?.S === checksumOf({ pk: { S: pk.S }, sk: { S: sk.S } }, item, hash);
  return sound ? undefined : 'it was changed by something else than this connector';
}

function checksumOf(key: Key, members: Item, hash: Hash): string {
  let checked = `${key.pk.S}\n${key.sk.S}`;
  for (const name of inOrder(Object.keys(members))) {
    if (!NOT_IN_CHECKSUM.has(name)) checked += `\n${name}\n${text(members[name]!)}`;
  }
  return hash(checked).slice(0, CHECKSUM_LENGTH);
}

/** Items are written with their members in order: sorting them would cost more than the rest of the seal. */
function inOrder(names: string[]): string[] {
  for (let i = 1; i < names.length; i++) if (names[i - 1]! > names[i]!) return names.sort();
  return names;
}

/** With its type's letter: a number that became a text is another value. */
function text(value: AttributeValue): string {
  const type = Object.keys(value)[0] ?? '';
  const content: unknown = value[type as keyof AttributeValue];
  return `${type}:${content instanceof Uint8Array ? Buffer.from(content).toString('base64') : String(content)}`;
}
