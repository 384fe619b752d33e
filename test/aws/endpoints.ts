/** The services of the function behind HTTP, for processes and for the clients of `connectorctl`. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CommandInput, LocalService, ServiceAnswer } from '../../local/aws/call.ts';
import { lockDirectory } from '../../local/aws/directory-lock.ts';
import { JournalTable } from '../../local/aws/journal.ts';
import {
  LOCAL_NAMES,
  type LocalAws,
  type AwsOptions as LocalOptions,
  openLocalAws,
  REFUSED_RECORD,
} from '../../local/aws/local-aws.ts';
import { AwsError, type ServiceOperation } from '../../local/aws/service.ts';
import { MemoryTable } from '../../local/aws/table.ts';
import { splittingTable } from './batches.ts';
import { deliveryStream } from './delivery-stream.ts';
import { localJsonService } from './json-service.ts';
import { type BucketNotifications, createS3 } from './s3.ts';
import { type Call, type Service, serve, type Wire } from './wire.ts';

export interface AwsOptions extends Omit<LocalOptions, 'table' | 'onCall'> {
  /** Keeps the state table in memory. Otherwise it has a file, and outlives the endpoints. @default false */
  readonly tableInMemory?: boolean;
  /** Access keys whose calls are not affected by faults. @default none */
  readonly spared?: readonly string[];
  /** Called for every signed request, once it is answered. */
  readonly onCall?: (call: Call) => void;
}

export interface Endpoints extends LocalAws {
  /** Event notifications by bucket name. Initially empty. */
  readonly notifications: Map<string, BucketNotifications>;
  /** Serves another service on its own port, with the same faults, until `close`. @returns its URL */
  serve<O extends ServiceOperation>(service: Service<O>): Promise<string>;
  /** Delivers what is buffered and stops every endpoint. May be called repeatedly. */
  close(): Promise<void>;
}

/**
 * Starts DynamoDB, Secrets Manager, Firehose and S3, each on a free port of 127.0.0.1.
 *
 * @throws DirectoryInUseError when another process works in the same folder
 */
export async function startAws(options: AwsOptions): Promise<Endpoints> {
  const { directory, tableInMemory = false, onCall, onFailure, spared = [], region = 'us-east-1' } = options;
  const unlock = await lockDirectory(directory);
  const { stateTable } = { ...LOCAL_NAMES, ...options.names };
  const table = tableInMemory
    ? new MemoryTable(stateTable)
    : new JournalTable(stateTable, join(directory, 'dynamodb', 'table.jsonl'));
  const record = (call: Call): void => onCall?.(call);
  const local = await openLocalAws({ ...options, table, onCall: record });
  const notifications = new Map<string, BucketNotifications>();
  const wires: Wire[] = [];
  const start = async <O extends ServiceOperation>(service: Service<O>): Promise<string> => {
    const wire = await serve(service, {
      faults: local.faults,
      onCall: record,
      port: 0,
      spared,
      ...(onFailure && { onFailure }),
    });
    wires.push(wire);
    return wire.url;
  };
  const { dynamodb, firehose, secrets } = local.services;
  const urls = {
    AWS_ENDPOINT_URL_DYNAMODB: await start(
      localJsonService(operatorTable(dynamodb, table), 'DynamoDB_20120810', '1.0'),
    ),
    AWS_ENDPOINT_URL_FIREHOSE: await start(
      localJsonService(operatorStream(firehose, options, local), 'Firehose_20150804', '1.1'),
    ),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: await start(
      localJsonService(operatorSecret(secrets, local), 'secretsmanager', '1.1'),
    ),
    AWS_ENDPOINT_URL_S3: await start(createS3(local.store, notifications)),
  };
  const stop = async (): Promise<void> => {
    await Promise.all(wires.map(wire => wire.close()));
    await local.delivery.flush();
    await unlock();
  };
  let closed: Promise<void> | undefined;
  // The SDK needs a key, although nobody checks signatures.
  const ofSdk = { AWS_REGION: region, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return {
    ...local,
    environment: { ...urls, ...ofSdk, ...local.environment },
    notifications,
    serve: start,
    close() {
      closed ??= stop();
      return closed;
    },
  };
}

/** The table, which an operator can have described. */
function operatorTable(service: LocalService, table: MemoryTable): LocalService {
  const splitting = splittingTable(service);
  return {
    ...splitting,
    perform: (action, input, fault) =>
      action === 'DescribeTable' ? described(table, input) : splitting.perform(action, input, fault),
  };
}

function described(table: MemoryTable, { TableName: name }: CommandInput): ServiceAnswer {
  if (name !== table.name) throw new AwsError(400, 'ResourceNotFoundException', 'Requested resource not found');
  const BillingModeSummary = { BillingMode: 'PAY_PER_REQUEST' };
  const TableSizeBytes = JSON.stringify([...table.items()]).length;
  const Table = { TableName: name, TableStatus: 'ACTIVE', BillingModeSummary, ItemCount: table.size, TableSizeBytes };
  return { output: { Table } };
}

/** The delivery stream, with the actions of an operator. */
function operatorStream(service: LocalService, options: AwsOptions, { names }: LocalAws): LocalService {
  const description = deliveryStream(options, names);
  return {
    ...service,
    async perform(action, input, fault) {
      if (action === 'DescribeDeliveryStream') return description(input);
      if (action !== 'PutRecord') return service.perform(action, input, fault);
      const { output } = await service.perform('PutRecordBatch', { ...input, Records: [input.Record] }, fault);
      const [record] = (output as { RequestResponses: object[] }).RequestResponses;
      if (record === REFUSED_RECORD) throw new AwsError(503, REFUSED_RECORD.ErrorCode, REFUSED_RECORD.ErrorMessage);
      return { output: { Encrypted: false, ...record } };
    },
  };
}

const LONGEST_SECRET_BYTES = 65_536;

/** The secret, which an operator can replace. */
function operatorSecret(service: LocalService, { secret, names }: LocalAws): LocalService {
  return {
    ...service,
    perform(action, input, fault) {
      if (action !== 'PutSecretValue') return service.perform(action, input, fault);
      if (service.resource(input, action) !== secret.arn)
        throw new AwsError(400, 'ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
      secret.put(secretIn(input));
      return {
        output: {
          ARN: secret.arn,
          Name: names.secret,
          VersionId: input.ClientRequestToken ?? randomUUID(),
          VersionStages: ['AWSCURRENT'],
        },
      };
    },
  };
}

/** @throws AwsError InvalidRequestException, ValidationException, without the value */
function secretIn({ SecretString: value }: CommandInput): string {
  if (typeof value !== 'string')
    throw new AwsError(400, 'InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
  if (Buffer.byteLength(value) <= LONGEST_SECRET_BYTES) return value;
  const problem = `Member must have length less than or equal to ${LONGEST_SECRET_BYTES}`;
  const message = `1 validation error detected: Value at 'secretString' failed to satisfy constraint: ${problem}`;
  throw new AwsError(400, 'ValidationException', message);
}
