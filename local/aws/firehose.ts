import { type Buffering, createDeliveryBuffer, type DeliveryTarget } from './delivery.ts';
import type { Fault } from './faults.ts';
import {
  type JsonObject,
  type JsonOperation,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
  stringMember,
} from './protocols.ts';
import { AwsError, arn, type Place, type WireRequest } from './service.ts';
import type { Service } from './wire.ts';

export type { DeliveredObject } from './delivery.ts';

export const FIREHOSE_TARGET = 'Firehose_20150804';

export interface FirehoseCounters {
  calls: number;
  refusedCalls: number;
  /** Accepted records. */
  records: number;
}

export interface FirehoseControls {
  readonly counters: Readonly<FirehoseCounters>;
  /** Delivers what is buffered. */
  flush(): Promise<void>;
}

export interface FirehoseOptions extends DeliveryTarget, Place {
  readonly buffering: Buffering;
}

const SLOW_DOWN = { ErrorCode: 'ServiceUnavailableException', ErrorMessage: 'Slow down.' };

export function createFirehose(options: FirehoseOptions): {
  service: Service<JsonOperation>;
  controls: FirehoseControls;
} {
  const buffer = createDeliveryBuffer(options, options.buffering);
  const counters = { calls: 0, refusedCalls: 0, records: 0 };

  const put = async (records: readonly Buffer[], fault: Fault) => {
    const failed = records.map((_, index) => fault.failItems?.(index) ?? false);
    const taken = records.filter((_, index) => !failed[index]);
    if (taken.length > 0) await buffer.accept(taken);
    counters.records += taken.length;
    return failed.map(slow => (slow ? SLOW_DOWN : { RecordId: crypto.randomUUID() }));
  };

  const created = options.now();
  const service: Service<JsonOperation> = {
    name: 'firehose',
    unsigned: MISSING_TOKEN,
    understand(request) {
      if (!isDescription(request)) counters.calls += 1;
      const { action, input } = readJsonRequest(request, FIREHOSE_TARGET);
      const name = stringMember(input, 'DeliveryStreamName');
      const resource = arn(options, 'firehose', `deliverystream/${name}`);
      return { action, permission: `firehose:${action}`, resource, input };
    },
    async perform({ action, input }, _request, fault) {
      if (action === DESCRIBE) {
        refuseUnknownStream(input, options);
        return jsonReply('1.1', describeStream(options, created));
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
  const controls: FirehoseControls = { counters, flush: buffer.flush };
  return { service, controls };
}

const DESCRIBE = 'DescribeDeliveryStream';

/** `DescribeDeliveryStream` is not counted as a call. */
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

/** The bytes of the records. @throws AwsError when a limit is exceeded */
function readRecords(action: string, input: JsonObject): Buffer[] {
  const records = action === 'PutRecord' ? [input['Record']] : input['Records'];
  if (action !== 'PutRecord' && action !== 'PutRecordBatch') {
    throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
  }
  if (!Array.isArray(records)) throw new AwsError(400, 'SerializationException', 'Records is not a list.');
  const bytes = records.map(readRecord);
  const violation = limitViolation(bytes.map(({ length }) => length));
  if (violation) throw new AwsError(400, violation.code, violation.message);
  return bytes;
}

function readRecord(record: unknown): Buffer {
  const data = (record as { Data?: unknown } | null | undefined)?.Data;
  if (typeof data !== 'string') throw new AwsError(400, 'SerializationException', 'A record has no Data.');
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length === Buffer.byteLength(data, 'base64') && data.length % 4 === 0) return bytes;
  throw new AwsError(400, 'SerializationException', 'The Data of a record is not base64.');
}
/** Limits of Firehose's Direct PUT, per call and per record. Sizes are in bytes before base64. */
const FIREHOSE_LIMITS = { records: 500, callBytes: 4 * 1024 * 1024, recordBytes: 1_024_000 } as const;

export interface LimitViolation {
  readonly code: 'ValidationException' | 'InvalidArgumentException';
  readonly message: string;
}

/** The limit that a call with records of these sizes exceeds, if any. Firehose refuses such a call as a whole. */
export function limitViolation(recordBytes: readonly number[]): LimitViolation | undefined {
  const { records, callBytes, recordBytes: longest } = FIREHOSE_LIMITS;
  const failed = (what: string, bound: string): LimitViolation => {
    const message = `1 validation error detected: Value at '${what}' failed to satisfy constraint: Member must have length ${bound}`;
    return { code: 'ValidationException', message };
  };
  if (recordBytes.length === 0) return failed('records', 'greater than or equal to 1');
  if (recordBytes.length > records) return failed('records', `less than or equal to ${records}`);
  const tooLong = recordBytes.findIndex(bytes => bytes > longest);
  if (tooLong >= 0) return failed(`records.${tooLong + 1}.member.data`, `less than or equal to ${longest}`);
  const total = recordBytes.reduce((sum, bytes) => sum + bytes, 0);
  if (total <= callBytes) return undefined;
  return { code: 'InvalidArgumentException', message: 'Records size exceeds 4 MB limit' };
}

const MEBIBYTE = 1024 * 1024;
/** Largest buffer that Firehose allows. */
const LARGEST_BUFFER_MEBIBYTES = 128;

/** The answer of `DescribeDeliveryStream`. */
function describeStream(stream: FirehoseOptions, created: number): JsonObject {
  const destination = {
    RoleARN: arn({ ...stream, region: '' }, 'iam', 'role/delivery'),
    BucketARN: `arn:aws:s3:::${stream.bucket}`,
    Prefix: `${stream.prefix}!{timestamp:yyyy/MM/dd/HH}/`,
    ErrorOutputPrefix: 'delivery-errors/!{firehose:error-output-type}/!{timestamp:yyyy/MM/dd/HH}/',
    BufferingHints: {
      SizeInMBs: Math.min(Math.ceil(stream.buffering.bytes / MEBIBYTE), LARGEST_BUFFER_MEBIBYTES),
      IntervalInSeconds: Math.round(stream.buffering.milliseconds / 1000),
    },
    CompressionFormat: 'GZIP',
    EncryptionConfiguration: { NoEncryptionConfig: 'NoEncryption' },
  };
  return {
    DeliveryStreamDescription: {
      DeliveryStreamName: stream.streamName,
      DeliveryStreamARN: arn(stream, 'firehose', `deliverystream/${stream.streamName}`),
      DeliveryStreamStatus: 'ACTIVE',
      DeliveryStreamType: 'DirectPut',
      VersionId: '1',
      CreateTimestamp: created / 1000,
      Destinations: [
        {
          DestinationId: 'destinationId-000000000001',
          S3DestinationDescription: destination,
          ExtendedS3DestinationDescription: { ...destination, FileExtension: '.json.gz' },
        },
      ],
      HasMoreDestinations: false,
    },
  };
}
