/**
 * The example tenant in the Advanced Security Information Model: the parsers of siem/sentinel, run
 * by an engine for KQL.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { titleOf } from './parts.ts';
import { sentinel } from './support/files.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

// Mandatory fields: the pages normalization-common-fields, -schema-dns and -schema-alert of
// learn.microsoft.com/azure/sentinel.
const COMMON =
  'EventCount EventStartTime EventEndTime EventType EventResult EventVendor EventProduct EventSchema EventSchemaVersion Dvc';
const PARSERS = [
  {
    parser: 'vimDnsSecurityData',
    stream: 'dns-blocks',
    eventId: 'EventUid',
    mandatory: `${COMMON} EventResultDetails DnsQuery`,
  },
  {
    parser: 'vimAlertEventSecurityData',
    stream: 'threats',
    eventId: 'EventOriginalUid',
    mandatory: `${COMMON} EventUid`,
  },
];

/** A parser, a parameter with its value, and the events that pass. */
const FILTERS = [
  ['vimDnsSecurityData', 'domain_has_any', "dynamic(['phish.example'])", /\.phish\.example$/],
  ['vimDnsSecurityData', 'srcipaddr', "'192.0.2.1'", /$^/],
  ['vimDnsSecurityData', 'disabled', 'true', /$^/],
  ['vimAlertEventSecurityData', 'eventseverity_has_any', "dynamic(['High'])", /^High$/],
  ['vimAlertEventSecurityData', 'starttime', 'datetime(2999-01-01)', /$^/],
] as const;

type Event = Readonly<Record<string, unknown>>;

/** The mandatory fields that an event lacks. */
function missing(events: readonly Event[], mandatory: string): string[] {
  const isEmpty = (value: unknown) => value === null || value === undefined || value === '';
  return mandatory.split(' ').filter(name => events.some(event => isEmpty(event[name])));
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

  const eventsOf = async (kql: string, of = workspace): Promise<Event[]> => of.objects(await of.sqlOf(kql));

  test.each(PARSERS)('$parser has each event once and with every mandatory field', async ({ parser, ...claim }) => {
    const events = await eventsOf(kqlOf(parser));
    const heads = tenant.lines
      .map(headOf)
      .filter(({ stream, kind }) => stream === claim.stream && kind !== 'withdrawn');
    expect(events.map(event => event[claim.eventId]).sort()).toEqual(heads.map(({ event_id }) => event_id).sort());
    expect(missing(events, claim.mandatory)).toEqual([]);
  });

  test('a DNS block in ASIM starts at the time when it was blocked', async () => {
    const times = new Map(tenant.lines.map(headOf).map(({ event_id, time }) => [event_id, time]));
    for (const event of await eventsOf(kqlOf('vimDnsSecurityData')))
      expect(Date.parse(`${event['EventStartTime']}Z`)).toBe(Date.parse(times.get(String(event['EventUid']))!));
  });

  test.each(FILTERS)('%s filters events by %s = %s', async (parser, parameter, value, passing) => {
    const textOf = (event: Event) => String(event['EventSeverity'] ?? event['DnsQuery']);
    const all = (await eventsOf(kqlOf(parser))).map(textOf);
    const kql = kqlOf(parser).replace(new RegExp(`let ${parameter} = .*;`), `let ${parameter} = ${value};`);
    const passed = (await eventsOf(kql)).map(textOf);
    expect(passed.sort()).toEqual(all.filter(text => passing.test(text)).sort());
  });

  test('threats without optional members become alerts in ASIM, but DNS blocks without optional members are left out', async () => {
    await using bare = await workspaceOf(tenant.lines.map(line => line.replace(/,"row":.*/s, ',"row":{}}')));
    const [dns, alert] = PARSERS;
    const alerts = await eventsOf(kqlOf(alert!.parser), bare);
    expect(alerts.length).toBeGreaterThan(0);
    expect(missing(alerts, alert!.mandatory)).toEqual([]);
    expect(await eventsOf(kqlOf(dns!.parser), bare)).toEqual([]);
  });
});
