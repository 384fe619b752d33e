/**
 * Reads the options of `npm run template`, which are the options of one connector except the
 * parameters of the template.
 */
import { readFileSync } from 'node:fs';
import { printableText } from '../../lambda/issue-text.ts';
import { ConfigurationError } from '../../lib/config/problem.ts';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import type { ConnectorConfig } from '../../lib/config/schema.ts';
import type { ParameterName } from './parameters.ts';

/**
 * Values for options that are parameters of the template, because the checks of the remaining
 * options need them. For example, `noProxy` is refused without `proxyUrl`. The parameters replace
 * these values in the template.
 */
const STAND_INS = {
  name: 'template',
  baseUrl: 'https://api.template.example',
  authUrl: 'https://auth.template.example',
  dnsBlocksPath: '/v1/dns-blocks',
  proxyUrl: 'http://proxy.template.example:3128',
};

const PARAMETER_OF: Readonly<Record<string, ParameterName | 'AWS::AccountId' | 'AWS::Region'>> = {
  name: 'ConnectorName',
  baseUrl: 'BaseUrl',
  authUrl: 'AuthUrl',
  secretArn: 'SecretArn',
  dnsBlocksPath: 'DnsBlocksPath',
  threatAssetField: 'ThreatAssetField',
  requestsPerMinute: 'RequestsPerMinute',
  memoryMegabytes: 'MemoryMegabytes',
  enabled: 'Enabled',
  alarmEmail: 'AlarmEmail',
  runbookUrl: 'RunbookUrl',
  retentionDays: 'RetentionDays',
  logRetentionDays: 'LogRetentionDays',
  rolePath: 'RolePath',
  permissionsBoundaryArn: 'PermissionsBoundaryArn',
  proxyUrl: 'ProxyUrl',
  account: 'AWS::AccountId',
  region: 'AWS::Region',
};

/** @throws {ConfigurationError} if the file is not an object in JSON */
export function readOptions(file: string): Readonly<Record<string, unknown>> {
  try {
    const options: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) return { ...options };
    throw new Error('it is not an object');
  } catch (cause) {
    const reason = `${printableText(file, 256)} cannot be read: ${printableText((cause as Error).message, 256)}. Give a file such as {"rateMinutes": 5}`;
    throw new ConfigurationError([{ path: '--options', reason }], { cause });
  }
}

/** @throws {ConfigurationError} naming every problem */
export function readTemplateConfig(options: Readonly<Record<string, unknown>>): ConnectorConfig {
  const taken = Object.keys(options).filter(option => Object.hasOwn(PARAMETER_OF, option));
  const problems = taken.map(path => ({ path, reason: `is the parameter ${PARAMETER_OF[path]} of the template` }));
  if (problems.length > 0) throw new ConfigurationError(problems);

  try {
    return readConnectors([{ ...STAND_INS, ...options }])[0]!;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const inFile = error.problems.map(({ path, reason }) => ({ path: path.replace('connectors[0].', ''), reason }));
    throw new ConfigurationError(inFile, { cause: error });
  }
}

/** Returns the parameters that have no effect with these options. */
export function omittedParameters({ alarmTopicArn, bucketArn, destination, siemQueue, siemReader }: ConnectorConfig) {
  const omitted: ParameterName[] = [];
  if (alarmTopicArn) omitted.push('AlarmEmail');
  if (bucketArn) omitted.push('RetentionDays');
  if (siemReader || !siemQueue || destination.type !== 's3')
    omitted.push('ReaderPrincipal', 'ReaderExternalId', 'SentinelWorkspaceId');
  return omitted;
}
