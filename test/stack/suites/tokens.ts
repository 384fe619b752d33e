import { describe, expect, test } from '@jest/globals';
import { CfnParameter, Duration, Stack } from 'aws-cdk-lib';
import type { ConfigurationError } from '../../../lib/config/problem.ts';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { Destination } from '../../../lib/delivery/destination.ts';
import { MOST_BUFFER_SECONDS } from '../../../lib/delivery/firehose.ts';
import { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { createApp, templateOf } from '../synth.ts';
import { propertiesOf } from '../template.ts';
import { REQUIRED, warningsOf } from './construct.ts';

const URL = 'https://siem.acme.example';

/** Tokens: values of parameters, which are known only at deployment. */
interface Late {
  text(parameter?: string): string;
  number(parameter?: string): number;
}

/** What the construct says of tokens, and its stack. */
function constructed(props: (late: Late) => object): { readonly problems: string[]; readonly stack: Stack } {
  const stack = new Stack(createApp(), 'TheirStack');
  const late: Late = {
    text: (id = 'Text') => new CfnParameter(stack, `Late${id}`).valueAsString,
    number: (id = 'Number') => new CfnParameter(stack, `Late${id}`, { type: 'Number' }).valueAsNumber,
  };
  const given = { ...REQUIRED, ...props(late) } as SecurityDataConnectorProps;
  try {
    new SecurityDataConnector(stack, 'Connector', given);
  } catch (error) {
    if ((error as Error).name !== 'ConfigurationError') throw error;
    return { problems: (error as ConfigurationError).problems.map(({ path }) => path), stack };
  }
  return { problems: [], stack };
}

/** By name, props that may be tokens. */
const ACCEPTED: Readonly<Record<string, (late: Late) => Readonly<Record<string, unknown>>>> = {
  'props of the connector': ({ text, number }) => ({
    connectorName: text('Name'),
    baseUrl: text('BaseUrl'),
    authUrl: text('AuthUrl'),
    dnsBlocksPath: text('DnsBlocksPath'),
    filters: { dnsBlocks: 'a' },
    threatAssetField: text('ThreatAssetField'),
    rowsMember: text('RowsMember'),
    paginationMember: text('PaginationMember'),
    logRetention: number('LogRetention'),
    retention: Duration.days(number('Retention')),
    alarmEmail: text('AlarmEmail'),
    runbookUrl: text('RunbookUrl'),
    dashboard: true,
  }),
  'a bucket and its reader': ({ text, number }) => ({
    destination: Destination.s3({ bufferInterval: Duration.seconds(number('Buffer')) }),
    siemReader: { type: 'external-id', principal: text('Principal'), externalId: text('ExternalId') },
  }),
  Sentinel: ({ text }) => ({ siemReader: { type: 'sentinel', workspaceId: text('WorkspaceId') } }),
  Splunk: ({ text }) => ({ destination: Destination.splunk({ url: text('Url') }) }),
  'an endpoint': ({ text, number }) => ({
    destination: Destination.http({ url: URL, name: text('Name'), retry: Duration.seconds(number('Retry')) }),
  }),
};

/** Props that must be known at synth, where they are members of an object or numbers. */
const REFUSED: readonly [path: string, props: (late: Late) => object][] = [
  ['filters.threats', ({ text }) => ({ filters: { threats: text() } })],
  ['omit.threats[0]', ({ text }) => ({ omit: { threats: [text()] } })],
  ['requestsPerMinute', ({ number }) => ({ requestsPerMinute: number(), refresh: Duration.days(90) })],
  ['rate', ({ number }) => ({ rate: Duration.minutes(number()), refresh: Duration.days(90) })],
  ['alarms.dead-letters.threshold', ({ number }) => ({ alarms: { 'dead-letters': { threshold: number() } } })],
  ['noProxy[0]', ({ text }) => ({ proxyUrl: 'http://proxy.example:3128', noProxy: [text()] })],
  ['siemReaders[0].name', ({ text }) => ({ siemReaders: [{ name: text() }] })],
];

describe('a token, whose value is known only at deployment', () => {
  test.each(Object.entries(ACCEPTED))('every token in the props of %s arrives in the template', (_, props) => {
    const { problems, stack } = constructed(props);
    expect(problems).toEqual([]);
    const template = JSON.stringify(templateOf(stack));
    const parameters = stack.node.children.filter(child => child instanceof CfnParameter).map(({ node }) => node.id);
    expect(parameters.filter(id => id !== 'BootstrapVersion' && !template.includes(`{"Ref":"${id}"}`))).toEqual([]);
    // The CDK writes the token of a number as such a number until it resolves it.
    expect(template).not.toMatch(/-?\d+(\.\d+)?e\+\d+|\$\{Token/i);
  });

  test.each(REFUSED)('a token is refused with the name of the prop: %s', (path, props) => {
    expect(constructed(props).problems).toEqual([`props.${path}`]);
  });

  test.each(['s3', 'splunk', 'http'] as const)(
    'the delivery-late alarm assumes the longest buffer interval of %s when the interval is a token',
    type => {
      const { stack } = constructed(({ number }) => ({
        destination: Destination[type]({ url: URL, bufferInterval: Duration.seconds(number()) }),
      }));
      const late = propertiesOf(templateOf(stack), 'AWS::CloudWatch::Alarm').find(
        alarm => alarm['AlarmName'] === 'acme/delivery-late',
      );
      expect(late).toMatchObject({ Threshold: 2 * MOST_BUFFER_SECONDS[type] + 900 });
    },
  );

  test('a token for a duration must have the unit of the template, because a token cannot be converted', () => {
    const { problems } = constructed(({ number }) => ({
      retention: Duration.hours(number('Retention')),
      destination: Destination.http({ url: URL, retry: Duration.minutes(number('Retry')) }),
    }));
    expect(problems).toEqual(['props.retention', 'props.destination.retry']);
  });

  test('a token as the address of the runbook does not cause a warning', () => {
    const { stack } = constructed(({ text }) => ({ runbookUrl: text(), alarmEmail: 'a@b.example' }));
    expect(stack.node.findAll().flatMap(warningsOf)).toEqual([]);
  });
});
