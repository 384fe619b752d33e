import { isUtf8 } from 'node:buffer';
import { closeSync, createReadStream, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync } from 'node:zlib';

/** Folders of a bucket without events. */
const NOT_EVENTS = new Set(['delivery-errors', 'dead-letter']);

/** Absolute paths of the event files below a folder, sorted. @throws QueryRequestError when there are none */
export async function deliveredFiles(folder: string): Promise<string[]> {
  const root = resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) throw new QueryRequestError(`There is no folder ${root}. ${WHAT_TO_DO}`);
  const files = (await gzippedFiles(root)).filter(isOfEvents(root));
  if (files.length > 0) return files.sort();
  throw new QueryRequestError(`There are no .gz files of events below ${root}. ${WHAT_TO_DO}`);
}

async function gzippedFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile() && entry.name.endsWith('.gz'));
  return files.map(entry => join(entry.parentPath, entry.name));
}

function isOfEvents(root: string): (file: string) => boolean {
  return file =>
    !relative(root, file)
      .split(sep)
      .some(part => NOT_EVENTS.has(part));
}

const WHAT_TO_DO = 'Run npm start first, or name the folder with --folder.';

export interface FaultyFile {
  readonly file: string;
  /** The fault, as the end of a sentence that begins with the file's name. */
  readonly fault: string;
}

export interface CheckedFiles {
  readonly readable: readonly string[];
  readonly faulty: readonly FaultyFile[];
}

/**
 * Separates the files that can be read completely from all others. DuckDB reads damaged files, returns altered rows as valid,
 * and answers nothing when one file is not what it expects.
 */
export async function checkFiles(files: readonly string[]): Promise<CheckedFiles> {
  const faults: (string | undefined)[] = [];
  const left = files.entries();
  const worker = async (): Promise<void> => {
    for (const [index, file] of left) faults[index] = await fileFault(file);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return {
    readable: files.filter((_, index) => faults[index] === undefined),
    faulty: files.flatMap((file, index) => {
      const fault = faults[index];
      return fault === undefined ? [] : [{ file, fault }];
    }),
  };
}

/** Most files are small. A stream for each would take ten times as long as reading it. */
export const AT_ONCE_BYTES = 256 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Why a file cannot be read completely; undefined when its checksums are right and DuckDB can read its lines. */
export async function fileFault(file: string): Promise<string | undefined> {
  // DuckDB takes each file as a pattern, and patterns cannot contain a backslash.
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

/** Extra fields and a name. DuckDB supports no other flag. */
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

/** Each file is decompressed in its own thread. */
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

/** zlib skips zeros after the end. */
function behindFault(read: number, size: number): string | undefined {
  return read < size ? BYTES_BEHIND : undefined;
}

/** `info` is not in Node's types. */
function inflated(bytes: Buffer): { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } {
  return gunzipSync(bytes, { info: true }) as unknown as ReturnType<typeof inflated>;
}

const BYTES_BEHIND = 'has other bytes after its end';

function faultOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'Z_BUF_ERROR') return 'is cut short';
  if (message === 'incorrect header check') return BYTES_BEHIND;
  return code?.startsWith('Z_') ? `is damaged (${message})` : `cannot be opened (${code ?? message})`;
}

/** Twice the size limit of a Firehose record. */
export const LONGEST_LINE_BYTES = 2_048_000;

const NEW_LINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Finds what DuckDB's reader refuses in lines. Takes a file piece by piece. */
export class LineCheck {
  /** The start of a line whose end is not read yet. */
  #begun: Buffer = Buffer.alloc(0);

  /** @returns what is wrong, as the end of a sentence */
  take(piece: Buffer): string | undefined {
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece]);
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    this.#begun = bytes.subarray(end);
    return faultOfLines(bytes.subarray(0, end)) ?? (this.#begun.length > LONGEST_LINE_BYTES ? TOO_LONG : undefined);
  }

  /** The last line may lack its end. */
  end(): string | undefined {
    return faultOfLines(this.#begun);
  }
}

const TOO_LONG = `has a line of more than ${LONGEST_LINE_BYTES.toLocaleString('en')} bytes`;

function faultOfLines(bytes: Buffer): string | undefined {
  if (bytes.includes(CARRIAGE_RETURN)) return 'has carriage returns';
  if (!isUtf8(bytes)) return 'is not UTF-8';
  return hasLongLine(bytes) ? TOO_LONG : undefined;
}

/** Jumps from line end to line end, as far as a line may reach. */
function hasLongLine(bytes: Buffer): boolean {
  let start = 0;
  while (bytes.length - start > LONGEST_LINE_BYTES) {
    const end = bytes.lastIndexOf(NEW_LINE, start + LONGEST_LINE_BYTES);
    if (end < start) return true;
    start = end + 1;
  }
  return false;
}
/** The options are wrong, or there are no files. Nothing was read. */
export class QueryRequestError extends Error {
  override readonly name = 'QueryRequestError';
}

/** The SQL cannot be run. The files are as they were. */
export class QueryFailedError extends Error {
  override readonly name = 'QueryFailedError';
}
