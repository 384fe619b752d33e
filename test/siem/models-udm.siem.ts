/** The example tenant in Google's Unified Data Model, by the parser of siem/google-secops in an interpreter in TypeScript. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PARTS, part } from './parts.ts';
import { statedEvents, statedWords } from './support/models-page.ts';
import { report } from './support/report.ts';
import { type Parsed, throughParser } from './support/secops-parser.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';

const SCHEMA = `${PARTS.udm.name} ${PARTS.udm.version}`;

type Fields = Readonly<Record<string, unknown>>;

interface Schema {
  readonly Nouns: readonly string[];
  readonly Enums: Readonly<Record<string, readonly string[]>>;
  readonly Subtypes: Readonly<Record<string, Fields>>;
  readonly TopLevelFields: Readonly<Record<string, Fields>>;
}

function schema(): Schema {
  const library = join(part('udm').folder, 'lib');
  const [python] = readdirSync(library);
  const folder = join(library, python!, 'site-packages', 'sigma', 'pipelines', 'secops');
  return JSON.parse(readFileSync(join(folder, 'udm_field_schema.json'), 'utf8'));
}

const { Nouns, Enums, Subtypes, TopLevelFields } = schema();

/** Fields that are not in the model, and values that they may not have. Members of `additional` are free. */
function faultsOf(value: Fields, type: Fields, path = ''): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const field = `${path}${name}`;
    const of = path === '' ? (Nouns.includes(name) ? TopLevelFields['noun'] : TopLevelFields[name]) : type[name];
    if (of === undefined) return [`${field} is no field`];
    if (field === 'additional') return [];
    return (Array.isArray(each) ? each : [each]).flatMap(one => {
      const kind = typeof of === 'string' ? of.replace(/^@(enum:)?/, '') : undefined;
      if (kind !== undefined && kind in Enums)
        return Enums[kind]!.includes(String(one)) ? [] : [`${field} may not be ${one}`];
      if (typeof one === 'object')
        return faultsOf(one as Fields, kind ? (Subtypes[kind] ?? {}) : (of as Fields), `${field}.`);
      return kind === undefined || (kind in Subtypes && Object.keys(Subtypes[kind]!).length > 0)
        ? [`${field} is no text`]
        : [];
    });
  });
}

function at(value: unknown, path: string): unknown {
  const [name, ...rest] = path.split('.');
  const found = (Array.isArray(value) ? value[0] : value)?.[name!];
  return rest.length === 0 ? found : at(found, rest.join('.'));
}

const hasMachine = ({ udm }: Parsed, noun: string) =>
  ['hostname', 'ip', 'mac', 'asset_id'].some(name => at(udm, `${noun}.${name}`) !== undefined);

/** Required fields of each type. For NETWORK_DNS Google lists only those of every network event. */
const NEEDS: Readonly<Record<string, (event: Parsed) => boolean>> = {
  GENERIC_EVENT: () => true,
  SCAN_HOST: event =>
    hasMachine(event, 'target') && /^\w{1,32}:[\w.-]{1,128}$/.test(String(at(event.udm, 'target.asset_id'))),
  NETWORK_DNS: event =>
    hasMachine(event, 'principal') &&
    at(event.udm, 'network.application_protocol') === 'DNS' &&
    at(event.udm, 'network.dns.questions.name') !== undefined,
};

describe(`the example tenant in UDM, by the fields of ${SCHEMA}`, () => {
  let tenant: Tenant;
  let events: readonly { readonly head: ReturnType<typeof headOf>; readonly event: Parsed }[];
  const typeOf = ({ udm }: Parsed) => String(at(udm, 'metadata.event_type'));

  beforeAll(async () => {
    tenant = await exampleTenant();
    events = tenant.lines.flatMap(line => throughParser(line).map(event => ({ head: headOf(line), event })));
  });

  test('each line is one event, with fields and values that the model has', () => {
    expect(events.length).toBe(tenant.lines.length);
    expect([...new Set(events.flatMap(({ event }) => faultsOf(event.udm, {})))]).toEqual([]);
    expect(statedWords('UDM')).toBe(`${events.length} events, 0 faults`);
    const count = (kind: RegExp) => events.filter(({ head }) => kind.test(`${head['stream']} ${head['kind']}`)).length;
    expect(statedEvents()).toEqual([/assets upsert/, /threats upsert/, /dns_block/, /tombstone|withdrawn/].map(count));
    const wrong = { metadata: { event_type: 'THREAT' }, target: { host: 'x' }, network: { dns: 'x' } };
    expect(faultsOf(wrong, {})).toEqual([
      'metadata.event_type may not be THREAT',
      'target.host is no field',
      'network.dns is no text',
    ]);
  });

  test.each([
    ['assets upsert', ['GENERIC_EVENT'], ['target.hostname', 'target.ip', 'target.asset.product_object_id']],
    ['assets tombstone', ['GENERIC_EVENT'], ['target.asset.product_object_id']],
    // Without ids that cannot be an asset_id, because they contain a space or a question mark.
    ['threats upsert', ['GENERIC_EVENT', 'SCAN_HOST'], ['security_result.severity', 'security_result.threat_name']],
    ['threats withdrawn', ['GENERIC_EVENT'], ['security_result.threat_id']],
    ['dns-blocks dns_block', ['NETWORK_DNS'], ['security_result.action', 'target.hostname', 'principal.ip']],
  ])('%s has the type whose fields it fills', (of, types, fields) => {
    const found = events.filter(({ head }) => `${head['stream']} ${head['kind']}` === of).map(({ event }) => event);
    expect(found.length).toBeGreaterThan(0);
    expect([...new Set(found.map(typeOf))].sort()).toEqual(types);
    expect(found.filter(event => !NEEDS[typeOf(event)]!(event))).toEqual([]);
    for (const field of fields)
      expect([field, found.filter(({ udm }) => at(udm, field) === undefined).length]).toEqual([field, 0]);
    const counts = types.map(type => [type, found.filter(event => typeOf(event) === type).length]);
    report(SCHEMA, of, { ...Object.fromEntries(counts), faults: 0 });
  });

  test('only threats that exist are alerts, except refreshes', () => {
    for (const { head, event } of events)
      expect(event.isAlert ?? false).toBe(head['stream'] === 'threats' && head['kind'] === 'upsert');
    const line = tenant.lines.find(each => headOf(each)['stream'] === 'threats')!;
    const [refreshed] = throughParser(line.replace(',"row":', ',"refresh":true,"row":'));
    expect([refreshed!.isAlert, at(refreshed!.udm, 'security_result.alert_state')]).toEqual([false, 'NOT_ALERTING']);
  });

  test('a DNS block happened when it was blocked, everything else when the event was made, and all were collected then', () => {
    for (const { head, event } of events) {
      const { stream, time, forwarded_at } = head;
      expect(at(event.udm, 'metadata.event_timestamp')).toBe(stream === 'dns-blocks' ? time : forwarded_at);
      expect(at(event.udm, 'metadata.collected_timestamp')).toBe(forwarded_at);
    }
  });

  test('rows without the members are generic events, or scans of a machine by its id alone', () => {
    const parsed = tenant.lines.map(line => line.replace(/,"row":.*/s, ',"row":{}}')).flatMap(throughParser);
    expect(parsed.length).toBe(tenant.lines.length);
    expect([...new Set(parsed.map(typeOf))].sort()).toEqual(['GENERIC_EVENT', 'SCAN_HOST']);
    expect(parsed.filter(event => !NEEDS[typeOf(event)]!(event))).toEqual([]);
    expect([...new Set(parsed.flatMap(({ udm }) => faultsOf(udm, {})))]).toEqual([]);
    expect(throughParser('{"class_uid":5001}')).toEqual([]);
  });
});
