import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FILEBEAT_SCRIPT } from '../../../lib/siem-files/elastic.ts';
import { KINDS, MEMBERS, readFacts, STATE_KINDS, STATE_STREAMS } from '../../../lib/siem-files/event-facts.ts';
import { siemFiles, writtenFiles } from '../../../lib/siem-files/files.ts';
import { COLUMNS, FUNCTIONS, RESERVED } from '../../../lib/siem-files/kusto.ts';
import { parseConsole } from '../../../lib/siem-files/search-requests.ts';
import { code, PAGES, page, ROOT } from '../../docs/pages.ts';

const FILES = siemFiles();
const SCHEMA = JSON.parse(readFileSync(path.join(ROOT, 'docs', 'event.schema.json'), 'utf8'));

function withKind(kind: string) {
  const { properties } = SCHEMA;
  return { properties: { ...properties, kind: { enum: [...properties.kind.enum, kind] } } };
}

describe('the files of siem/', () => {
  test('are what the description of the events makes of them: npm run siem -- --write', () => {
    const written = writtenFiles();
    expect([...written.keys()]).toEqual([...FILES.keys()].sort());
    for (const [name, text] of FILES) expect([name, written.get(name)]).toEqual([name, text]);
  });

  test('are not made while the schema of the events has a kind that they do not treat', () => {
    expect(() => readFacts(withKind('merged'))).toThrow('kinds');
    expect(readFacts(SCHEMA).kinds).toEqual(KINDS);
  });

  test('each say how they were made, and for which format and destination', () => {
    const silent = [...FILES].filter(([name, text]) => {
      // A part of the app, or a pipeline of Sigma, which reads fields and no lines.
      const isPart = /\/(app\.|nav\/|views\/|metadata\/|README)|sigma\/pipelines/.test(name);
      const isSilent = !/format: ocsf/.test(text) || !/s3-parquet/.test(text) || !/Generated: npm run siem/.test(text);
      return !isPart && isSilent && name !== 'elastic/ingest-pipeline.json';
    });
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('read every member of the events and every kind, and view the streams that have states', () => {
    const head = MEMBERS.filter(({ isRow }) => !isRow).map(({ name }) => name);
    for (const name of ['elastic/index-template.json', 'opensearch/index-template-state.json'])
      for (const member of head) expect(FILES.get(name)).toContain(`"${member}"`);
    expect(COLUMNS.map(({ member }) => member)).toEqual(MEMBERS.map(({ name }) => name));
    for (const name of ['elastic/queries.console', 'sentinel/queries.kql', 'crowdstrike/queries.logscale'])
      for (const kind of KINDS) expect(FILES.get(name)).toContain(`"${kind}"`);
    for (const stream of STATE_STREAMS) expect(FILES.get('opensearch/pipeline.yaml')).toContain(`"${stream}"`);
    expect(STATE_KINDS).not.toContain('dns_block');
  });

  test('name no column of Sentinel by a reserved word, and each within 2 to 45 characters', () => {
    const reserved = new Set(RESERVED.map(name => name.toLowerCase()));
    expect(COLUMNS.filter(({ name }) => reserved.has(name.toLowerCase()))).toEqual([]);
    expect(COLUMNS.filter(({ name }) => !/^[A-Za-z_]\w{1,44}$/.test(name))).toEqual([]);
  });

  test('have requests for Dev Tools that are JSON', () => {
    for (const name of ['elastic/queries.console', 'opensearch/queries.console']) {
      const requests = parseConsole(FILES.get(name)!);
      expect(requests.size).toBe(FILES.get(name)!.match(/^GET /gm)!.length);
      for (const { body } of requests.values()) expect(() => JSON.parse(body)).not.toThrow();
    }
  });
});

describe('the script of Filebeat', () => {
  const run = (line: string) => {
    const fields = new Map<string, unknown>([['message', line]]);
    const tags: string[] = [];
    const event = {
      Get: (name: string) => fields.get(name),
      Put: (name: string, value: unknown) => fields.set(name, value),
      Tag: (tag: string) => tags.push(tag),
    };
    new Function(`${FILEBEAT_SCRIPT} return process;`)()(event);
    return { fields, tags };
  };

  test('takes the members before the row and leaves the row as text', () => {
    const line = '{"event_id":"e","sequence":"7","connector":"acme","time":null,"row":{"id":1e999,"row":{}}}';
    const { fields, tags } = run(line);
    expect(tags).toEqual([]);
    expect(Object.fromEntries(fields)).toEqual({
      message: line,
      'security_data.event_id': 'e',
      'security_data.sequence': '7',
      'security_data.connector': 'acme',
      '@metadata._id': 'acme-e-7',
    });
  });

  test.each([
    ['a line in OCSF', '{"class_uid":5001}', 'security_data_other_format'],
    ['a line that was cut off', '{"event_id":"e","sequ', 'security_data_unreadable'],
  ])('keeps %s with a tag', (_, line, tag) => {
    expect(run(line)).toEqual({ fields: new Map([['message', line]]), tags: [tag] });
  });
});

test('every block of code in the pages of the SIEMs is part of a file of siem/, or configures the connector', () => {
  const pages = PAGES.filter(name => name.startsWith('docs/siem/'));
  const blocks = pages.flatMap(name =>
    ['kusto', 'console', 'esql', 'yaml', 'ini', 'spl', 'logscale', 'yaral', 'yml'].flatMap(language =>
      code(page(name), language).map(block => [name, block.trim()] as const),
    ),
  );
  // In JSON the functions of Sentinel are one line each.
  const all = [...FILES.values(), ...FUNCTIONS.map(({ kql }) => kql)].join('\n');
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.filter(([, block]) => !all.includes(block))).toEqual([]);
});
