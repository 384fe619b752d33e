/** Sends event lines to the delivery stream until every record is acknowledged. */
import { PutRecordBatchCommand, type PutRecordBatchResponseEntry } from '@aws-sdk/client-firehose';
import { isThrottle, isTransient, type Sender } from '../aws.ts';
import { DeliveryError, OutOfTimeError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import { serviceWord } from '../core/public-error.ts';
import { backoff, MAX_ATTEMPTS, type RetryBudget } from '../core/retry.ts';
import type { AssertLeaseValid, Delivery } from '../ports.ts';
import { packCalls, packRecords } from './pack.ts';

/** Codes of records that a partial failure returns for want of room, or of luck. */
const THROTTLE_CODES = /^(ServiceUnavailable|Throttling|LimitExceeded)/;

export function createFirehose(client: Sender, stream: string, retryBudget: RetryBudget): Delivery {
  return {
    async deliver(lines, assertLeaseValid) {
      const calls = packCalls(packRecords(lines));
      const waited = await inParallel(calls, (records, stop) =>
        new Batch(client, stream, retryBudget, stop).send(records, assertLeaseValid),
      );
      return Math.max(0, ...waited);
    },
  };
}

/** What is left of a call, and why: one reason, for the message. */
interface Refusal {
  readonly refused: readonly Uint8Array[];
  readonly throttled: boolean;
  readonly reason: string;
  readonly cause?: unknown;
}

class Batch {
  readonly #client: Sender;
  readonly #stream: string;
  readonly #retryBudget: RetryBudget;
  readonly #stop: AbortSignal;
  #throttles = 0;
  #failures = 0;
  #throttledMilliseconds = 0;

  constructor(client: Sender, stream: string, retryBudget: RetryBudget, stop: AbortSignal) {
    this.#client = client;
    this.#stream = stream;
    this.#retryBudget = retryBudget;
    this.#stop = stop;
  }

  /** @returns milliseconds spent waiting because of throttling */
  async send(records: readonly Uint8Array[], assertLeaseValid: AssertLeaseValid): Promise<number> {
    let left = records;
    for (;;) {
      this.#stop.throwIfAborted();
      // Before each try: tries go on for longer than a lease lasts, and another run may have taken over meanwhile.
      await assertLeaseValid();
      const refusal = await this.#put(left);
      left = refusal.refused;
      if (left.length === 0) return this.#throttledMilliseconds;
      await this.#pause(refusal);
    }
  }

  /** Only what was refused is sent again: of a partial failure the rest has arrived. */
  async #put(records: readonly Uint8Array[]): Promise<Refusal> {
    const input = { DeliveryStreamName: this.#stream, Records: records.map(Data => ({ Data })) };
    let entries: PutRecordBatchResponseEntry[];
    try {
      entries = (await this.#client.send(new PutRecordBatchCommand(input))).RequestResponses ?? [];
    } catch (cause) {
      const reason = (cause instanceof Error && serviceWord(cause.name)) || 'the call failed';
      const throttled = isThrottle(cause);
      if (throttled || isTransient(cause)) return { refused: records, throttled, reason, cause };
      throw new DeliveryError(reason, { cause });
    }
    if (entries.length !== records.length) throw new DeliveryError('it did not answer for each record');
    // FailedPutCount is no error: the answer is 200, and each entry must be read.
    const refused = records.filter((_, index) => entries[index]?.ErrorCode !== undefined);
    const codes = new Set(entries.flatMap(entry => entry.ErrorCode ?? []));
    return { refused, throttled: [...codes].every(code => THROTTLE_CODES.test(code)), reason: wordsOf(codes) };
  }

  /** Throttling is waited out until the time budget ends, other refusals are tried again a few times. */
  async #pause({ throttled, reason, cause }: Refusal): Promise<void> {
    const { clock, random, timeLeft } = this.#retryBudget;
    const attempt = throttled ? ++this.#throttles : ++this.#failures;
    if (!throttled && attempt >= MAX_ATTEMPTS) throw new DeliveryError(`it keeps answering ${reason}`, { cause });
    const delay = backoff(attempt, random);
    if (delay >= timeLeft()) throw new OutOfTimeError('while Firehose refused records', this.#throttledMilliseconds);
    await clock.sleep(delay, this.#stop);
    if (throttled) this.#throttledMilliseconds += delay;
  }
}

/** A text that is no code is left out: it may echo a row. */
function wordsOf(codes: ReadonlySet<string>): string {
  return [...new Set([...codes].map(code => serviceWord(code) ?? 'an unknown code'))].join(', ');
}
