import { AwsError } from './aws-error.ts';

export interface Unchunked {
  readonly content: Buffer;
  /** Trailing headers, names in lower case. */
  readonly trailers: ReadonlyMap<string, string>;
}

/**
 * Undoes the `aws-chunked` content encoding, in which the SDKs send a body whose checksum they only know at its end:
 * `<hex length>[;chunk-signature=…]\r\n<bytes>\r\n … 0\r\n[name:value\r\n …]\r\n`.
 */
export function unchunk(body: Buffer): Unchunked {
  const parts: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const [line, next] = readLine(body, offset);
    const hex = /^([0-9a-f]{1,8})(;|$)/i.exec(line)?.[1];
    if (hex === undefined) throw incomplete('A chunk has no length.');
    const length = Number.parseInt(hex, 16);
    if (length === 0) return { content: Buffer.concat(parts), trailers: readTrailers(body, next) };
    parts.push(body.subarray(next, next + length));
    offset = next + length + 2;
    if (body.toString('latin1', offset - 2, offset) !== '\r\n') throw incomplete('A chunk is shorter than it says.');
  }
}

function readTrailers(body: Buffer, start: number): Map<string, string> {
  const trailers = new Map<string, string>();
  let offset = start;
  while (offset < body.length) {
    const [line, next] = readLine(body, offset);
    const colon = line.indexOf(':');
    if (colon > 0) trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
    offset = next;
  }
  return trailers;
}

function readLine(body: Buffer, start: number): [line: string, next: number] {
  const end = body.indexOf('\r\n', start);
  if (end < 0) throw incomplete('The chunked body ends in the middle of a line.');
  return [body.toString('latin1', start, end), end + 2];
}

function incomplete(message: string): AwsError {
  return new AwsError(400, 'IncompleteBody', message);
}
