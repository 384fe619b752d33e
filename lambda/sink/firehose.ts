/** Sends event lines to the delivery stream until every record is acknowledged. */
import { PutRecordBatchCommand, type PutRecordBatchResponseEntry } from '@aws-sdk/client-firehose';
import { awsFailure, callAws, isLeaseError, type Sender } from '../aws.ts';
import { DeliveryError, OutOfTimeError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import { serviceWord } from '../core/public-error.ts';
import { type RetryBudget, TryAgain } from '../core/retry.ts';
import type { AssertLeaseValid, Delivery } from '../ports.ts';
import { packCalls, packRecords } from './pack.ts';

/** Error codes of throttled or transiently failed records. */
const THROTTLE_CODES = /^(ServiceUnavailable|Throttling|LimitExceeded)/;

export function createFirehose(client: Sender, stream: string, retryBudget: RetryBudget): Delivery {
  return {
    async deliver(lines, assertLeaseValid) {
      const calls = packCalls(packRecords(lines));
      const waited = await inParallel(calls, (records, stop) =>
        putRecords(client, stream, records, { retryBudget, assertLeaseValid, stop }),
      );
      return Math.max(0, ...waited);
    },
  };
}

interface PutOptions {
  readonly retryBudget: RetryBudget;
  readonly assertLeaseValid: AssertLeaseValid;
  /** Aborts when another call of the same delivery has failed. */
  readonly stop: AbortSignal;
}

/**
 * Of a partial failure only the refused records are sent again: the others have arrived.
 *
 *     records 1 2 3 4   →   answer ok, throttled, ok, throttled   →   records 2 4   →   …
 *
 * @returns milliseconds spent waiting because of throttling
 */
async function putRecords(
  client: Sender,
  stream: string,
  records: readonly Uint8Array[],
  { retryBudget, assertLeaseValid, stop }: PutOptions,
): Promise<number> {
  let left = records;
  let throttled = 0;
  const put = async () => {
    const input = { DeliveryStreamName: stream, Records: left.map(Data => ({ Data })) };
    const answer = await client.send(new PutRecordBatchCommand(input)).catch((cause: unknown) => {
      throw new TryAgain(awsFailure(cause), deliveryError(cause));
    });
    const entries: PutRecordBatchResponseEntry[] = answer.RequestResponses ?? [];
    if (entries.length !== left.length) throw new DeliveryError('it did not answer for each record');
    // FailedPutCount is no error: the answer is 200, and each entry must be read.
    left = left.filter((_, index) => entries[index]?.ErrorCode !== undefined);
    if (left.length === 0) return;
    const codes = new Set(entries.flatMap(entry => entry.ErrorCode ?? []));
    const failure = [...codes].every(code => THROTTLE_CODES.test(code)) ? 'throttled' : 'transient';
    throw new TryAgain(failure, new DeliveryError(`it keeps answering ${wordsOf(codes)}`));
  };
  await callAws(put, retryBudget, {
    stop,
    // Before each try: tries continue for longer than a lease lasts, and another run may have taken over since.
    async before() {
      stop.throwIfAborted();
      await assertLeaseValid();
    },
    onWait: (milliseconds, failure) => {
      if (failure === 'throttled') throttled += milliseconds;
    },
    giveUp: (error, reason) => {
      if (reason === 'time') return new OutOfTimeError('while Firehose refused records', throttled);
      return error instanceof TryAgain ? error.instead : error;
    },
  });
  return throttled;
}

function deliveryError(cause: unknown): Error {
  if (cause instanceof Error && isLeaseError(cause)) return cause;
  return new DeliveryError((cause instanceof Error && serviceWord(cause.name)) || 'the call failed', { cause });
}

/** A text that is no code is left out: it may echo a row. */
function wordsOf(codes: ReadonlySet<string>): string {
  return [...new Set([...codes].map(code => serviceWord(code) ?? 'an unknown code'))].join(', ');
}
