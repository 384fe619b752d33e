/**
 * CloudWatch Logs, for the only call of it that a command makes. It speaks the protocol of Secrets Manager, so the client of that service
 * is used with another address and other names. The SDK's client of CloudWatch Logs would be another dependency.
 */
import type { SecretsManagerClient, SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { makeBuilder } from '@smithy/core/client';
import { getEndpointPlugin } from '@smithy/core/endpoints';
import type { Sender } from '../../lambda/aws.ts';

/** @param Client of Secrets Manager */
export function createLogsClient(Client: typeof SecretsManagerClient, options: SecretsManagerClientConfig): Sender {
  const names = { defaultNamespace: NAMESPACE, version: '2014-03-28', serviceTarget: 'Logs_20140328' };
  return new Client({
    serviceId: 'CloudWatch Logs',
    protocolSettings: { ...names, errorTypeRegistries: [] },
    endpointProvider: ({ Endpoint, Region = '', UseFIPS }) => {
      const domain = Region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
      return { url: new URL(String(Endpoint ?? `https://logs${UseFIPS ? '-fips' : ''}.${Region}.${domain}`)) };
    },
    httpAuthSchemeProvider: ({ region }) => [
      {
        schemeId: 'aws.auth#sigv4',
        signingProperties: { name: 'logs', region },
        propertiesExtractor: (config: object, context: object) => ({ signingProperties: { config, context } }),
      },
    ],
    ...options,
  });
}

const NAMESPACE = 'com.amazonaws.cloudwatchlogs';

const BUILT_IN = (name: string) => ({ type: 'builtInParams', name }) as const;
const COMMON = { UseFIPS: BUILT_IN('useFipsEndpoint'), Endpoint: BUILT_IN('endpoint'), Region: BUILT_IN('region') };

const [TEXT, NUMBER] = [0, 1];
const structure = (name: string, members: Readonly<Record<string, unknown>>) => [
  3,
  NAMESPACE,
  name,
  0,
  Object.keys(members),
  Object.values(members),
];
const EVENTS = [1, NAMESPACE, 'Events', 0, structure('Event', { timestamp: NUMBER, message: TEXT })];
const INPUT = { logGroupName: TEXT, filterPattern: TEXT, startTime: NUMBER, endTime: NUMBER, nextToken: TEXT };
const OPERATION = [
  9,
  NAMESPACE,
  'FilterLogEvents',
  0,
  structure('Input', INPUT),
  structure('Output', { events: EVENTS, nextToken: TEXT }),
];

const builder = makeBuilder(COMMON, 'Logs', 'CloudWatchLogsClient', getEndpointPlugin);
/** Events of a log group that match a pattern, oldest first. */
export class FilterLogEventsCommand extends builder({}, () => [], 'FilterLogEvents', OPERATION as never) {}
