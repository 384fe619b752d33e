import { AwsError } from './aws-error.ts';
import { type Buffering, createDeliveryBuffer, type DeliveryTarget } from './delivery-buffer.ts';
import type { Fault } from './faults.ts';
import { describeStream } from './firehose-description.ts';
import { billedBytes, limitFault } from './firehose-limits.ts';
import {
  type JsonObject,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
  stringMember,
} from './json-protocol.ts';
import type { Operation } from './operation.ts';
import type { Service, WireRequest } from './wire.ts';

/** What the delivery stream has taken. Refused calls and failed records are not billed. */
export interface FirehoseCounters {
  calls: number;
  refusedCalls: number;
  records: number;
  failedRecords: number;
  bytes: number;
  /** Each record rounded up to the next 5 KiB. */
  billedBytes: number;
}

export interface FirehoseControls {
  readonly counters: Readonly<FirehoseCounters>;
  /** Objects delivered so far. */
  readonly objects: number;
  /** Delivers what is buffered. */
  flush(): Promise<void>;
}

export interface FirehoseOperation extends Operation {
  readonly input: JsonObject;
}

export interface FirehoseOptions extends DeliveryTarget {
  readonly buffering: Buffering;
  readonly region: string;
  readonly account: string;
}

const SLOW_DOWN = { ErrorCode: 'ServiceUnavailableException', ErrorMessage: 'Slow down.' };

export function createFirehose(options: FirehoseOptions): {
  service: Service<FirehoseOperation>;
  controls: FirehoseControls;
} {
  const buffer = createDeliveryBuffer(options, options.buffering);
  const counters: FirehoseCounters = {
    calls: 0,
    refusedCalls: 0,
    records: 0,
    failedRecords: 0,
    bytes: 0,
    billedBytes: 0,
  };

  const put = async (records: readonly Buffer[], fault: Fault) => {
    const failed = records.map((_, index) => fault.failItems?.(index) ?? false);
    const taken = records.filter((_, index) => !failed[index]);
    if (taken.length > 0) await buffer.accept(taken);
    counters.records += taken.length;
    counters.failedRecords += records.length - taken.length;
    for (const { length } of taken) {
      counters.bytes += length;
      counters.billedBytes += billedBytes(length);
    }
    return failed.map(slow => (slow ? SLOW_DOWN : { RecordId: crypto.randomUUID() }));
  };

  const created = options.now();
  const service: Service<FirehoseOperation> = {
    name: 'firehose',
    unsigned: MISSING_TOKEN,
    understand(request) {
      if (!isDescription(request)) counters.calls += 1;
      const { action, input } = readJsonRequest(request, 'Firehose_20150804');
      const name = stringMember(input, 'DeliveryStreamName');
      const resource = `arn:aws:firehose:${options.region}:${options.account}:deliverystream/${name}`;
      return { action, permission: `firehose:${action}`, resource, input };
    },
    async perform({ action, input }, _request, fault) {
      if (action === DESCRIBE) {
        refuseUnknownStream(input, options);
        return jsonReply('1.1', describeStream({ ...options, created }));
      }
      const records = readRecords(action, input);
      refuseUnknownStream(input, options);
      const answers = await put(records, fault);
      if (action === 'PutRecordBatch') return jsonReply('1.1', batchAnswer(answers));
      const [answer] = answers;
      if (answer === SLOW_DOWN) throw new AwsError(503, SLOW_DOWN.ErrorCode, SLOW_DOWN.ErrorMessage);
      return jsonReply('1.1', { Encrypted: false, ...answer });
    },
    refusal(error, request) {
      if (!isDescription(request)) counters.refusedCalls += 1;
      return jsonRefusal('1.1', error);
    },
  };
  const controls: FirehoseControls = {
    counters,
    get objects() {
      return buffer.objects;
    },
    flush: buffer.flush,
  };
  return { service, controls };
}

const DESCRIBE = 'DescribeDeliveryStream';

/** Looking at the stream is no use of it, so the counters pass it over. */
function isDescription({ headers }: WireRequest): boolean {
  return String(headers['x-amz-target']).endsWith(`.${DESCRIBE}`);
}

function batchAnswer(answers: readonly object[]) {
  const failed = answers.filter(answer => answer === SLOW_DOWN).length;
  return { Encrypted: false, FailedPutCount: failed, RequestResponses: answers };
}

function refuseUnknownStream(input: JsonObject, { streamName, account }: FirehoseOptions): void {
  if (input['DeliveryStreamName'] === streamName) return;
  const message = `Firehose ${String(input['DeliveryStreamName'])} under account ${account} not found.`;
  throw new AwsError(400, 'ResourceNotFoundException', message);
}

/** The records' bytes, once every limit is found to be kept. */
function readRecords(action: string, input: JsonObject): Buffer[] {
  const records = action === 'PutRecord' ? [input['Record']] : input['Records'];
  if (action !== 'PutRecord' && action !== 'PutRecordBatch') {
    throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
  }
  if (!Array.isArray(records)) throw new AwsError(400, 'SerializationException', 'Records is not a list.');
  const bytes = records.map(readRecord);
  const fault = limitFault(bytes.map(({ length }) => length));
  if (fault) throw new AwsError(400, fault.code, fault.message);
  return bytes;
}

function readRecord(record: unknown): Buffer {
  const data = (record as { Data?: unknown } | null | undefined)?.Data;
  if (typeof data !== 'string') throw new AwsError(400, 'SerializationException', 'A record has no Data.');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length === Buffer.byteLength(data, 'base64') && data.length % 4 === 0) return bytes;
  throw new AwsError(400, 'SerializationException', 'The Data of a record is not base64.');
}
