/**
 * Describes how a dead letter is stored in the bucket. Its key is
 * `dead-letter/<connector>/<stream>/<reason>/<hash>.json`. Its body is one line of JSON, which ends
 * with the row or with a summary of the row. lib/prefixes.ts repeats the first part of the key.
 *
 *     {"reason":"no-id","stream":"assets","connector":"acme","row":{"hostname":"web-01"}}
 *     {"reason":"too-deep","stream":"assets","connector":"acme","row_hash":"1b7d…","bytes":4711,"id":"asset-7f3a"}
 */
import type { DeadLetter, RowSummary } from '../ports.ts';
import { STREAMS, type StreamName } from '../streams.ts';

const PREFIX = 'dead-letter';

/** Prefix of the keys of a connector's dead letters, or of the dead letters of one stream. */
export function deadLettersPrefix(connector: string, stream?: StreamName): string {
  return `${[PREFIX, connector, ...(stream ? [stream] : [])].join('/')}/`;
}

/**
 * The key contains the hash of the row, so a row that is delivered again does not become a second
 * object.
 */
export function deadLetterKey({ stream, reason, rowHash }: Omit<DeadLetter, 'row'>, connector: string): string {
  return `${deadLettersPrefix(connector, stream)}${reason}/${rowHash}.json`;
}

/**
 * Reads the stream and the reason from a key. The reason may be known only to another version of
 * the code.
 *
 * @returns undefined when the key is not that of a dead letter of this connector
 */
export function parseDeadLetterKey(key: string, connector: string): { stream: StreamName; reason: string } | undefined {
  const [prefix, of, name, reason, file, ...more] = key.split('/');
  const stream = STREAMS.find(known => known.name === name)?.name;
  const isDeadLetter =
    prefix === PREFIX && of === connector && /^[0-9a-f]+\.json$/.test(file ?? '') && more.length === 0;
  return isDeadLetter && stream && reason ? { stream, reason } : undefined;
}

const ROW_MEMBER = ',"row":';
export const DEAD_LETTER_REASONS: readonly string[] = [
  'not-an-object',
  'no-id',
  'id-too-long',
  'unclear-removal',
  'not-utf-8',
  'too-deep',
  'oversize',
] satisfies DeadLetter['reason'][];

/**
 * The row comes last, exactly as the API sent it. The body contains neither a time nor the id of a
 * run, so the same row always makes the same object.
 */
export function deadLetterBody({ reason, stream, rowHash, row }: DeadLetter, connector: string): Uint8Array {
  const head = { reason, stream, connector };
  if (isSummary(row)) return Buffer.from(`${JSON.stringify({ ...head, row_hash: rowHash, ...row })}\n`);
  const parts = [JSON.stringify(head).slice(0, -1) + ROW_MEMBER, row, '}\n'];
  return Buffer.concat(parts.map(part => Buffer.from(part)));
}

function isSummary(row: DeadLetter['row']): row is RowSummary {
  return typeof row === 'object' && !ArrayBuffer.isView(row);
}
