import { Token } from 'aws-cdk-lib';
import * as v from 'valibot';
import { ConfigurationError } from './config/configuration-error.ts';
import { connectorSchema } from './config/connector-schema.ts';
import { contradictionsWithin } from './config/contradictions.ts';
import { schemaFaults } from './config/fault.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';
import type { Destination } from './delivery/destination.ts';
import { ocsfFaultsWithin } from './ocsf/option-faults.ts';

/** What of the props is plain values, by the names that the configuration has for them. */
const plainSchema = v.pick(connectorSchema, [
  'name',
  'baseUrl',
  'authUrl',
  'dnsBlocksPath',
  'threatAssetField',
  'pageLimit',
  'rowsMember',
  'paginationMember',
  'leaseSeconds',
  'format',
  'ocsfFields',
  'rateMinutes',
  'memoryMegabytes',
  'retentionDays',
  'destination',
  'siemQueue',
  'siemReader',
  'query',
  'queryScanGigabytes',
  'alarmEmail',
  'tags',
]);

/**
 * Holds the props of a construct to the same rules as the configuration. Values that are known only at deployment pass.
 *
 * @throws {ConfigurationError} naming every fault.
 */
export function checkProps(props: SecurityDataConnectorProps): void {
  const plain = plainValues(props);
  const existing = { bucketArn: props.bucket, alarmTopicArn: props.alarmTopic };
  const faults = [
    ...schemaFaults(plainSchema, plain, 'props'),
    ...contradictionsWithin({ ...plain, ...existing }, 'props'),
    ...ocsfFaultsWithin(plain, 'props'),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function plainValues(props: SecurityDataConnectorProps): Record<string, unknown> {
  return defined({
    name: props.connectorName,
    baseUrl: address(props.baseUrl),
    authUrl: address(props.authUrl),
    dnsBlocksPath: props.dnsBlocksPath,
    threatAssetField: props.threatAssetField,
    pageLimit: props.pageLimit,
    rowsMember: props.rowsMember,
    paginationMember: props.paginationMember,
    leaseSeconds: props.lease?.toSeconds(),
    format: props.format,
    ocsfFields: props.ocsfFields,
    rateMinutes: props.rate && props.rate.toSeconds() / 60,
    memoryMegabytes: props.memorySize,
    retentionDays: props.retention?.toDays(),
    destination: props.destination && plainDestination(props.destination),
    siemQueue: props.siemQueue,
    siemReader: Object.values(props.siemReader ?? {}).some(Token.isUnresolved) ? undefined : props.siemReader,
    query: props.query,
    queryScanGigabytes: props.queryScanGigabytes,
    alarmEmail: props.alarmEmail,
    tags: props.tags,
  });
}

function plainDestination(destination: Destination): Record<string, unknown> {
  // A stream that is brought is an object, with nothing plain to check.
  if (destination.type === 'existing') return { type: 'existing', deliveryStreamArn: LATER.deliveryStreamArn };
  const endpoint = destination.type === 'splunk' || destination.type === 'http' ? destination : undefined;
  return defined({
    type: destination.type,
    url: endpoint && address(endpoint.url),
    bufferSeconds: destination.bufferInterval?.toSeconds(),
    retrySeconds: endpoint?.retry?.toSeconds(),
  });
}

/** Stand in for what is known only at deployment. */
const LATER = {
  url: 'https://known-at-deployment.invalid',
  deliveryStreamArn: 'arn:aws:firehose:eu-west-1:111122223333:deliverystream/known-at-deployment',
};

function address(url: string): string {
  return Token.isUnresolved(url) ? LATER.url : url;
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
