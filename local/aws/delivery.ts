/**
 * Simulates the delivery of Firehose to the bucket: records are collected in a buffer, which
 * becomes a gzip object.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ObjectStore } from './object-store.ts';

/**
 * Bounds of the buffer. Firehose delivers the buffer as soon as it reaches one of the two bounds.
 */
export interface BufferBounds {
  readonly bytes: number;
  /**
   * If the interval is 0, every call is delivered before it is acknowledged, so that acknowledged
   * records survive a kill of this process. Otherwise acknowledged records are only in memory until
   * the interval ends.
   */
  readonly milliseconds: number;
}

export const WRITE_THROUGH: BufferBounds = { bytes: Number.POSITIVE_INFINITY, milliseconds: 0 };

export interface DeliveryTarget {
  readonly store: ObjectStore;
  readonly bucket: string;
  /** Beginning of the key, before `yyyy/MM/dd/HH/`. It ends in `/` to name a folder. */
  readonly prefix: string;
  readonly streamName: string;
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Called for each object that was put into the bucket. */
  readonly onDelivered?: (object: DeliveredObject) => void;
  /** Called when a later delivery of the buffer fails. Without it, the rejection is unhandled. */
  readonly onFailure?: (error: unknown) => void;
  /**
   * Runs the task once after this number of milliseconds.
   *
   * @returns a function that cancels the task
   */
  readonly later: (task: () => void, milliseconds: number) => () => void;
}

export interface DeliveredObject {
  readonly bucket: string;
  readonly key: string;
  /** Size of the records before compression. */
  readonly bytes: number;
  /** Time from the first record to the delivery. */
  readonly heldMilliseconds: number;
}

export interface DeliveryBuffer {
  accept(records: readonly Uint8Array[]): Promise<void>;
  /** Delivers the records in the buffer, if there are any. */
  flush(): Promise<void>;
}

const compress = promisify(gzip);

export function createDeliveryBuffer(target: DeliveryTarget, buffering: BufferBounds): DeliveryBuffer {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  let firstArrival = 0;
  let cancel = (): void => {};
  let delivery: Promise<void> = Promise.resolve();

  const write = async (records: readonly Uint8Array[], arrival: number): Promise<void> => {
    const { store, bucket, now, onDelivered } = target;
    const key = objectKey(target, arrival);
    const content = Buffer.concat(records);
    await store.put(bucket, key, await compress(content));
    onDelivered?.({ bucket, key, bytes: content.length, heldMilliseconds: now() - arrival });
  };
  const deliver = async (): Promise<void> => {
    cancel();
    if (pending.length === 0) return;
    const taken = pending;
    pending = [];
    bytes = 0;
    await write(taken, firstArrival);
  };
  const flush = (): Promise<void> => {
    delivery = delivery.then(deliver);
    return delivery;
  };
  const flushUnwatched = (): void => {
    const flushed = flush();
    void (target.onFailure ? flushed.catch(target.onFailure) : flushed);
  };

  return {
    flush,
    async accept(records) {
      if (buffering.milliseconds === 0) return write(records, target.now());
      if (pending.length === 0) {
        firstArrival = target.now();
        cancel = target.later(flushUnwatched, buffering.milliseconds);
      }
      for (const record of records) {
        pending.push(record);
        bytes += record.length;
      }
      if (bytes >= buffering.bytes) flushUnwatched();
    },
  };
}

function objectKey({ prefix, streamName }: DeliveryTarget, arrival: number): string {
  const [date = '', time = ''] = new Date(arrival).toISOString().split(/[T.]/);
  const folder = `${date.replaceAll('-', '/')}/${time.slice(0, 2)}`;
  return `${prefix}${folder}/${streamName}-1-${date}-${time.replaceAll(':', '-')}-${crypto.randomUUID()}.json.gz`;
}
