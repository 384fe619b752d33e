import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { AwsError } from './service.ts';

export interface StoredObject {
  readonly bytes: Buffer;
  readonly modified: Date;
}

/** Buckets as folders, and objects as files. Writes are atomic, even if the process is killed. */
export interface ObjectStore {
  /** @throws AwsError NoSuchBucket */
  put(bucket: string, key: string, bytes: Uint8Array): Promise<void>;
  /** @throws AwsError NoSuchBucket, NoSuchKey */
  get(bucket: string, key: string): Promise<StoredObject>;
  /** Deletes an object. It succeeds for a missing key, too. @throws AwsError NoSuchBucket */
  delete(bucket: string, key: string): Promise<void>;
  /** @throws AwsError NoSuchBucket */
  requireBucket(bucket: string): Promise<unknown>;
  /** Keys that begin with the prefix, in S3's order (UTF-8 bytes). @throws AwsError NoSuchBucket */
  keys(bucket: string, prefix: string): Promise<string[]>;
}

const INCOMING = '.incoming';
const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const LONGEST_KEY_BYTES = 1024;

export async function openObjectStore(root: string, buckets: readonly string[]): Promise<ObjectStore> {
  for (const bucket of buckets) {
    if (!BUCKET_NAME.test(bucket)) throw new RangeError(`${JSON.stringify(bucket)} is not a bucket name.`);
    await mkdir(join(root, bucket), { recursive: true });
  }
  await mkdir(join(root, INCOMING), { recursive: true });

  const folder = async (bucket: string): Promise<string> => {
    const path = join(root, bucket);
    const isThere = BUCKET_NAME.test(bucket) && (await stat(path).catch(undefinedIfMissing));
    if (isThere) return path;
    throw new AwsError(404, 'NoSuchBucket', 'The specified bucket does not exist');
  };
  const file = async (bucket: string, key: string): Promise<string> => join(await folder(bucket), keyToPath(key));

  return {
    async put(bucket, key, bytes) {
      const target = await file(bucket, key);
      if (Buffer.byteLength(key) > LONGEST_KEY_BYTES) {
        throw new AwsError(400, 'KeyTooLongError', 'Your key is too long');
      }
      const incoming = join(root, INCOMING, crypto.randomUUID());
      await mkdir(dirname(target), { recursive: true });
      await writeFile(incoming, bytes);
      await rename(incoming, target);
    },
    async get(bucket, key) {
      const path = await file(bucket, key);
      const found = await Promise.all([readFile(path), stat(path)]).catch(undefinedIfMissing);
      if (found === undefined) throw new AwsError(404, 'NoSuchKey', 'The specified key does not exist.');
      const [bytes, { mtime }] = found;
      return { bytes, modified: mtime };
    },
    delete: async (bucket, key) => rm(await file(bucket, key), { force: true }),
    requireBucket: folder,
    keys: async (bucket, prefix) => listKeys(await folder(bucket), prefix),
  };
}

/**
 * Returns undefined for a missing file, and for a folder, because a folder is not an object. Any
 * other error, such as too many open files, is thrown, because it does not say whether the object
 * exists.
 */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code ?? '')) throw error;
}

async function listKeys(folder: string, prefix: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)));
  const keys = paths.map(path => pathToKey(path.split(sep).join('/'))).filter(key => key.startsWith(prefix));
  return keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
/**
 * Turns an object's key into a path below the bucket's folder. Because an S3 key can be any text,
 * segments with a meaning to the file system (empty, `.`, `..`, a NUL) are escaped, so that no key
 * leaves its bucket.
 */
function keyToPath(key: string): string {
  return key.split('/').map(escapeSegment).join('/');
}

function pathToKey(path: string): string {
  return path.split('/').map(unescapeSegment).join('/');
}

const EMPTY = '%';

function escapeSegment(segment: string): string {
  if (segment === '') return EMPTY;
  const escaped = segment.replaceAll('%', '%25').replaceAll('\0', '%00').replaceAll('\\', '%5C');
  return escaped === '.' || escaped === '..' ? escaped.replaceAll('.', '%2E') : escaped;
}

function unescapeSegment(segment: string): string {
  return segment === EMPTY ? '' : decodeURIComponent(segment);
}
