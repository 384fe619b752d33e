import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import schema from '../../../docs/event.schema.json' with { type: 'json' };
import { STREAMS } from '../../../lambda/streams.ts';
import { TEST_EVENT } from '../../../lib/test-event.ts';
import { VERSION } from '../../../lib/version.ts';
import { throughFilebeat } from './support/engine.ts';
import { MEANING } from './support/event-kinds.ts';
import {
  ALL_STREAMS,
  consoleRequests,
  EXISTING_KINDS,
  GONE_KINDS,
  HEAD,
  HEAD_NAMES,
  KINDS,
  kqlQueries,
  SIEM_FOLDER,
  STATE_KINDS,
  STATE_STREAMS,
  sentinel,
  siemFile,
  splunkDashboard,
} from './support/files.ts';

const NAMES = readdirSync(SIEM_FOLDER, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(SIEM_FOLDER.length + 1));

const APP = 'splunk/security_data_connector';
const HISTORY_STREAMS = ALL_STREAMS.filter(name => !STATE_STREAMS.includes(name));

/** The lists of kinds and streams that mean something. */
const WHOLE = [KINDS, STATE_KINDS, EXISTING_KINDS, GONE_KINDS, STATE_STREAMS, HISTORY_STREAMS].map(asText);

/**
 * `["a", "b"]`, `("a", "b")`, `{"a", "b"}` and `^(a|b)$`, of which at least one word is a kind or a
 * stream.
 */
function listsOf(text: string): string[] {
  const quoted = text.replaceAll('\\"', '"').matchAll(/[[({]\s*("[\w-]+"(?:,\s*"[\w-]+")*)\s*[\])}]/g);
  const lists = [
    ...[...quoted].map(([, list]) => list!.replace(/["\s]/g, '').split(',')),
    ...[...text.matchAll(/\^\(([\w|-]+)\)\$/g)].map(([, list]) => list!.split('|')),
  ];
  const known = new Set([...Object.keys(MEANING), ...ALL_STREAMS]);
  return [...new Set(lists.filter(list => list.some(word => known.has(word))).map(asText))].sort();
}

function asText(list: readonly string[]): string {
  return list.toSorted().join();
}

describe('the files of siem/', () => {
  test('the files of siem/ use only kinds and streams of the event schema', () => {
    expect(asText(schema.properties.kind.enum)).toBe(asText(Object.keys(MEANING)));
    expect(asText(ALL_STREAMS)).toBe(asText(STREAMS.map(({ name }) => name)));
  });

  test('a list of kinds or streams in a file of siem/ lacks none of its meaning', () => {
    const lists = NAMES.flatMap(name => listsOf(siemFile(name)).map(list => ({ name, list })));
    expect(lists.length).toBeGreaterThan(30);
    expect(lists.filter(({ list }) => !WHOLE.includes(list))).toEqual([]);
  });

  test('the files of siem/ compare a kind or stream only with values of the event schema', () => {
    const known = { kind: Object.keys(MEANING), stream: [...ALL_STREAMS, TEST_EVENT.stream] };
    const compared = NAMES.filter(name => !/pipelines|collections\.conf/.test(name)).flatMap(name =>
      [
        ...siemFile(name)
          .replaceAll('\\"', '"')
          .matchAll(
            // Not event.kind of ECS.
            /(?<!event\.)\b(?:Event)?([Kk]ind|[Ss]tream)(?:Before)?"?(?: *(?:==|!=|=~|=|:) *)["']?([a-z][\w-]*)(?![\w(.])/g,
          ),
      ].map(([text, field, value]) => ({
        name,
        text,
        field: field!.toLowerCase() as keyof typeof known,
        value: value!,
      })),
    );
    expect(compared.length).toBeGreaterThan(30);
    const unknown = compared.filter(({ field, value }) => !known[field].includes(value));
    // The kind of a join in KQL.
    expect(unknown.filter(({ text }) => text !== 'kind=leftouter')).toEqual([]);
  });

  test('the files of siem/ expect a sequence of exactly 20 digits', () => {
    expect(schema.properties.sequence.pattern).toBe('^[0-9]{20}$');
    expect(siemFile(`${APP}/default/savedsearches.conf`).match(/\^s\(\?<sequence>\\d\{20\}\)/g)?.length).toBe(3);
  });

  test('requests for Dev Tools in the files of siem/ contain valid JSON', () => {
    for (const name of ['elastic/queries.console', 'opensearch/queries.console']) {
      const requests = consoleRequests(siemFile(name));
      expect(requests.size).toBe(siemFile(name).match(/^GET /gm)!.length);
      for (const { body } of requests.values()) expect(() => JSON.parse(body)).not.toThrow();
    }
  });

  test('the app for Splunk has the version of the package', () => {
    expect(siemFile(`${APP}/default/app.conf`).match(/^version = .*$/gm)).toEqual(
      Array(2).fill(`version = ${VERSION}`),
    );
    expect(JSON.parse(siemFile(`${APP}/app.manifest`)).info.id.version).toBe(VERSION);
  });
});

describe('the members of the events', () => {
  test('the index templates have a field of the right type for each member of the events', () => {
    const types = { time: 'date', boolean: 'boolean', text: 'keyword' } as const;
    const expected = HEAD.map(({ name, type }) => [name, types[type as keyof typeof types]]);
    const fieldsOf = (properties: Readonly<Record<string, { type?: string }>>) =>
      Object.entries(properties).map(([name, { type }]) => [name, type]);
    const propertiesOf = (name: string) => JSON.parse(siemFile(name)).template.mappings.properties;
    expect(fieldsOf(propertiesOf('elastic/index-template.json').security_data.properties)).toEqual(expected);
    for (const name of ['events', 'state']) {
      const { message: _, row_fields: __, ...properties } = propertiesOf(`opensearch/index-template-${name}.json`);
      expect(fieldsOf(properties)).toEqual(expected);
    }
  });

  test('queries and scripts for Elastic and OpenSearch name only members of the events', () => {
    const elastic = NAMES.filter(name => name.startsWith('elastic/'))
      .map(siemFile)
      .join('\n');
    const named = [...elastic.matchAll(/security_data(?:\?)?\.(?!connector-)(\w+)/g)].map(([, name]) => name!);
    const opensearch = siemFile('opensearch/queries.console');
    named.push(...[...opensearch.matchAll(/"(?:field": |terms?": \{ )"(?!field")(\w+)"/g)].map(([, name]) => name!));
    named.push(...[...siemFile('opensearch/pipeline.yaml').matchAll(/\$\{\/(\w+)\}/g)].map(([, name]) => name!));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(name => !HEAD_NAMES.includes(name) && name !== 'thing')).toEqual([]);
  });

  test('the columns of Sentinel match the members of the events in name and type', () => {
    const { table, declared, members } = sentinel();
    const types = { time: 'datetime', boolean: 'boolean', text: 'string' } as const;
    const expected = [
      ...HEAD.map(({ name, type }) => ({ name, type: types[type as keyof typeof types] as string })),
      { name: 'row', type: 'dynamic' },
    ];
    // It may be a text or a number.
    const asSent = expected.map(each => (each.name === 'stream_position' ? { ...each, type: 'dynamic' } : each));
    expect(declared).toEqual(asSent);
    const filled = table.columns.map(({ name, type }) => ({ name: members.get(name), type }));
    expect(filled).toEqual([{ name: 'forwarded_at', type: 'datetime' }, ...expected]);
    expect(members.size).toBe(table.columns.length);
  });

  test('the collection and the lookup of the app for Splunk have the same fields', () => {
    const fields = [...siemFile(`${APP}/default/collections.conf`).matchAll(/^field\.(\w+) = string$/gm)];
    const lookup = /^fields_list = _key, (.*)$/m.exec(siemFile(`${APP}/default/transforms.conf`))![1]!;
    expect(lookup.split(', ')).toEqual(fields.map(([, name]) => name));
    expect(lookup.split(', ').filter(name => !HEAD_NAMES.includes(name))).toEqual(['version']);
  });

  test('the columns of Sentinel have names of 2 to 45 characters that are not reserved', () => {
    const reserved = new Set(RESERVED.map(name => name.toLowerCase()));
    const names = sentinel().table.columns.map(({ name }) => name);
    expect(names.filter(name => reserved.has(name.toLowerCase()) || !/^[A-Za-z_]\w{1,44}$/.test(name))).toEqual([]);
  });
});

/**
 * Microsoft's reserved names of columns, in any case, and `Kind`, which was refused for another
 * project.
 */
const RESERVED = [
  ...['id', 'BilledSize', 'IsBillable', 'InvalidTimeGenerated', 'TenantId', 'Title', 'Type', 'UniqueId', 'Kind'],
  ...['_ItemId', '_ResourceGroup', '_ResourceId', '_SubscriptionId', '_TimeReceived'],
];

/**
 * The file of each SIEM in which the customer names the members of the rows, and how the block is
 * marked.
 */
const BLOCKS: Readonly<Record<string, RegExp>> = {
  'elastic/ingest-pipeline.console': /YOUR MEMBERS are the params[\s\S]*?"source"/g,
  'opensearch/pipeline.yaml': /YOUR MEMBERS: begin[\s\S]*?YOUR MEMBERS: end/g,
  'sentinel/azuredeploy.json': /YOUR MEMBERS: begin[\s\S]*?YOUR MEMBERS: end/g,
  [`${APP}/default/props.conf`]: /YOUR MEMBERS: begin[\s\S]*?YOUR MEMBERS: end/g,
};

describe('members of a row that the API does not promise', () => {
  const promised = new Set(['id', 'updated_at', 'stream_position', 'deleted', 'deleted_at', 'blocked_at']);

  test('members that the API does not promise are used in only one marked block per SIEM', () => {
    const blocks = NAMES.flatMap(
      name =>
        siemFile(name)
          .match(BLOCKS[name] ?? /YOUR MEMBERS: begin/g)
          ?.map(() => name) ?? [],
    );
    expect(blocks.sort()).toEqual(Object.keys(BLOCKS).sort());
  });

  test('members that the API does not promise are not used outside the marked blocks', () => {
    const named = NAMES.flatMap(name => {
      const text = siemFile(name).replace(BLOCKS[name] ?? /$^/, '');
      const members = text.matchAll(/(?<![\w/$.])(?:[Rr]ow\.|Row\['|\/row\/|row\[")(\w+)/g);
      return [...members].filter(([, member]) => !promised.has(member!)).map(([, member]) => `${name} ${member}`);
    });
    expect([...new Set(named)]).toEqual([]);
  });
});

describe('the script of Filebeat', () => {
  test('the script of Filebeat parses the members before the row and leaves the row as text', () => {
    const head = { event_id: 'e', sequence: '7', connector: 'acme', time: null };
    const line = `${JSON.stringify(head).slice(0, -1)},"row":{"id":1e999,"row":{}}}`;
    const { action, document } = throughFilebeat(line)!;
    expect(JSON.parse(action)).toEqual({ create: { _id: 'acme-e-7' } });
    expect(JSON.parse(document)).toEqual({
      message: line,
      security_data: { event_id: 'e', sequence: '7', connector: 'acme' },
    });
  });

  test.each(['{"class_uid":5001}', '{"event_id":"e","sequ'])(
    'the script of Filebeat tags the line %s instead of parsing it',
    line => {
      expect(throughFilebeat(line)).toBeUndefined();
    },
  );
});

test('the dashboard for Splunk shows each of its searches', () => {
  const { visualizations, dataSources, layout } = splunkDashboard();
  const shown = layout.structure.map(({ item }: { item: string }) => visualizations[item].dataSources.primary);
  expect(shown).toEqual(Object.keys(dataSources));
});

test('the file of queries for Sentinel has nine named queries', () => {
  expect(kqlQueries().length).toBe(9);
});
