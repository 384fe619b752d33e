import { join } from 'node:path';
import { type Buffering, WRITE_THROUGH } from './delivery-buffer.ts';
import { lockDirectory } from './directory-lock.ts';
import { openDynamoDb } from './dynamodb.ts';
import { createFaults, type Faults } from './faults.ts';
import { createFirehose, type FirehoseControls } from './firehose.ts';
import { openObjectStore } from './object-store.ts';
import type { Operation } from './operation.ts';
import { createS3 } from './s3.ts';
import type { BucketNotifications } from './s3-notifications.ts';
import { createSecretsManager, type SecretControls } from './secrets-manager.ts';
import type { AccessKey } from './signature.ts';
import { createTally, type TallyRow } from './tally.ts';
import { type Call, type Service, serve, type Wire, type WireOptions } from './wire.ts';

export interface AwsNames {
  readonly stateTable: string;
  readonly secret: string;
  readonly deliveryStream: string;
  /** Bucket of what is delivered. */
  readonly bucket: string;
  /** Prefix of what is delivered, in front of `yyyy/MM/dd/HH/`. */
  readonly prefix: string;
  readonly deadLetterBucket: string;
}

export interface AwsOptions {
  /** Folder of everything that outlives a run: `dynamodb/` and `s3/<bucket>/`. */
  readonly directory: string;
  /** Whether the state table ends with the endpoints, which costs less than to keep it. @default false */
  readonly tableInMemory?: boolean;
  /** Text of the secret; undefined: a secret that has no value yet. */
  readonly secret: string | undefined;
  /** The key that every request must be signed with. Without one, any signature is taken. */
  readonly accessKey?: AccessKey;
  readonly names?: Partial<AwsNames>;
  readonly region?: string;
  /** @default every call is delivered before it is acknowledged, as one object */
  readonly buffering?: Buffering;
  /** @default healthy services, `faults` of the result being the control */
  readonly faults?: Faults;
  /** Told of every signed request, once it has been answered. */
  readonly onCall?: (call: Call) => void;
  /** Milliseconds since 1970. @default the clock */
  readonly now?: () => number;
}

export interface LocalAws {
  /** What the function needs to reach these endpoints, and the names of its resources here. */
  readonly environment: Readonly<Record<string, string>>;
  readonly names: AwsNames;
  /** Folder in which the delivered objects appear. */
  readonly deliveredFolder: string;
  readonly deadLetterFolder: string;
  readonly firehose: FirehoseControls;
  readonly secret: SecretControls;
  /** Whom the buckets tell of their objects, by name; nobody, until it is put here. */
  readonly notifications: Map<string, BucketNotifications>;
  readonly faults: Faults;
  /** The calls so far by permission and resource. */
  tally(): TallyRow[];
  /** Puts a further service on a port of its own, with the same faults and tally; `close` ends it too. @returns its URL */
  serve<O extends Operation>(service: Service<O>): Promise<string>;
  /** Delivers what is buffered and stops every endpoint; once, however often it is called. */
  close(): Promise<void>;
}

/** Account that everything here is in. */
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
  const { directory, onCall, accessKey, region = 'us-east-1', now = Date.now, faults = createFaults() } = options;
  const names = { ...LOCAL_NAMES, ...options.names };
  const place = { region, account: ACCOUNT };
  const unlock = await lockDirectory(directory);
  const folder = join(directory, 's3');
  const store = await openObjectStore(folder, [...new Set([names.bucket, names.deadLetterBucket])]);
  const target = { store, bucket: names.bucket, prefix: names.prefix, streamName: names.deliveryStream, now, later };
  const firehose = createFirehose({ ...target, ...place, buffering: options.buffering ?? WRITE_THROUGH });
  const secrets = createSecretsManager({ name: names.secret, value: options.secret, now, ...place });
  const notifications = new Map<string, BucketNotifications>();
  const tally = createTally();
  const wires: Wire[] = [];
  const start = async <O extends Operation>(service: Service<O>, server?: WireOptions['server']): Promise<string> => {
    const told = (call: Call): void => {
      tally.add(call);
      onCall?.(call);
    };
    const choices = { ...(server && { server }), ...(accessKey && { accessKey }) };
    const wire = await serve(service, { faults, onCall: told, port: 0, ...choices });
    wires.push(wire);
    return wire.url;
  };
  const path = options.tableInMemory ? undefined : join(directory, 'dynamodb');
  const database = await openDynamoDb({ path, tableName: names.stateTable, ...place });
  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: await start(database.service, database.server),
    AWS_ENDPOINT_URL_FIREHOSE: await start(firehose.service),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: await start(secrets.service),
    AWS_ENDPOINT_URL_S3: await start(createS3(store, region, notifications)),
  };
  const stop = async (): Promise<void> => {
    await Promise.all(wires.map(wire => wire.close()));
    await firehose.controls.flush();
    await unlock();
  };
  let closed: Promise<void> | undefined;
  return {
    environment: { ...endpoints, ...sdkEnvironment(region, accessKey), ...resourceEnvironment(names) },
    names,
    deliveredFolder: join(folder, names.bucket, names.prefix),
    deadLetterFolder: join(folder, names.deadLetterBucket),
    firehose: firehose.controls,
    secret: secrets.controls,
    notifications,
    faults,
    tally: tally.rows,
    serve: service => start(service),
    close() {
      closed ??= stop();
      return closed;
    },
  };
}

/** The SDK signs with what it has, also where signatures are not checked. */
function sdkEnvironment(
  region: string,
  accessKey: AccessKey = { id: 'local', secret: 'local' },
): Record<string, string> {
  return { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKey.id, AWS_SECRET_ACCESS_KEY: accessKey.secret };
}

function resourceEnvironment(names: AwsNames): Record<string, string> {
  return {
    STATE_TABLE: names.stateTable,
    CREDENTIALS_SECRET_ID: names.secret,
    DELIVERY_STREAM: names.deliveryStream,
    DEAD_LETTER_BUCKET: names.deadLetterBucket,
  };
}

function later(task: () => void, milliseconds: number): () => void {
  const timer = setTimeout(task, milliseconds);
  return () => clearTimeout(timer);
}
