import { Token } from 'aws-cdk-lib';
import * as v from 'valibot';
import { ConfigurationError } from './config/configuration-error.ts';
import { connectorSchema } from './config/connector-schema.ts';
import { describeIssue } from './config/fault.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';

/** The plain values among the props, by the names that the configuration has for them. */
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
  'rateMinutes',
  'memoryMegabytes',
  'alarmEmail',
  'tags',
]);

/**
 * Holds the props of a construct to the same rules as the configuration. Values that are known only at deployment pass.
 *
 * @throws {ConfigurationError} naming every fault.
 */
export function checkProps(props: SecurityDataConnectorProps): void {
  const result = v.safeParse(plainSchema, plainValues(props), { abortPipeEarly: true });
  if (!result.success) throw new ConfigurationError(result.issues.map(issue => describeIssue(issue, 'props')));
}

function plainValues(props: SecurityDataConnectorProps): Record<string, unknown> {
  const known = {
    name: props.connectorName,
    baseUrl: Token.isUnresolved(props.baseUrl) ? LATER : props.baseUrl,
    authUrl: Token.isUnresolved(props.authUrl) ? LATER : props.authUrl,
    dnsBlocksPath: props.dnsBlocksPath,
    threatAssetField: props.threatAssetField,
    pageLimit: props.pageLimit,
    rowsMember: props.rowsMember,
    paginationMember: props.paginationMember,
    leaseSeconds: props.lease?.toSeconds(),
    rateMinutes: props.rate && props.rate.toSeconds() / 60,
    memoryMegabytes: props.memorySize,
    alarmEmail: props.alarmEmail,
    tags: props.tags,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** Stands in for an address that is known only at deployment. */
const LATER = 'https://known-at-deployment.invalid';
