/** The example tenant in the Advanced Security Information Model: the parsers of siem/sentinel, run by an engine for KQL. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { titleOf } from './parts.ts';
import { sentinel } from './support/files.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

interface Model {
  readonly parser: string;
  readonly version: string;
  readonly stream: string;
  readonly mandatory: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
}

// Mandatory fields, aliases and values: the pages normalization-common-fields, -schema-dns and -schema-alert of learn.microsoft.com/azure/sentinel.
const COMMON =
  'EventCount EventStartTime EventEndTime EventType EventResult EventVendor EventProduct EventSchema EventSchemaVersion Dvc';
const RESULTS = ['Success', 'Partial', 'Failure', 'NA'];
const MODELS: readonly Model[] = [
  {
    parser: 'vimDnsSecurityData',
    version: 'Dns 0.1.7',
    stream: 'dns-blocks',
    mandatory: `${COMMON} EventResultDetails DnsQuery`.split(' '),
    aliases: {
      Domain: 'DnsQuery',
      DnsResponseCodeName: 'EventResultDetails',
      IpAddr: 'SrcIpAddr',
      Src: 'SrcIpAddr',
      DomainCategory: 'UrlCategory',
    },
    values: { EventType: ['Query'], EventSubType: ['request', 'response'], EventResult: RESULTS },
  },
  {
    parser: 'vimAlertEventSecurityData',
    version: 'AlertEvent 0.1',
    stream: 'threats',
    mandatory: `${COMMON} EventUid`.split(' '),
    aliases: { AlertId: 'EventUid', AlertDescription: 'EventMessage', Rule: 'RuleName' },
    values: {
      EventType: ['Alert'],
      EventSubType: ['Threat', 'Suspicious Activity', 'Anomaly', 'Compliance Violation'],
      EventResult: RESULTS,
      EventSeverity: ['Informational', 'Low', 'Medium', 'High'],
      AlertStatus: ['Active', 'Closed'],
      DvcIdType: ['Other'],
      ThreatCategory: ['Malware', 'Security Policy Violation', 'Unknown'],
    },
  },
];

/** A parameter of a parser, and a value for it. */
const FILTERS = [
  ['vimDnsSecurityData', 'domain_has_any', "dynamic(['phish.example'])"],
  ['vimDnsSecurityData', 'srcipaddr', "'192.0.2.1'"],
  ['vimDnsSecurityData', 'disabled', 'true'],
  ['vimAlertEventSecurityData', 'eventseverity_has_any', "dynamic(['High'])"],
  ['vimAlertEventSecurityData', 'starttime', 'datetime(2999-01-01)'],
] as const;

type Event = Readonly<Record<string, unknown>>;

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/** Differences between events and their model. Empty values count only in mandatory fields. */
function violationsOf({ mandatory, aliases, values, version }: Model, events: readonly Event[]): string[] {
  const violations = new Set<string>();
  for (const event of events) {
    for (const name of mandatory) if (isEmpty(event[name])) violations.add(`${name} is empty`);
    for (const [alias, of] of Object.entries(aliases))
      if (event[alias] !== event[of]) violations.add(`${alias} is not ${of}`);
    for (const [name, allowed] of Object.entries(values))
      if (!isEmpty(event[name]) && !allowed.includes(String(event[name])))
        violations.add(`${name} may not be ${event[name]}`);
    if (`${event['EventSchema']} ${event['EventSchemaVersion']}` !== version) violations.add('another version');
    if (isEmpty(event['DvcId']) !== isEmpty(event['DvcIdType'])) violations.add('one of DvcId and DvcIdType is empty');
  }
  return [...violations];
}

describe(`the example tenant in ASIM, by the parsers of siem/sentinel on ${titleOf('duckdb-kql')}`, () => {
  const { functions } = sentinel();
  const kqlOf = (name: string) => functions.find(saved => saved.name === name)!.kql;
  let tenant: Tenant;
  let workspace: Workspace;

  beforeAll(async () => {
    tenant = await exampleTenant();
    // Each line twice, as Firehose may deliver it.
    workspace = await workspaceOf([...tenant.lines, ...tenant.lines]);
  });
  afterAll(async () => workspace[Symbol.asyncDispose]());

  async function workspaceOf(lines: readonly string[]): Promise<Workspace> {
    const opened = await openWorkspace(lines, { withRows: true });
    await opened.define('SecurityDataMembers', kqlOf('SecurityDataMembers'));
    return opened;
  }

  const eventsOf = async (parser: string, of = workspace): Promise<Event[]> =>
    of.objects(await of.sqlOf(kqlOf(parser)));

  test.each(MODELS)(
    '$version has each event once, with every mandatory field and values that the model allows',
    async model => {
      const events = await eventsOf(model.parser);
      const heads = tenant.lines
        .map(headOf)
        .filter(({ stream, kind }) => stream === model.stream && kind !== 'withdrawn');
      const id = model.stream === 'threats' ? 'EventOriginalUid' : 'EventUid';
      expect(events.map(event => event[id]).sort()).toEqual(heads.map(({ event_id }) => event_id).sort());
      expect(violationsOf(model, events)).toEqual([]);
      const { EventVendor: _, ...broken } = events[0]!;
      expect(violationsOf(model, [{ ...broken, EventResult: 'Maybe' }])).toEqual([
        'EventVendor is empty',
        'EventResult may not be Maybe',
      ]);
      const types = new Map((await workspace.rows(`describe ${await workspace.sqlOf(kqlOf(model.parser))}`)) as never);
      expect(types.get('EventCount')).toBe('INTEGER');
      for (const name of ['TimeGenerated', 'EventStartTime', 'EventEndTime']) expect(types.get(name)).toBe('TIMESTAMP');
    },
  );

  test('a DNS block in ASIM starts at the time when it was blocked', async () => {
    const times = new Map(tenant.lines.map(headOf).map(({ event_id, time }) => [event_id, time]));
    for (const event of await eventsOf('vimDnsSecurityData'))
      expect(Date.parse(`${event['EventStartTime']}Z`)).toBe(Date.parse(times.get(String(event['EventUid']))!));
  });

  test('the parsers for ASIM filter events by their parameters', async () => {
    const counts = FILTERS.map(async ([parser, parameter, value]) => {
      const kql = kqlOf(parser).replace(new RegExp(`let ${parameter} = .*;`), `let ${parameter} = ${value};`);
      return (await workspace.objects(await workspace.sqlOf(kql))).length;
    });
    const alerts = await eventsOf('vimAlertEventSecurityData');
    const severe = alerts.filter(event => event['EventSeverity'] === 'High').length;
    const blocks = await eventsOf('vimDnsSecurityData');
    const phishing = blocks.filter(event => String(event['DnsQuery']).endsWith('.phish.example')).length;
    expect(severe * phishing).toBeGreaterThan(0);
    expect(await Promise.all(counts)).toEqual([phishing, 0, 0, severe, 0]);
  });

  test('threats without optional members become alerts in ASIM, but DNS blocks without optional members are left out', async () => {
    await using bare = await workspaceOf(tenant.lines.map(line => line.replace(/,"row":.*/s, ',"row":{}}')));
    const alerts = await eventsOf('vimAlertEventSecurityData', bare);
    expect(alerts.length).toBeGreaterThan(0);
    expect(violationsOf(MODELS[1]!, alerts)).toEqual([]);
    expect(await eventsOf('vimDnsSecurityData', bare)).toEqual([]);
  });
});
