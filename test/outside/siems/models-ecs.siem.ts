/**
 * The example tenant in the Elastic Common Schema: the ingest pipeline of siem/elastic, run by
 * Elasticsearch itself.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { part } from '../running.ts';
import { PARTS, titleOf } from './parts.ts';
import { call, hitsOf, load, throughFilebeat } from './support/engine.ts';
import { consoleRequests, siemFile } from './support/files.ts';
import { exampleTenant, headOf, type Tenant } from './support/tenant.ts';

/** A field as `@elastic/ecs` describes it. */
interface Field {
  readonly type: string;
  readonly normalize: readonly string[];
  readonly allowed_values?: readonly { readonly name: string; readonly expected_event_types?: readonly string[] }[];
  readonly expected_values?: readonly string[];
}

const { EcsFlat: FIELDS } = createRequire(join(part('ecs').folder, 'package.json'))(PARTS.ecs.name) as {
  readonly EcsFlat: Readonly<Record<string, Field>>;
};
const { url } = part('elasticsearch');
const INDEX = 'logs-security_data.connector-models';

type Document = Readonly<Record<string, unknown>>;

/**
 * Fields and values of a document. Lists are one value. Fields below `security_data` are not of
 * ECS.
 */
function leavesOf(value: Document, path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (path === '' && name === 'security_data') return [];
    const field = `${path}${name}`;
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    return isObject ? leavesOf(inner as Document, `${field}.`) : [[field, inner]];
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
  const types = leaves.get('event.type') as string[];
  const missing = ['@timestamp', 'ecs.version', 'event.kind', 'event.type'].filter(name => !leaves.has(name));
  const wrong = [...leaves].flatMap(([name, value]) => {
    const field = FIELDS[name];
    if (!field) return [`${name} is no field`];
    const values = [value].flat();
    const isOfType = values.every(IS[field.type] ?? (one => typeof one === 'string'));
    const allowed = values.map(one => field.allowed_values?.find(other => other.name === one));
    const goesWithTypes = allowed.every(one =>
      types.every(type => one?.expected_event_types?.includes(type) !== false),
    );
    return [
      ...(Array.isArray(value) === field.normalize.includes('array') ? [] : [`${name} is a list or should be`]),
      ...(isOfType ? [] : [`${name} is not of the type ${field.type}`]),
      ...(values.every(one => field.expected_values?.includes(String(one)) !== false) ? [] : [`${name} is ${values}`]),
      ...(field.allowed_values && allowed.includes(undefined) ? [`${name} may not be ${values}`] : []),
      ...(name === 'event.category' && !goesWithTypes ? [`${values} does not go with ${types}`] : []),
    ];
  });
  return [...missing.map(name => `${name} is missing`), ...wrong];
}

/**
 * A claimed kind of event: `event.kind`, `event.category` and `event.type`, and the fields that it
 * needs.
 */
const CLAIMS = [
  ['assets upsert', ['asset', 'host', 'info'], ['host.id', 'host.name', 'host.ip']],
  ['assets tombstone', ['asset', undefined, 'end'], []],
  [
    'threats upsert',
    ['alert', expect.anything(), 'info'],
    ['host.id', 'rule.name', 'event.severity', 'threat.technique.id'],
  ],
  ['threats withdrawn', ['event', undefined, 'end'], ['event.reason']],
  [
    'dns-blocks dns_block',
    ['event', 'network', 'denied,protocol'],
    ['dns.question.name', 'dns.question.type', 'dns.type', 'network.protocol', 'source.ip', 'related.hosts'],
  ],
] as const;

describe(`the example tenant in ECS, by the ingest pipeline on ${titleOf('elasticsearch')}`, () => {
  let tenant: Tenant;
  let documents: readonly Document[];

  const documentsOf = (lines: readonly string[]) => {
    const known = new Set(lines);
    return documents.filter(({ message }) => known.has(String(message)));
  };

  beforeAll(async () => {
    tenant = await exampleTenant();
    const { data_stream: _, ...template } = JSON.parse(siemFile('elastic/index-template.json'));
    await call(url, 'PUT', '_index_template/security-data', JSON.stringify(template));
    const requests = [...consoleRequests(siemFile('elastic/ingest-pipeline.console')).values()];
    for (const { path, body } of requests) await call(url, 'PUT', path, body);
    const operations = [...tenant.lines, ...tenant.others].flatMap(line => throughFilebeat(line) ?? []);
    const { refused } = await load(url, INDEX, operations, 'security-data');
    expect(refused).toEqual([]);
    const all = JSON.stringify({ size: 5_000, query: { match_all: {} } });
    documents = hitsOf(await call(url, 'POST', `${INDEX}/_search`, all)).map(({ _source }) => _source);
  });
  afterAll(() => call(url, 'DELETE', INDEX));

  test('the ingest pipeline keeps every line, even if members are missing or have unusual values', () => {
    expect(documents.length).toBe(tenant.lines.length + tenant.others.length);
    expect(documents.filter(document => '_row' in document)).toEqual([]);
  });

  test(`a document has only fields and values of ${titleOf('ecs')}`, () => {
    expect([...new Set(documents.flatMap(violationsOf))]).toEqual([]);
  });

  test.each(CLAIMS)('an event of %s has the fields that ECS requires', (name, claim, needs) => {
    const lines = tenant.lines.filter(line => `${headOf(line)['stream']} ${headOf(line)['kind']}` === name);
    const found = documentsOf(lines).map(document => new Map(leavesOf(document)));
    expect(found.length).toBe(lines.length);
    for (const fields of found) {
      const category = [fields.get('event.category')].flat()[0];
      expect([fields.get('event.kind'), category, String(fields.get('event.type'))]).toEqual(claim);
      expect(needs.filter(need => !fields.has(need))).toEqual([]);
    }
  });

  test('a refresh does not create a second alert in ECS', async () => {
    const line = tenant.lines.find(each => headOf(each)['stream'] === 'threats')!;
    const refreshed = throughFilebeat(line.replace(',"row":', ',"refresh":true,"row":'))!;
    const body = JSON.stringify({ docs: [{ _source: JSON.parse(refreshed.document) }] });
    const answer = await call(url, 'POST', '_ingest/pipeline/security-data/_simulate', body);
    expect(answer).toMatchObject({ docs: [{ doc: { _source: { event: { kind: 'event', type: ['info'] } } } }] });
  });

  test('a DNS block in ECS has the time of the block, but other events have forwarded_at', () => {
    for (const { '@timestamp': time, security_data } of documents) {
      const data = security_data as Record<string, string>;
      const expected = data['stream'] === 'dns-blocks' ? data['time'] : data['forwarded_at'];
      expect(Date.parse(String(time))).toBe(Date.parse(expected!));
    }
  });

  test('a row without the optional members gets no host, network or category in ECS', () => {
    const names = documentsOf(tenant.others).flatMap(document => leavesOf(document).map(([name]) => name));
    const claimed = names.filter(name => /^(host\.(?!id)|dns|event\.category)/.test(name));
    // Two of those rows have a name.
    expect([...new Set(claimed)].sort()).toEqual(['event.category', 'host.hostname']);
  });
});
