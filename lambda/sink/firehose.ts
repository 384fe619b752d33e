/** Sends event lines to the delivery stream until every record is acknowledged. */
import {
  PutRecordBatchCommand,
  type PutRecordBatchOutput,
  type PutRecordBatchResponseEntry,
} from '@aws-sdk/client-firehose';
import { awsFailure, callAws, isThrottle, type Sender } from '../aws.ts';
import { DeliveryError, OutOfTimeError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import { awsErrorName } from '../core/public-error.ts';
import { type RetryBudget, TryAgain } from '../core/retry.ts';
import type { Delivery } from '../ports.ts';

export function createDelivery(client: Sender, stream: string, budget: RetryBudget): Delivery {
  return {
    async deliver(records, assertLeaseValid) {
      await inParallel(packCalls(records), async (call, stop) => {
        const put = putter(client, stream, call);
        // The lease is checked before each try, because tries continue for longer than a lease
        // lasts and another run may have taken over.
        await callAws(put, { budget, before: assertLeaseValid, stop, failed: deliveryError });
      });
    },
  };
}

/**
 * Returns a function that makes one try to send the records that Firehose has not acknowledged.
 * After a partial failure only the refused records are sent again. After an answer that contradicts
 * itself all records are sent again, because the answer does not say which of them were taken:
 *
 *     records 1 2 3 4   →   ok, throttled, ok, neither id nor code   →   records 2 4   →   …
 *     records 1 2 3 4   →   ok, ok                                   →   records 1 2 3 4   →   …
 */
function putter(client: Sender, stream: string, records: readonly Uint8Array[]): () => Promise<void> {
  let left = records;
  return async () => {
    const input = { DeliveryStreamName: stream, Records: left.map(Data => ({ Data })) };
    const answer: PutRecordBatchOutput = await client.send(new PutRecordBatchCommand(input));
    const refusals = refusalsIn(answer, left.length);
    if (!refusals) throw new TryAgain('transient', new DeliveryError('it did not answer for each record'));

    left = left.filter((_, index) => refusals[index] !== undefined);
    if (left.length === 0) return;

    const codes = new Set(refusals.filter(code => code !== undefined));
    if ([...codes].every(isThrottle)) throw new TryAgain('throttled', waitedOut());
    throw new TryAgain('transient', new DeliveryError(`it keeps answering ${wordsOf(codes)}`));
  };
}

/**
 * Returns the error for a time budget that ends while Firehose throttles. The stream continues in
 * the next run.
 */
function waitedOut(): OutOfTimeError {
  return new OutOfTimeError('while Firehose refused records');
}

function deliveryError(cause: unknown): Error {
  if (cause instanceof DeliveryError || cause instanceof OutOfTimeError) return cause;
  if (awsFailure(cause) === 'throttled') return waitedOut();
  return new DeliveryError((cause instanceof Error && awsErrorName(cause.name)) || 'the call failed', { cause });
}

/**
 * Finds the error code of each record. The code is undefined for a record that was taken, and empty
 * if the entry of a refused record does not contain a code. Only an id shows that a record was
 * taken, because the status is 200 in any case.
 *
 * @returns undefined when the answer does not have one entry for each record, or when its entries
 * contradict the number of failures that it states
 */
function refusalsIn(
  { RequestResponses: entries = [], FailedPutCount }: PutRecordBatchOutput,
  sent: number,
): (string | undefined)[] | undefined {
  const refusals = entries.map(refusalIn);
  const refused = refusals.filter(code => code !== undefined).length;
  // An entry without id and code does not acknowledge its record, but Firehose may not have counted
  // it as a failure.
  const withCode = refusals.filter(Boolean).length;
  const failed = FailedPutCount ?? refused;
  return refusals.length === sent && failed >= withCode && failed <= refused ? refusals : undefined;
}

function refusalIn(entry: PutRecordBatchResponseEntry | null): string | undefined {
  const code = entry?.ErrorCode ?? undefined;
  return entry?.RecordId && code === undefined ? undefined : (code ?? '');
}

/**
 * Names the codes for a message. Text that is not an error code is left out, because it may contain
 * a row.
 */
function wordsOf(codes: ReadonlySet<string>): string {
  const words = [...codes].map(code => (code === '' ? 'no record id' : (awsErrorName(code) ?? 'an unknown code')));
  return [...new Set(words)].join(', ');
}

const MAX_CALL_RECORDS = 500;
/**
 * Largest call, in bytes. AWS does not say whether its 4 MiB are counted before base64, so the
 * larger count must fit, including the JSON around it.
 */
const MAX_CALL_BYTES = 4 * 1024 * 1024;
const RECORD_OVERHEAD_BYTES = 16;
const CALL_OVERHEAD_BYTES = 1024;

/** Packs records into calls. */
export function packCalls(records: readonly Uint8Array[]): Uint8Array[][] {
  const calls: Uint8Array[][] = [];
  let room = 0;
  for (const record of records) {
    const size = Math.ceil(record.byteLength / 3) * 4 + RECORD_OVERHEAD_BYTES;
    const call = calls.at(-1);
    if (!call || size > room || call.length === MAX_CALL_RECORDS) {
      calls.push([record]);
      room = MAX_CALL_BYTES - CALL_OVERHEAD_BYTES - size;
    } else {
      call.push(record);
      room -= size;
    }
  }
  return calls;
}
