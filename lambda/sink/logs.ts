/** Batches on their way, as compressed objects below `log/` in the bucket. core/batch.ts has their format. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { callAws, isLeaseError, type Sender } from '../aws.ts';
import { LogError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import type { RetryBudget } from '../core/retry.ts';
import type { Logs } from '../ports.ts';

/** The prefix of every log, which the policy of the function and a lifecycle rule name. */
export const LOG_PREFIX = 'log/';

/** The fastest level: the log of 500 rows of a kilobyte takes some 84 kB and a millisecond. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressAside = promisify(zstdCompress);
/** A larger batch is compressed away from the main thread. For a smaller one that would take longer than the compression. */
const LARGE_BYTES = 256 * 1024;

async function compress(batch: Uint8Array): Promise<Uint8Array> {
  return batch.length < LARGE_BYTES ? zstdCompressSync(batch, FASTEST) : compressAside(batch, FASTEST);
}

export interface LogOptions {
  /** Created at the first batch: most runs have none, and the S3 client is the heaviest. */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly retryBudget: RetryBudget;
}

export function createLogs({ client, bucket, retryBudget }: LogOptions): Logs {
  const call = async <T>(what: string, attempt: () => Promise<T>, before?: () => Promise<void>): Promise<T> => {
    try {
      return await callAws(attempt, retryBudget, { before });
    } catch (cause) {
      throw cause instanceof Error && isLeaseError(cause) ? cause : new LogError(what, { cause });
    }
  };
  return {
    async put(stream, sequence, batch, assertLeaseValid) {
      const { putObject } = await import('./s3.ts');
      const s3 = await client();
      const key = `${LOG_PREFIX}${stream}/${sequence}`;
      const Body = await compress(batch);
      const input = { Bucket: bucket, Key: key, Body, ContentType: 'application/zstd' };
      const { VersionId: version } = await call('be written', () => s3.send(putObject(input)), assertLeaseValid);
      return { key, version };
    },
    async get(key) {
      const { getObject, isMissing } = await import('./s3.ts');
      const s3 = await client();
      const found = await call('be read', async () => {
        try {
          const { Body, VersionId: version } = await s3.send(getObject({ Bucket: bucket, Key: key }));
          return { stored: { key, version }, bytes: (await Body.transformToByteArray()) as Uint8Array };
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      });
      return found && { stored: found.stored, batch: decompressed(found.bytes) };
    },
    async delete(logs) {
      if (logs.length === 0) return;
      const { deleteObject } = await import('./s3.ts');
      const s3 = await client();
      await inParallel(logs, ({ key, version }) => {
        const input = { Bucket: bucket, Key: key, ...(version && { VersionId: version }) };
        return call('be deleted', () => s3.send(deleteObject(input)));
      });
    },
  };
}

/** @throws LogError for an object that is not a log, such as the page of a proxy */
function decompressed(bytes: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(bytes);
  } catch (cause) {
    throw new LogError('be read', { cause });
  }
}
