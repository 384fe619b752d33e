/** The example tenant in the Advanced Security Information Model: the parsers of siem/sentinel, run by an engine for KQL. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PARTS } from './parts.ts';
import { sentinel } from './support/files.ts';
import { statedEvents, statedWords } from './support/models-page.ts';
import { report } from './support/report.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';
import { openWorkspace } from './support/workspace.ts';

const ENGINE = `${PARTS['duckdb-kql'].name} ${PARTS['duckdb-kql'].version}`;

interface Model {
  readonly parser: string;
  readonly version: string;
  readonly stream: string;
  readonly mandatory: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
}

// Mandatory fields, aliases and values: the pages normalization-common-fields, -schema-dns and -schema-alert of learn.microsoft.com/azure/sentinel.
const COMMON = [
  'EventCount',
  'EventStartTime',
  'EventEndTime',
  'EventType',
  'EventResult',
  'EventVendor',
  'EventProduct',
];
const RESULTS = ['Success', 'Partial', 'Failure', 'NA'];
const MODELS: readonly Model[] = [
  {
    parser: 'vimDnsSecurityData',
    version: 'Dns 0.1.7',
    stream: 'dns-blocks',
    mandatory: [...COMMON, 'EventSchema', 'EventSchemaVersion', 'Dvc', 'EventResultDetails', 'DnsQuery'],
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
    mandatory: [...COMMON, 'EventSchema', 'EventSchemaVersion', 'EventUid', 'Dvc'],
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
  ['vimDnsSecurityData', 'responsecodename', "'NXDOMAIN'"],
  ['vimDnsSecurityData', 'disabled', 'true'],
  ['vimAlertEventSecurityData', 'eventseverity_has_any', "dynamic(['High'])"],
  ['vimAlertEventSecurityData', 'starttime', 'datetime(2999-01-01)'],
  ['vimAlertEventSecurityData', 'disabled', 'true'],
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
    if (isEmpty(event['DvcId']) !== isEmpty(event['DvcIdType']))
      violations.add('DvcIdType without DvcId, or the other way');
  }
  return [...violations];
}

describe(`the example tenant in ASIM, by the parsers of siem/sentinel on ${ENGINE}`, () => {
  let tenant: Tenant;
  const found = new Map<string, { readonly events: readonly Event[]; readonly types: ReadonlyMap<string, unknown> }>();
  let bare: readonly Event[];
  const filtered = new Map<string, number>();

  beforeAll(async () => {
    tenant = await exampleTenant();
    const { functions } = sentinel();
    const kqlOf = (name: string) => functions.find(each => each.name === name)!.kql;
    // Each line twice, as Firehose may deliver it.
    await using workspace = await openWorkspace([...tenant.lines, ...tenant.lines], { withRows: true });
    await workspace.define('SecurityDataMembers', kqlOf('SecurityDataMembers'));
    for (const { parser } of MODELS) {
      const sql = await workspace.sqlOf(kqlOf(parser));
      const types = (await workspace.rows(`describe ${sql}`)).map(([name, type]) => [String(name), type] as const);
      found.set(parser, { events: await workspace.objects(sql), types: new Map(types) });
    }
    for (const [parser, parameter, value] of FILTERS) {
      const kql = kqlOf(parser).replace(new RegExp(`let ${parameter} = .*;`), `let ${parameter} = ${value};`);
      const [[count]] = (await workspace.rows(`select count(*) from (${await workspace.sqlOf(kql)})`)) as [[unknown]];
      filtered.set(`${parser} ${parameter} ${value}`, Number(count));
    }
    const withoutRows = tenant.lines.map(line => line.replace(/,"row":.*/s, ',"row":{}}'));
    await using other = await openWorkspace(withoutRows, { withRows: true });
    await other.define('SecurityDataMembers', kqlOf('SecurityDataMembers'));
    bare = (await Promise.all(MODELS.map(async each => other.objects(await other.sqlOf(kqlOf(each.parser)))))).flat();
  });

  test.each(MODELS)('$version: each event once, with every mandatory field, and values that the model has', model => {
    const { events, types } = found.get(model.parser)!;
    const ids = tenant.lines.map(headOf).filter(({ stream, kind }) => stream === model.stream && kind !== 'withdrawn');
    expect(events.map(each => each[model.stream === 'threats' ? 'EventOriginalUid' : 'EventUid']).sort()).toEqual(
      ids.map(({ event_id }) => event_id).sort(),
    );
    expect(violationsOf(model, events)).toEqual([]);
    const [{ EventVendor: _, ...broken }] = events as [Event];
    expect(violationsOf(model, [{ ...broken, EventResult: 'Maybe' }])).toEqual([
      'EventVendor is empty',
      'EventResult may not be Maybe',
    ]);
    expect(types.get('EventCount')).toBe('INTEGER');
    for (const name of ['TimeGenerated', 'EventStartTime', 'EventEndTime']) expect(types.get(name)).toBe('TIMESTAMP');
    report(ENGINE, `siem/sentinel ${model.version}`, { events: events.length, fields: types.size, violations: 0 });
  });

  test('the page states how many events there were', () => {
    const events = MODELS.flatMap(({ parser }) => found.get(parser)!.events);
    expect(statedWords('ASIM')).toBe(`${events.length} events, 0 violations, no diagnostics`);
    const kinds = tenant.lines.map(headOf).map(({ stream, kind }) => `${stream} ${kind}`);
    const count = (kind: RegExp) => kinds.filter(each => kind.test(each)).length;
    expect(statedEvents()).toEqual([/assets upsert/, /threats upsert/, /dns_block/, /tombstone|withdrawn/].map(count));
  });

  test('a DNS block starts when it was blocked', () => {
    const times = new Map(tenant.lines.map(headOf).map(({ event_id, time }) => [event_id, time]));
    for (const each of found.get('vimDnsSecurityData')!.events)
      expect(Date.parse(`${each['EventStartTime']}Z`)).toBe(Date.parse(times.get(String(each['EventUid']))!));
  });

  test('the parameters of the parsers filter', () => {
    const severe = found
      .get('vimAlertEventSecurityData')!
      .events.filter(each => each['EventSeverity'] === 'High').length;
    const phishing = found
      .get('vimDnsSecurityData')!
      .events.filter(each => String(each['DnsQuery']).endsWith('.phish.example'));
    expect(severe * phishing.length).toBeGreaterThan(0);
    expect([...filtered.values()]).toEqual([phishing.length, 0, 0, 0, severe, 0, 0]);
  });

  test('threats without the members are still alerts, and DNS blocks without them are no DNS events', () => {
    expect(violationsOf(MODELS[1]!, bare)).toEqual([]);
    expect(bare.length).toBe(found.get('vimAlertEventSecurityData')!.events.length);
  });
});
