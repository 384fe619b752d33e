/** The example tenant in the Elastic Common Schema: the ingest pipeline of siem/elastic, run by Elasticsearch itself. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PARTS, part } from './parts.ts';
import { call, hitsOf, type Loaded, load, throughFilebeat } from './support/engine.ts';
import { consoleRequests, siemFile } from './support/files.ts';
import { statedWords } from './support/models-page.ts';
import { report } from './support/report.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';

/** A field as `@elastic/ecs` describes it. */
interface Field {
  readonly type: string;
  readonly normalize: readonly string[];
  readonly allowed_values?: readonly { readonly name: string; readonly expected_event_types?: readonly string[] }[];
  readonly expected_values?: readonly string[];
}

const ENGINE = `${PARTS.ingest.name} ${PARTS.ingest.version}`;
const SCHEMA = `${PARTS.ecs.name} ${PARTS.ecs.version}`;
const { EcsFlat: FIELDS, EcsVersion: VERSION } = createRequire(join(part('ecs').folder, 'package.json'))(
  PARTS.ecs.name,
) as { readonly EcsFlat: Readonly<Record<string, Field>>; readonly EcsVersion: string };
const { url = '' } = part('ingest');
const INDEX = 'logs-security_data.connector-default';

type Document = Readonly<Record<string, unknown>>;

/** Fields and values of a document. Lists are one value. Fields below `security_data` are not of ECS. */
function leavesOf(value: Document, path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (path === '' && name === 'security_data') return [];
    const field = `${path}${name}`;
    return typeof each === 'object' && each !== null && !Array.isArray(each)
      ? leavesOf(each as Document, `${field}.`)
      : [[field, each]];
  });
}

const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  date: value => !Number.isNaN(Date.parse(String(value))),
  ip: value => /^[\d.]+$|:/.test(String(value)),
  long: Number.isInteger,
  float: value => typeof value === 'number',
};

/** Differences between a document and the schema. */
function violationsOf(document: Document): string[] {
  const leaves = new Map(leavesOf(document));
  const violations: string[] = [];
  for (const name of ['@timestamp', 'ecs.version', 'event.kind', 'event.type'])
    if (!leaves.has(name)) violations.push(`${name} is missing`);
  const types = leaves.get('event.type') as string[];
  for (const [name, value] of leaves) {
    const field = FIELDS[name];
    const values = Array.isArray(value) ? value : [value];
    if (!field) violations.push(`${name} is no field`);
    else if (Array.isArray(value) !== field.normalize.includes('array'))
      violations.push(`${name} is a list or should be`);
    else if (!values.every(IS[field.type] ?? (each => typeof each === 'string')))
      violations.push(`${name} is no ${field.type}`);
    if (field?.expected_values && !values.every(each => field.expected_values!.includes(String(each))))
      violations.push(`${name} is not as expected: ${values}`);
    if (!field?.allowed_values) continue;
    for (const each of values) {
      const allowed = field.allowed_values.find(one => one.name === each);
      if (!allowed) violations.push(`${name} may not be ${each}`);
      const unexpected = types.filter(type => allowed?.expected_event_types?.includes(type) === false);
      if (name === 'event.category' && unexpected.length > 0) violations.push(`${each} does not go with ${unexpected}`);
    }
  }
  return violations;
}

/** A claimed type of event, and the fields that it needs. */
const CLAIMS: readonly { readonly of: string; readonly is: readonly string[]; readonly needs: readonly string[] }[] = [
  { of: 'assets upsert', is: ['asset', 'host', 'info'], needs: ['host.id', 'host.name', 'host.ip'] },
  { of: 'assets tombstone', is: ['asset', '', 'end'], needs: [] },
  {
    of: 'threats upsert',
    is: ['alert', '*', 'info'],
    needs: ['host.id', 'rule.name', 'event.severity', 'threat.technique.id'],
  },
  { of: 'threats withdrawn', is: ['event', '', 'end'], needs: ['event.reason'] },
  {
    of: 'dns-blocks dns_block',
    is: ['event', 'network', 'denied,protocol'],
    needs: ['dns.question.name', 'dns.question.type', 'dns.type', 'network.protocol', 'source.ip', 'related.hosts'],
  },
];

describe(`the example tenant in ECS, by the ingest pipeline on ${ENGINE}`, () => {
  let tenant: Tenant;
  let loaded: Loaded;
  let documents: readonly Document[];

  beforeAll(async () => {
    tenant = await exampleTenant();
    const { data_stream: _, ...template } = JSON.parse(siemFile('elastic/index-template.json'));
    await call(url, 'PUT', '_index_template/security-data', JSON.stringify(template));
    const requests = [...consoleRequests(siemFile('elastic/ingest-pipeline.console')).values()];
    for (const { path, body } of requests) await call(url, 'PUT', path, body);
    const lines = [...tenant.lines, ...tenant.others];
    loaded = await load(
      url,
      `${INDEX}-000001`,
      lines.flatMap(line => throughFilebeat(line) ?? []),
      'security-data',
    );
    const answer = await call(
      url,
      'POST',
      `${INDEX}-000001/_search`,
      JSON.stringify({ size: 5_000, query: { match_all: {} } }),
    );
    documents = hitsOf(answer).map(({ _source }) => _source);
  });
  afterAll(() => call(url, 'DELETE', `${INDEX}-*`));

  test('takes every line, also rows without its members and values that a naive mapping refuses', () => {
    expect(loaded.refused).toEqual([]);
    expect(documents.length).toBe(tenant.lines.length + tenant.others.length);
    expect(documents.filter(each => '_row' in each)).toEqual([]);
  });

  test(`is without violation of the fields and values of ${SCHEMA}`, () => {
    expect(VERSION).toMatch(/^9\.4\./);
    expect([...new Set(documents.flatMap(violationsOf))]).toEqual([]);
    expect(statedWords('ECS')).toBe(`${documents.length} documents, 0 refused, 0 violations`);
    expect(
      violationsOf({ ...documents[0]!, event: { kind: 'alarm', type: ['end'], category: ['malware'] }, hostname: 'x' }),
    ).toEqual(
      expect.arrayContaining(['event.kind may not be alarm', 'malware does not go with end', 'hostname is no field']),
    );
    report(SCHEMA, 'siem/elastic', {
      documents: documents.length,
      fields: new Set(documents.flatMap(each => leavesOf(each).map(([name]) => name))).size,
      violations: 0,
    });
  });

  test.each(CLAIMS)('fills what $of needs', ({ of, is, needs }) => {
    const rows = documents.map(each => ({
      fields: new Map(leavesOf(each)),
      data: each['security_data'] as Record<string, string>,
    }));
    const ids = new Set(tenant.lines.map(line => line.slice(0, 60)));
    const found = rows.filter(
      ({ fields, data }) =>
        `${data['stream']} ${data['kind']}` === of && ids.has(String(fields.get('message')).slice(0, 60)),
    );
    expect(found.length).toBeGreaterThan(0);
    const [kind, category, type] = is;
    for (const { fields } of found) {
      expect(fields.get('event.kind')).toBe(kind);
      if (category === '*') expect(fields.has('event.category')).toBe(true);
      else expect(fields.get('event.category') ?? '').toEqual(category === '' ? '' : [category]);
      expect(String(fields.get('event.type'))).toBe(type);
      expect(needs.filter(name => !fields.has(name))).toEqual([]);
    }
    report(SCHEMA, of, { events: found.length, kind: kind!, category: category || 'none', type: type!, missing: 0 });
  });

  test('makes no second alert of a refresh', async () => {
    const line = tenant.lines.find(each => headOf(each)['stream'] === 'threats')!;
    const refreshed = throughFilebeat(line.replace(',"row":', ',"refresh":true,"row":'))!;
    const body = JSON.stringify({ docs: [{ _source: JSON.parse(refreshed.document) }] });
    const { docs } = (await call(url, 'POST', '_ingest/pipeline/security-data/_simulate', body)) as {
      readonly docs?: readonly [{ readonly doc: { readonly _source: { readonly event: object } } }];
    };
    expect(docs![0].doc._source.event).toMatchObject({ kind: 'event', type: ['info'] });
  });

  test('dates a DNS block when it was blocked, and everything else when the connector made the event', () => {
    for (const { '@timestamp': time, security_data } of documents) {
      const data = security_data as Record<string, string>;
      const expected = data['stream'] === 'dns-blocks' ? data['time'] : data['forwarded_at'];
      expect(Date.parse(String(time))).toBe(Date.parse(expected!));
    }
  });

  test('claims no host, network or category of a row that has none of its members', () => {
    const others = new Set(tenant.others.map(line => line.slice(0, 60)));
    const found = documents.filter(each => others.has(String(each['message']).slice(0, 60)));
    expect(found.length).toBe(tenant.others.length);
    const claimed = found
      .flatMap(each => leavesOf(each).map(([name]) => name))
      .filter(name => /^(host\.(?!id)|dns|event\.category)/.test(name));
    // Two of those rows have a name.
    expect([...new Set(claimed)].sort()).toEqual(['event.category', 'host.hostname']);
  });
});
