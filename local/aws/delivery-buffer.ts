import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ObjectStore } from './object-store.ts';

/** When Firehose delivers what it has buffered: at whichever bound is reached first. */
export interface Buffering {
  readonly bytes: number;
  /**
   * 0 delivers every call before it is acknowledged, so that what was acknowledged survives a kill of this process. Any
   * other interval keeps acknowledged records in memory meanwhile.
   */
  readonly milliseconds: number;
}

export const WRITE_THROUGH: Buffering = { bytes: Number.POSITIVE_INFINITY, milliseconds: 0 };

export interface DeliveryTarget {
  readonly store: ObjectStore;
  readonly bucket: string;
  /** Put before `yyyy/MM/dd/HH/`; ends in `/` to make a folder. */
  readonly prefix: string;
  readonly streamName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs the task once after that many milliseconds; returns what calls it off. */
  readonly later: (task: () => void, milliseconds: number) => () => void;
}

export interface DeliveryBuffer {
  accept(records: readonly Uint8Array[]): Promise<void>;
  /** Delivers what is buffered, if anything. */
  flush(): Promise<void>;
  /** Objects delivered so far. */
  readonly objects: number;
}

const compress = promisify(gzip);

export function createDeliveryBuffer(target: DeliveryTarget, buffering: Buffering): DeliveryBuffer {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  let objects = 0;
  let firstArrival = 0;
  let callOff = (): void => {};
  let delivery: Promise<void> = Promise.resolve();
  let failure: unknown;

  const write = async (records: readonly Uint8Array[], arrival: number): Promise<void> => {
    await target.store.put(target.bucket, objectKey(target, arrival), await compress(Buffer.concat(records)));
    objects += 1;
  };
  const deliver = async (): Promise<void> => {
    callOff();
    if (pending.length === 0) return;
    const taken = pending;
    pending = [];
    bytes = 0;
    try {
      await write(taken, firstArrival);
      failure = undefined;
    } catch (error) {
      pending = [...taken, ...pending];
      throw error;
    }
  };
  const flush = (): Promise<void> => {
    delivery = delivery.catch(() => {}).then(deliver);
    return delivery;
  };
  const flushLater = (): void => {
    flush().catch(error => {
      failure = error;
    });
  };

  return {
    flush,
    get objects() {
      return objects;
    },
    async accept(records) {
      if (buffering.milliseconds === 0) return write(records, target.now());
      if (failure !== undefined) throw failure;
      if (pending.length === 0) {
        firstArrival = target.now();
        callOff = target.later(flushLater, buffering.milliseconds);
      }
      for (const record of records) {
        pending.push(record);
        bytes += record.length;
      }
      if (bytes >= buffering.bytes) flushLater();
    },
  };
}

function objectKey({ prefix, streamName }: DeliveryTarget, arrival: number): string {
  const [date = '', time = ''] = new Date(arrival).toISOString().split(/[T.]/);
  const folder = `${date.replaceAll('-', '/')}/${time.slice(0, 2)}`;
  return `${prefix}${folder}/${streamName}-1-${date}-${time.replaceAll(':', '-')}-${crypto.randomUUID()}.json.gz`;
}
