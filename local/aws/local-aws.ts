/**
 * The four services that the function calls, simulated on this machine: a table in memory, a secret
 * in memory, and buckets as folders.
 */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AwsClients } from '../../lambda/aws.ts';
import { type AnsweredCall, type CommandInput, createLocalClient, type LocalService } from './call.ts';
import {
  type BufferBounds,
  createDeliveryBuffer,
  type DeliveredObject,
  type DeliveryBuffer,
  WRITE_THROUGH,
} from './delivery.ts';
import { createFaultControl, type FaultControl } from './faults.ts';
import { type ObjectStore, openObjectStore } from './object-store.ts';
import { AwsError, arn, type ResourcePlace } from './service.ts';
import { MemoryTable } from './table.ts';

export interface AwsNames {
  readonly stateTable: string;
  readonly secret: string;
  readonly deliveryStream: string;
  /** Bucket of delivered objects. */
  readonly bucket: string;
  /** Prefix of delivered objects, before `yyyy/MM/dd/HH/`. */
  readonly prefix: string;
  /** Bucket of dead letters and logs. */
  readonly deadLetterBucket: string;
}

export const LOCAL_NAMES: AwsNames = {
  stateTable: 'security-data-connector-state',
  secret: 'security-data-connector/credentials',
  deliveryStream: 'security-data-connector',
  bucket: 'security-data',
  prefix: 'events/',
  deadLetterBucket: 'security-data-dead-letters',
};

/** Names of the resources, by the function's environment variables. */
export function resourceEnvironment(names: AwsNames): Record<string, string> {
  return {
    STATE_TABLE: names.stateTable,
    CREDENTIALS_SECRET_ID: names.secret,
    DELIVERY_STREAM: names.deliveryStream,
    DEAD_LETTER_BUCKET: names.deadLetterBucket,
  };
}

export interface LocalFolders {
  /** Folder of the delivered objects. */
  readonly deliveredFolder: string;
  readonly deadLetterFolder: string;
}

/** @param directory folder that contains the buckets */
export function localFoldersOf(directory: string, names: AwsNames = LOCAL_NAMES): LocalFolders {
  return {
    deliveredFolder: join(directory, 's3', names.bucket, names.prefix),
    deadLetterFolder: join(directory, 's3', names.deadLetterBucket),
  };
}

/** Id of the account that owns every resource here. */
export const LOCAL_ACCOUNT = '000000000000';

export interface AwsOptions {
  /** Folder that contains the buckets, each as `s3/<bucket>/`. */
  readonly directory: string;
  /** @default a new table */
  readonly table?: MemoryTable;
  /** Text of the secret. Undefined for a secret without a value. */
  readonly secret: string | undefined;
  readonly names?: Partial<AwsNames>;
  readonly region?: string;
  /** @default every call is delivered before it is acknowledged, as one object */
  readonly buffering?: BufferBounds;
  /** Called for each object that Firehose has delivered. */
  readonly onDelivered?: (object: DeliveredObject) => void;
  /**
   * Runs a task once after this number of milliseconds of `now`.
   *
   * @returns a function that cancels the task
   * @default a timer
   */
  readonly later?: (task: () => void, milliseconds: number) => () => void;
  /** @default no faults; the `faults` of the result can then add some */
  readonly faults?: FaultControl;
  /** Called for every call after it was answered. */
  readonly onCall?: (call: AnsweredCall) => void;
  /**
   * Called with an error of this machine, such as a full disk. The caller sees an internal failure
   * and tries again.
   */
  readonly onFailure?: (error: unknown) => void;
  /** Current time in milliseconds since 1970. @default the time of this machine */
  readonly now?: () => number;
}

export interface SecretControls {
  /** ARN of the secret. Calls accept the ARN or the name. */
  readonly arn: string;
  /** Replaces the value. Undefined leaves the secret without a value. */
  put(value: string | undefined): void;
}

export interface LocalAws extends LocalFolders {
  readonly clients: AwsClients;
  readonly services: Readonly<Record<'dynamodb' | 'firehose' | 'secrets' | 's3', LocalService>>;
  readonly names: AwsNames;
  readonly table: MemoryTable;
  readonly store: ObjectStore;
  readonly delivery: DeliveryBuffer;
  readonly secret: SecretControls;
  readonly faults: FaultControl;
  /** Names of the resources, by the function's environment variables. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function openLocalAws(options: AwsOptions): Promise<LocalAws> {
  const { directory, region = 'us-east-1', faults = createFaultControl(), now = Date.now, later = timer } = options;
  const names = { ...LOCAL_NAMES, ...options.names };
  const place = { region, account: LOCAL_ACCOUNT };
  const table = options.table ?? new MemoryTable(names.stateTable);
  const store = await openObjectStore(join(directory, 's3'), [...new Set([names.bucket, names.deadLetterBucket])]);
  const target = { store, bucket: names.bucket, prefix: names.prefix, streamName: names.deliveryStream, now, later };
  const delivery = createDeliveryBuffer(
    {
      ...target,
      ...(options.onDelivered && { onDelivered: options.onDelivered }),
      ...(options.onFailure && { onFailure: options.onFailure }),
    },
    options.buffering ?? WRITE_THROUGH,
  );
  const secret = secretOf(names.secret, options.secret, place);
  const services = {
    dynamodb: dynamoDbService(table, place),
    firehose: firehoseService(delivery, names.deliveryStream, place),
    secrets: secret.service,
    s3: s3Service(store),
  };
  const { onCall, onFailure } = options;
  const client = (service: LocalService) =>
    createLocalClient(service, { faults, ...(onCall && { onCall }), ...(onFailure && { onFailure }) });
  const s3 = client(services.s3);
  return {
    clients: {
      dynamodb: client(services.dynamodb),
      firehose: client(services.firehose),
      secrets: client(services.secrets),
      s3: async () => s3,
    },
    services,
    names,
    table,
    store,
    delivery,
    secret: secret.controls,
    faults,
    environment: resourceEnvironment(names),
    ...localFoldersOf(directory, names),
  };
}

function timer(task: () => void, milliseconds: number): () => void {
  const timeout = setTimeout(task, milliseconds);
  return () => clearTimeout(timeout);
}

export function dynamoDbService(table: MemoryTable, place: ResourcePlace): LocalService {
  return {
    name: 'dynamodb',
    resource: ({ TableName: name, RequestItems: requests = {} }) =>
      arn(place, 'dynamodb', `table/${name ?? Object.keys(requests)[0] ?? '*'}`),
    perform: (action, input) => table.perform(action, input),
  };
}

/** Limits of Firehose's Direct PUT, per call and per record. Sizes are in bytes before base64. */
const FIREHOSE_LIMITS = { records: 500, callBytes: 4 * 1024 * 1024, recordBytes: 1_024_000 };

export const REFUSED_RECORD = { ErrorCode: 'ServiceUnavailableException', ErrorMessage: 'Slow down.' };

function firehoseService(delivery: DeliveryBuffer, stream: string, place: ResourcePlace): LocalService {
  return {
    name: 'firehose',
    resource: ({ DeliveryStreamName: name }) => arn(place, 'firehose', `deliverystream/${name}`),
    async perform(action, { DeliveryStreamName: name, Records: given }, fault) {
      if (action !== 'PutRecordBatch') throw unknownAction(action);
      const records: readonly Uint8Array[] = given.map(({ Data }: CommandInput) => Data);
      requireFirehoseLimits(records.map(({ length }) => length));
      if (name !== stream) throw notFound(`Firehose ${name} under account ${place.account} not found.`);

      const isRefused = (index: number) => fault.failItems?.(index) ?? false;
      const taken = records.filter((_, index) => !isRefused(index));
      if (taken.length > 0) await delivery.accept(taken);
      const answers = records.map((_, index) => (isRefused(index) ? REFUSED_RECORD : { RecordId: randomUUID() }));
      const FailedPutCount = records.length - taken.length;
      return { output: { FailedPutCount, Encrypted: false, RequestResponses: answers } };
    },
  };
}

/** Refuses a whole call that exceeds a limit, as Firehose does. @throws AwsError */
function requireFirehoseLimits(recordBytes: readonly number[]): void {
  const { records, callBytes, recordBytes: longest } = FIREHOSE_LIMITS;
  const total = recordBytes.reduce((sum, bytes) => sum + bytes, 0);
  if (recordBytes.length < 1 || recordBytes.length > records) throw invalid(`1 to ${records} records`);
  if (recordBytes.some(bytes => bytes > longest)) throw invalid(`records of at most ${longest} bytes`);
  if (total > callBytes) throw new AwsError(400, 'InvalidArgumentException', 'Records size exceeds 4 MB limit');
}

function invalid(constraint: string): AwsError {
  return new AwsError(400, 'ValidationException', `1 validation error detected: a call must have ${constraint}`);
}

/**
 * The ARN of a secret. Its last six characters are random in AWS, and fixed here, so that every run
 * has the same ARN.
 */
export function secretArn(name: string, place: ResourcePlace): string {
  return arn(place, 'secretsmanager', `secret:${name}-local0`);
}

/** Simulates Secrets Manager with one secret. */
function secretOf(name: string, given: string | undefined, place: ResourcePlace) {
  const arnOf = (id: string) => (id.startsWith('arn:') ? id : secretArn(id, place));
  const controls = { arn: arnOf(name), put };
  let value = given;
  function put(next: string | undefined): void {
    value = next;
  }
  const service: LocalService = {
    name: 'secretsmanager',
    resource: ({ SecretId: id }) => arnOf(id),
    perform(action, { SecretId: id }) {
      if (action !== 'GetSecretValue') throw unknownAction(action);
      if (arnOf(id) !== controls.arn) throw notFound("Secrets Manager can't find the specified secret.");
      if (value === undefined)
        throw notFound("Secrets Manager can't find the specified secret value for staging label: AWSCURRENT");
      return { output: { ARN: controls.arn, Name: name, SecretString: value, VersionStages: ['AWSCURRENT'] } };
    },
  };
  return { service, controls };
}

/**
 * Version of every object. The buckets of a connector keep versions, and the function deletes a log
 * together with its version.
 */
const VERSION = 'only';

function s3Service(store: ObjectStore): LocalService {
  return {
    name: 's3',
    resource: ({ Bucket: bucket, Key: key }) => `arn:aws:s3:::${key === undefined ? bucket : `${bucket}/${key}`}`,
    permission: ({ VersionId: version }, action) =>
      version && action === 'DeleteObject' ? `${action}Version` : action,
    async perform(action, { Bucket: bucket, Key: key, Body: body }) {
      if (action === 'PutObject') {
        const bytes = Buffer.from(body);
        await store.put(bucket, key, bytes);
        return { output: { ETag: etagOf(bytes), VersionId: VERSION } };
      }
      if (action === 'GetObject') {
        const { bytes, modified } = await store.get(bucket, key);
        const Body = { transformToByteArray: async () => bytes };
        return { output: { Body, LastModified: modified, ETag: etagOf(bytes), VersionId: VERSION } };
      }
      if (action !== 'DeleteObject') throw unknownAction(action);
      await store.delete(bucket, key);
      return { output: {} };
    },
  };
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function unknownAction(action: string): AwsError {
  return new AwsError(400, 'UnknownOperationException', `${action} is not part of this service.`);
}

function notFound(message: string): AwsError {
  return new AwsError(400, 'ResourceNotFoundException', message);
}
