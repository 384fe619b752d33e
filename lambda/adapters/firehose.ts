/** Sends event lines to the delivery stream until every record is acknowledged. */
import { PutRecordBatchCommand, type PutRecordBatchResponseEntry } from '@aws-sdk/client-firehose';
import { DeliveryError, OutOfTimeError } from '../core/errors.ts';
import { packCalls, packRecords } from '../core/pack.ts';
import { serviceWord } from '../core/public-error.ts';
import { backoff, MAX_ATTEMPTS } from '../core/retry-policy.ts';
import type { Delivery, Guard } from '../ports.ts';
import { isThrottle, persist, type Sender } from './aws-calls.ts';
import type { Patience } from './patience.ts';

/** Codes of records that a partial failure returns for want of room, or of luck. */
const THROTTLE_CODES = /^(ServiceUnavailable|Throttling|LimitExceeded)/;

export function createFirehose(client: Sender, stream: string, patience: Patience): Delivery {
  return {
    async deliver(lines, guard) {
      const calls = packCalls(packRecords(lines));
      const waited = await Promise.all(calls.map(records => new Batch(client, stream, patience).send(records, guard)));
      return Math.max(0, ...waited);
    },
  };
}

class Batch {
  readonly #client: Sender;
  readonly #stream: string;
  readonly #patience: Patience;
  #throttles = 0;
  #failures = 0;
  #throttledMilliseconds = 0;

  constructor(client: Sender, stream: string, patience: Patience) {
    this.#client = client;
    this.#stream = stream;
    this.#patience = patience;
  }

  /** @returns milliseconds spent waiting because of throttling */
  async send(records: readonly Uint8Array[], guard: Guard): Promise<number> {
    let left = records;
    while (left.length > 0) {
      // Throttling is waited out for longer than a lease lasts, and another run may have taken over meanwhile.
      await guard();
      const { refused, codes } = await this.#put(left);
      if (refused.length > 0) await this.#pause(codes);
      left = refused;
    }
    return this.#throttledMilliseconds;
  }

  /** Only what was refused is sent again: of a partial failure the rest has arrived. */
  async #put(records: readonly Uint8Array[]): Promise<{ refused: Uint8Array[]; codes: Set<string> }> {
    const input = { DeliveryStreamName: this.#stream, Records: records.map(Data => ({ Data })) };
    try {
      const answer = await persistUnlessThrottled(
        () => this.#client.send(new PutRecordBatchCommand(input)),
        this.#patience,
      );
      const entries: PutRecordBatchResponseEntry[] = answer.RequestResponses ?? [];
      if (entries.length !== records.length) throw new DeliveryError('it did not answer for each record');
      // FailedPutCount is no error: the answer is 200, and each entry must be read.
      const refused = records.filter((_, index) => entries[index]?.ErrorCode !== undefined);
      return { refused, codes: new Set(entries.flatMap(entry => entry.ErrorCode ?? [])) };
    } catch (error) {
      if (isThrottle(error)) return { refused: [...records], codes: new Set(['Throttling']) };
      if (error instanceof DeliveryError) throw error;
      throw new DeliveryError((error instanceof Error && serviceWord(error.name)) || 'the call failed', {
        cause: error,
      });
    }
  }

  /** Throttling is waited out until the time budget ends, other refusals are tried again a few times. */
  async #pause(codes: ReadonlySet<string>): Promise<void> {
    const { clock, random, timeLeft } = this.#patience;
    const throttled = [...codes].every(code => THROTTLE_CODES.test(code));
    const attempt = throttled ? ++this.#throttles : ++this.#failures;
    if (!throttled && attempt >= MAX_ATTEMPTS) throw new DeliveryError(`it keeps answering ${wordsOf(codes)}`);
    const delay = backoff(attempt, random);
    if (delay >= timeLeft()) throw new OutOfTimeError('while Firehose throttled', this.#throttledMilliseconds);
    await clock.sleep(delay);
    if (throttled) this.#throttledMilliseconds += delay;
  }
}

/** Codes that look like none are left out: they may echo a row. */
function wordsOf(codes: ReadonlySet<string>): string {
  return [...new Set([...codes].map(code => serviceWord(code) ?? 'an unknown code'))].join(', ');
}

/** Repeats ambiguous failures; a throttle is handed out, so that the time lost to it is counted. */
async function persistUnlessThrottled<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const outcome = await persist(async () => {
    try {
      return { answer: await attempt() };
    } catch (error) {
      if (isThrottle(error)) return { throttle: error };
      throw error;
    }
  }, patience);
  if ('throttle' in outcome) throw outcome.throttle;
  return outcome.answer;
}
