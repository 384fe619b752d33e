/**
 * Stores the logs of batches as compressed objects below `log/` in the bucket. core/batch.ts
 * defines their format. They are not items of the table, because an item holds 400 KB, and the log
 * of 500 rows would cost some 84 write units, ten times the price of an object.
 */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LogError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import type { LogStore } from '../ports.ts';
import { type BucketOptions, createBucketCall } from './bucket.ts';

/** Prefix of every log, which the policy of the function and a lifecycle rule name. */
export const LOG_PREFIX = 'log/';

/**
 * Fastest level of compression. With it, the log of 500 rows of a kilobyte each has some 84 kB, and
 * is compressed in a millisecond.
 */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressAside = promisify(zstdCompress);
/**
 * Size from which a batch is compressed outside the main thread. For a smaller batch, the switch
 * would take longer than the compression.
 */
const LARGE_BYTES = 256 * 1024;

async function compress(batch: Uint8Array): Promise<Uint8Array> {
  return batch.length < LARGE_BYTES ? zstdCompressSync(batch, FASTEST) : compressAside(batch, FASTEST);
}

export function createLogStore(options: BucketOptions): LogStore {
  const call = createBucketCall(options);
  const failed = (action: string) => (cause: unknown) => new LogError(action, { cause });
  return {
    async put(stream, sequence, batch, assertLeaseValid) {
      const key = `${LOG_PREFIX}${stream}/${sequence}`;
      const object = { Key: key, Body: await compress(batch), ContentType: 'application/zstd' };
      const policy = { before: assertLeaseValid, failed: failed('be written') };
      return { key, version: await call(objects => objects.put(object), policy) };
    },
    async get(key) {
      const found = await call(objects => objects.get(key), { failed: failed('be read') });
      return found && { stored: { key, version: found.version }, batch: decompressed(found.bytes) };
    },
    async delete(logs) {
      await inParallel(logs, ({ key, version }) =>
        call(objects => objects.delete(key, version), { failed: failed('be deleted') }),
      );
    },
  };
}

/** @throws LogError when the object is not a log, for example the page of a proxy */
function decompressed(bytes: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(bytes);
  } catch (cause) {
    throw new LogError('be read', { cause });
  }
}
