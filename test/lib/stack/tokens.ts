import { describe, expect, test } from '@jest/globals';
import { Aws, CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import type { ConfigurationError } from '../../../lib/config/problem.ts';
import { PROPS } from '../../../lib/config/props.ts';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { MOST_BUFFER_SECONDS } from '../../../lib/delivery/destinations.ts';
import { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { createApp, templateOf } from '../synth.ts';
import { resources } from '../template.ts';
import { REQUIRED } from './construct.ts';

const URL = 'https://siem.acme.example';

interface Late {
  readonly text: string;
  readonly number: number;
}

/** What the construct says of props that are known only at deployment, or the template's text. */
function synthesized(props: (late: Late) => object): { problems: string[]; template: string; stack: Stack } {
  const stack = new Stack(createApp(), 'TheirStack');
  const text = new CfnParameter(stack, 'LateText').valueAsString;
  const number = new CfnParameter(stack, 'LateNumber', { type: 'Number' }).valueAsNumber;
  const given = { ...REQUIRED, ...props({ text, number }) } as SecurityDataConnectorProps;
  try {
    new SecurityDataConnector(stack, 'Connector', given);
  } catch (error) {
    if ((error as Error).name !== 'ConfigurationError') throw error;
    return { problems: (error as ConfigurationError).problems.map(({ path }) => path), template: '', stack };
  }
  return { problems: [], template: JSON.stringify(templateOf(stack)), stack };
}

const KNOWN = 'is refused by the name of the prop';
const TAKEN = 'arrives in the template';

/** For each prop that is no object of the CDK, a token in its place. */
const TOKENS: readonly [string, (late: Late) => object, typeof KNOWN | typeof TAKEN][] = [
  ['connectorName', ({ text }) => ({ connectorName: text, dashboard: true }), TAKEN],
  ['baseUrl', ({ text }) => ({ baseUrl: text, dashboard: true }), TAKEN],
  ['authUrl', ({ text }) => ({ authUrl: text }), TAKEN],
  ['dnsBlocksPath', ({ text }) => ({ dnsBlocksPath: text, filters: { dnsBlocks: 'a' } }), TAKEN],
  ['filters.threats', ({ text }) => ({ filters: { threats: text } }), KNOWN],
  ['omit.threats[0]', ({ text }) => ({ omit: { threats: [text] } }), KNOWN],
  ['dnsBlocksSince', ({ text }) => ({ dnsBlocksPath: '/v1/dns', dnsBlocksSince: text }), KNOWN],
  ['refreshDays', ({ number }) => ({ refreshDays: number }), KNOWN],
  ['threatAssetField', ({ text }) => ({ threatAssetField: text }), TAKEN],
  ['requestsPerMinute', ({ number }) => ({ requestsPerMinute: number, refreshDays: 90 }), KNOWN],
  ['rowsMember', ({ text }) => ({ rowsMember: text }), TAKEN],
  ['paginationMember', ({ text }) => ({ paginationMember: text }), TAKEN],
  ['rate', ({ number }) => ({ rate: Duration.minutes(number), refreshDays: 90 }), KNOWN],
  ['memorySize', ({ number }) => ({ memorySize: number, dashboard: true }), KNOWN],
  ['logRetention', ({ number }) => ({ logRetention: number }), TAKEN],
  ['retention', ({ number }) => ({ retention: Duration.days(number) }), TAKEN],
  ['alarms.dead-letters.threshold', ({ number }) => ({ alarms: { 'dead-letters': { threshold: number } } }), KNOWN],
  ['alarmEmail', ({ text }) => ({ alarmEmail: text }), TAKEN],
  ['runbookUrl', ({ text }) => ({ runbookUrl: text }), TAKEN],
  ['rolePath', ({ text }) => ({ rolePath: text }), KNOWN],
  ['namePrefix', ({ text }) => ({ namePrefix: text }), KNOWN],
  ['proxyUrl', ({ text }) => ({ proxyUrl: text }), KNOWN],
  ['noProxy[0]', ({ text }) => ({ proxyUrl: 'http://proxy.example:3128', noProxy: [text] }), KNOWN],
  ['caCertificates', ({ text }) => ({ caCertificates: text }), KNOWN],
  ['destination.type', ({ text }) => ({ destination: { type: text } }), KNOWN],
  [
    'destination.bufferInterval',
    ({ number }) => ({ destination: { type: 's3', bufferInterval: Duration.seconds(number) } }),
    TAKEN,
  ],
  ['destination.url', ({ text }) => ({ destination: { type: 'splunk', url: text } }), TAKEN],
  ['destination.name', ({ text }) => ({ destination: { type: 'http', url: URL, name: text } }), TAKEN],
  [
    'destination.retry',
    ({ number }) => ({ destination: { type: 'http', url: URL, retry: Duration.seconds(number) } }),
    TAKEN,
  ],
  [
    'siemReader.principal',
    ({ text }) => ({ siemReader: { type: 'external-id', principal: text, externalId: 'x-1' } }),
    TAKEN,
  ],
  [
    'siemReader.externalId',
    ({ text }) => ({ siemReader: { type: 'external-id', principal: '111122223333', externalId: text } }),
    TAKEN,
  ],
  ['siemReader.workspaceId', ({ text }) => ({ siemReader: { type: 'sentinel', workspaceId: text } }), TAKEN],
];

/** Objects of the CDK, which hold tokens as they are meant to, and flags, which JavaScript cannot make a token of. */
const OBJECTS = [
  ...['enabled', 'siemQueue', 'query', 'dashboard', 'removalPolicy', 'secret', 'bucket', 'stateTable'],
  ...['encryptionKey', 'alarmTopic'],
  ...['network', 'permissionsBoundary', 'siemReader', 'destination'],
];

describe('a token, whose value is known only at deployment', () => {
  test.each(TOKENS.map(([prop, props, is]) => [prop, is, props] as const))('in %s %s', (prop, is, props) => {
    const { problems, template } = synthesized(props);
    expect(problems).toEqual(is === KNOWN ? [`props.${prop}`] : []);
    // The CDK writes the token of a number as such a number until it resolves it.
    expect(template).not.toMatch(/-?\d+(\.\d+)?e\+\d+|\$\{Token/i);
    if (is === TAKEN) expect(template).toMatch(/\{"Ref":"Late(Text|Number)"\}/);
  });

  test('a token is refused in every other prop that is not an object of the CDK', () => {
    const tried = new Set([...TOKENS.map(([prop]) => prop.split(/[.[]/)[0]), ...OBJECTS]);
    const others = PROPS.filter(prop => !tried.has(prop));
    const refused = others.filter(prop =>
      synthesized(({ text }) => ({ [prop]: text })).problems.includes(`props.${prop}`),
    );
    expect(refused).toEqual(others);
  });

  test.each(['s3', 'splunk', 'http'] as const)(
    'for the buffer interval of %s makes the alarm wait for twice the longest that Firehose takes',
    type => {
      const { stack } = synthesized(({ number }) => ({
        destination: { type, ...(type !== 's3' && { url: URL }), bufferInterval: Duration.seconds(number) },
      }));
      const late = resources(templateOf(stack), 'AWS::CloudWatch::Alarm').find(
        ({ Properties }) => Properties['AlarmName'] === 'acme/delivery-late',
      );
      expect(late!.Properties['Threshold']).toBe(2 * MOST_BUFFER_SECONDS[type] + 900);
    },
  );

  test('must be in the unit that is deployed, because nothing can convert it', () => {
    const { problems } = synthesized(({ number }) => ({
      retention: Duration.hours(number),
      destination: { type: 'http', url: URL, retry: Duration.minutes(number) },
    }));
    expect(problems).toEqual(['props.retention', 'props.destination.retry']);
  });

  test('that is an account, or the ARN of a role, is the principal of the reader’s trust as it is', () => {
    const { stack } = synthesized(() => ({
      siemReader: { type: 'external-id', principal: Aws.ACCOUNT_ID, externalId: 'x-1' },
    }));
    const role = resources(templateOf(stack), 'AWS::IAM::Role').find(({ Properties }) =>
      JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('"sts:ExternalId":"x-1"'),
    );
    expect(role!.Properties['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [{ Principal: { AWS: { Ref: 'AWS::AccountId' } } }],
    });
  });

  test('as an address lets the function out to the port of https', () => {
    const { problems, template } = synthesized(({ text }) => ({ baseUrl: text, authUrl: text }));
    expect([problems, template.length > 0]).toEqual([[], true]);
    const { stack } = synthesized(({ text }) => ({ runbookUrl: text, alarmEmail: 'a@b.example' }));
    const endpoints = resources(templateOf(stack), 'AWS::SNS::Subscription').map(
      ({ Properties }) => Properties['Endpoint'],
    );
    expect(endpoints).toContain('a@b.example');
    expect(stack.node.findAll().flatMap(each => each.node.metadata.filter(({ type }) => /warn/.test(type)))).toEqual(
      [],
    );
  });
});
