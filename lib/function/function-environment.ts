import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { environmentVariableOf, OPTIONS } from '../../lambda/options.ts';
import type { ConnectorOptions } from '../config/props.ts';
import { certificatesEnvironment } from './ca-certificates.ts';
import { proxyEnvironment } from './proxy.ts';

/**
 * Variables that set how the function's process runs (docs/testing.md, Memory of the function).
 * Stack traces name the sources. The limits of the heap leave room for the largest pages. Without
 * them V8 derives limits from the memory of the machine, and on a large machine it collects so late
 * that a walk takes half as much memory again, but a fifth less CPU. There is one malloc arena,
 * because glibc keeps pages for each further arena.
 */
export const PROCESS_ENVIRONMENT = {
  NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=16 --max-old-space-size=768',
  MALLOC_ARENA_MAX: '1',
} as const;

/** Resources that the function uses. */
export interface FunctionResources {
  /** Name of the connector, which is part of the prefix of its dead letters. */
  readonly connectorName: string;
  readonly credentials: ISecret;
  readonly state: ITable;
  readonly delivery: IDeliveryStreamRef;
  readonly bucket: IBucket;
}

/**
 * Returns the variables of the function, except PROCESS_ENVIRONMENT. They contain names, addresses
 * and options, but never a secret.
 */
export function functionEnvironment(options: ConnectorOptions, resources: FunctionResources): Record<string, string> {
  return {
    CONNECTOR_NAME: options.connectorName,
    API_BASE_URL: options.baseUrl,
    AUTH_URL: options.authUrl,
    ...optionVariables(options),
    ...proxyEnvironment(options),
    ...certificatesEnvironment(options.caCertificates),
    CREDENTIALS_SECRET_ID: resources.credentials.secretArn,
    STATE_TABLE: resources.state.tableName,
    DELIVERY_STREAM: resources.delivery.deliveryStreamRef.deliveryStreamName,
    DEAD_LETTER_BUCKET: resources.bucket.bucketName,
  };
}

/** Returns each option of the function in its variable. Lists and objects become JSON. */
function optionVariables(options: ConnectorOptions): Record<string, string> {
  const values: Readonly<Record<string, unknown>> = { ...options, refreshDays: options.refresh?.toDays() };
  const given = Object.keys(OPTIONS).filter(option => values[option] !== undefined);
  const texts = given.map(option => {
    const value = values[option];
    return [environmentVariableOf(option), typeof value === 'object' ? JSON.stringify(value) : String(value)];
  });
  return Object.fromEntries(texts);
}
