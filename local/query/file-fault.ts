import { closeSync, createReadStream, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import { LineCheck } from './line-check.ts';

/** Most files are small, and a stream for each would take ten times as long as what is in them. */
export const AT_ONCE_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Why a file cannot be read whole, or nothing where it can: its checksums hold, and DuckDB's reader takes its lines. */
export async function fileFault(file: string): Promise<string | undefined> {
  // In a list of files each is a pattern, in which a backslash cannot be written.
  if (file.includes('\\') && /[[*?]/.test(file)) return 'has a backslash in its path, and one of *, ? and [';
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { size } = fstatSync(descriptor);
    return (
      headFault(descriptor) ?? (size > AT_ONCE_BYTES ? await streamFault(file, size) : wholeFault(descriptor, size))
    );
  } catch (error) {
    return faultOf(error as NodeJS.ErrnoException);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Extra fields and a name: DuckDB knows no other flag. */
const FLAGS_READ = 0b1100;

function headFault(descriptor: number): string | undefined {
  const head = Buffer.alloc(4);
  const length = readSync(descriptor, head, 0, head.length, 0);
  if (length === 0) return 'is empty';
  if (length === head.length && head.readUInt16BE() !== 0x1f8b) return 'is not gzip';
  return (head[3]! & ~FLAGS_READ) === 0 ? undefined : 'has a gzip header that DuckDB does not read';
}

function wholeFault(descriptor: number, size: number): string | undefined {
  const { buffer, engine } = inflated(readFileSync(descriptor));
  const check = new LineCheck();
  return check.take(buffer) ?? check.end() ?? behindFault(engine.bytesWritten, size);
}

/** Each is inflated in a thread of its own. */
async function streamFault(file: string, size: number): Promise<string | undefined> {
  const check = new LineCheck();
  let fault: string | undefined;
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const bytes = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  await pipeline(bytes, gunzip, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) fault ??= check.take(chunk);
  });
  return fault ?? check.end() ?? behindFault(gunzip.bytesWritten, size);
}

/** zlib passes over zeros there. */
function behindFault(read: number, size: number): string | undefined {
  return read < size ? BYTES_BEHIND : undefined;
}

/** `info` is not in Node's types. */
function inflated(bytes: Buffer): { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } {
  return gunzipSync(bytes, { info: true }) as unknown as ReturnType<typeof inflated>;
}

const BYTES_BEHIND = 'has other bytes behind its end';

function faultOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'Z_BUF_ERROR') return 'is cut short';
  if (message === 'incorrect header check') return BYTES_BEHIND;
  return code?.startsWith('Z_') ? `is damaged (${message})` : `cannot be opened (${code ?? message})`;
}
