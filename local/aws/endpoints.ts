import { join } from 'node:path';
import { type Buffering, type DeliveredObject, WRITE_THROUGH } from './delivery.ts';
import { type DirectClient, directClient } from './direct-client.ts';
import { lockDirectory } from './directory-lock.ts';
import { DYNAMODB_TARGET, openDynamoDb } from './dynamodb.ts';
import { createFaults, type Faults } from './faults.ts';
import { createFirehose, FIREHOSE_TARGET, type FirehoseControls } from './firehose.ts';
import { openObjectStore } from './object-store.ts';
import type { JsonOperation } from './protocols.ts';
import { type BucketNotifications, createS3 } from './s3.ts';
import { createSecretsManager, SECRETS_TARGET, type SecretControls } from './secrets-manager.ts';
import type { Operation } from './service.ts';
import { type Call, type Service, serve, type Wire } from './wire.ts';

export interface AwsNames {
  readonly stateTable: string;
  readonly secret: string;
  readonly deliveryStream: string;
  /** Bucket of delivered objects. */
  readonly bucket: string;
  /** Prefix of delivered objects, before `yyyy/MM/dd/HH/`. */
  readonly prefix: string;
  readonly deadLetterBucket: string;
}

export interface AwsOptions {
  /** Folder of everything that outlives a run: `dynamodb/` and `s3/<bucket>/`. */
  readonly directory: string;
  /** Keeps the state table in memory, which is faster. It ends with the endpoints. @default false */
  readonly tableInMemory?: boolean;
  /** Text of the secret; undefined for a secret without a value. */
  readonly secret: string | undefined;
  readonly names?: Partial<AwsNames>;
  readonly region?: string;
  /** @default every call is delivered before it is acknowledged, as one object */
  readonly buffering?: Buffering;
  /** Called for each object that Firehose has delivered. */
  readonly onDelivered?: (object: DeliveredObject) => void;
  /** Runs a task once after that many milliseconds of `now`. Returns a function that cancels it. @default a timer */
  readonly later?: (task: () => void, milliseconds: number) => () => void;
  /** The `Date` header has the time of `now`, for callers on that clock. The SDK of another caller would adjust its own clock. @default false */
  readonly dated?: boolean;
  /** Access keys whose calls are not affected by faults. @default none */
  readonly spared?: readonly string[];
  /** @default healthy services, `faults` of the result being the control */
  readonly faults?: Faults;
  /** Called for every signed request, once it is answered. */
  readonly onCall?: (call: Call) => void;
  /** Called with an error of this machine, such as a full disk, which the caller sees as an internal failure and tries again. */
  readonly onFailure?: (error: unknown) => void;
  /** Milliseconds since 1970. @default the clock */
  readonly now?: () => number;
}

export interface LocalAws {
  /** Environment of the function: addresses of the endpoints and names of the resources. */
  readonly environment: Readonly<Record<string, string>>;
  /** Clients of a function that runs in this process. */
  readonly clients: Readonly<Record<'dynamodb' | 'firehose' | 'secrets', DirectClient>>;
  readonly names: AwsNames;
  /** Folder in which the delivered objects appear. */
  readonly deliveredFolder: string;
  readonly deadLetterFolder: string;
  readonly firehose: FirehoseControls;
  readonly secret: SecretControls;
  /** Event notifications by bucket name. Initially empty. */
  readonly notifications: Map<string, BucketNotifications>;
  readonly faults: Faults;
  /** Serves another service on its own port, with the same faults, until `close`. @returns its URL */
  serve<O extends Operation>(service: Service<O>): Promise<string>;
  /** Delivers what is buffered and stops every endpoint. May be called repeatedly. */
  close(): Promise<void>;
}

/** The account of every resource here. */
export const ACCOUNT = '000000000000';

export const LOCAL_NAMES: AwsNames = {
  stateTable: 'security-data-connector-state',
  secret: 'security-data-connector/credentials',
  deliveryStream: 'security-data-connector',
  bucket: 'security-data',
  prefix: 'events/',
  deadLetterBucket: 'security-data-dead-letters',
};

/**
 * Starts DynamoDB, Secrets Manager, Firehose and S3 for one machine, each on a free port of 127.0.0.1.
 *
 * @throws DirectoryInUseError when another process works in the same folder
 */
export async function startAws(options: AwsOptions): Promise<LocalAws> {
  const { directory, onCall, onFailure, onDelivered, region = 'us-east-1', now = Date.now } = options;
  const { faults = createFaults(), later = timer, spared = [], dated = false } = options;
  const names = { ...LOCAL_NAMES, ...options.names };
  const place = { region, account: ACCOUNT };
  const unlock = await lockDirectory(directory);
  const folder = join(directory, 's3');
  const store = await openObjectStore(folder, [...new Set([names.bucket, names.deadLetterBucket])]);
  const callbacks = { ...(onDelivered && { onDelivered }), ...(onFailure && { onFailure }) };
  const stream = { streamName: names.deliveryStream, now, later, ...callbacks };
  const target = { store, bucket: names.bucket, prefix: names.prefix, ...stream };
  const firehose = createFirehose({ ...target, ...place, buffering: options.buffering ?? WRITE_THROUGH });
  const secrets = createSecretsManager({ name: names.secret, value: options.secret, now, ...place });
  const notifications = new Map<string, BucketNotifications>();
  const wires: Wire[] = [];
  const record = (call: Call): void => onCall?.(call);
  const start = async <O extends Operation>(service: Service<O>): Promise<string> => {
    const choices = onFailure ? { onFailure } : {};
    const clock = dated ? { now } : {};
    const wire = await serve(service, { faults, onCall: record, port: 0, spared, ...clock, ...choices });
    wires.push(wire);
    return wire.url;
  };
  const path = options.tableInMemory ? undefined : join(directory, 'dynamodb');
  const database = openDynamoDb({ path, tableName: names.stateTable, ...place });
  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: await start(database),
    AWS_ENDPOINT_URL_FIREHOSE: await start(firehose.service),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: await start(secrets.service),
    AWS_ENDPOINT_URL_S3: await start(createS3(store, notifications)),
  };
  const ofSdk = sdkEnvironment(region);
  const inProgress = new Set<Promise<unknown>>();
  const direct = (service: Service<JsonOperation>, target: string): DirectClient => {
    const caller = ofSdk.AWS_ACCESS_KEY_ID;
    const choices = { spared, target, caller, ...(onFailure && { onFailure }) };
    const client = directClient(service, { faults, onCall: record, ...choices });
    return {
      send(command) {
        const call = client.send(command);
        inProgress.add(call);
        return call.finally(() => inProgress.delete(call));
      },
    };
  };
  const stop = async (): Promise<void> => {
    while (inProgress.size > 0) await Promise.allSettled(inProgress);
    await Promise.all(wires.map(wire => wire.close()));
    await firehose.controls.flush();
    await unlock();
  };
  let closed: Promise<void> | undefined;
  return {
    environment: { ...endpoints, ...ofSdk, ...resourceEnvironment(names) },
    clients: {
      dynamodb: direct(database, DYNAMODB_TARGET),
      firehose: direct(firehose.service, FIREHOSE_TARGET),
      secrets: direct(secrets.service, SECRETS_TARGET),
    },
    names,
    deliveredFolder: join(folder, names.bucket, names.prefix),
    deadLetterFolder: join(folder, names.deadLetterBucket),
    firehose: firehose.controls,
    secret: secrets.controls,
    notifications,
    faults,
    serve: start,
    close() {
      closed ??= stop();
      return closed;
    },
  };
}

/** The SDK needs a key even where signatures are not checked. */
function sdkEnvironment(region: string) {
  return { AWS_REGION: region, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
}

function resourceEnvironment(names: AwsNames): Record<string, string> {
  return {
    STATE_TABLE: names.stateTable,
    CREDENTIALS_SECRET_ID: names.secret,
    DELIVERY_STREAM: names.deliveryStream,
    DEAD_LETTER_BUCKET: names.deadLetterBucket,
  };
}

function timer(task: () => void, milliseconds: number): () => void {
  const timeout = setTimeout(task, milliseconds);
  return () => clearTimeout(timeout);
}
