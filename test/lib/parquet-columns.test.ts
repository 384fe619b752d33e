import { beforeAll, describe, expect, test } from '@jest/globals';
import { columnsOf } from '../../lib/delivery/parquet-columns.ts';
import { parseEvent } from '../../local/aws/delivered.ts';
import { storyLines } from '../docs/event-examples.ts';
import { ALLOWED, type Line, ORDER } from '../docs/event-variants.ts';
import { connector } from '../lambda/support/connector.ts';
import { shownLines as shownOcsfLines } from '../ocsf/examples.ts';
import { throughParquet, withoutNull } from './parquet/through-parquet.ts';
import { withoutColumn } from './parquet/without-column.ts';

const COLUMNS = columnsOf('envelope');

let story: string[];

beforeAll(async () => {
  story = await storyLines();
});

/** A line as a table shows it: the row is the text that the API sent, to the last digit. */
function flat(line: string): object {
  const { row, ...members } = JSON.parse(line, withoutNull);
  return row === undefined ? members : { ...members, row: parseEvent(line, 'a line').row };
}

describe('the columns of the envelope', () => {
  test('are the members of an event, in their order, and no others', () => {
    expect(COLUMNS.map(({ name }) => name)).toEqual(ORDER);
  });

  test('hold every line of a real run, of each kind, digits of the row included', async () => {
    expect(new Set(story.map(line => parseEvent(line, 'a line').kind)).size).toBe(5);
    expect(story.join()).toContain('9007199254740993');
    expect(await throughParquet(story, COLUMNS)).toEqual(story.map(flat));
    expect(story.flatMap(line => withoutColumn(line, COLUMNS))).toEqual([]);
  });

  test('hold what the schema allows beside: other times, numbers as positions, members that are not there', async () => {
    const variants = ALLOWED.map(([, kind, stream, change]) => {
      const wanted = kind === 'oversize' ? 'threats' : stream;
      const event = story
        .map(line => JSON.parse(line) as Line)
        .find(each => each['kind'] === kind && each['stream'] === wanted)!;
      change(event);
      return JSON.stringify(event);
    });
    const texts = (line: string) => line.replace(/("stream_position"|"refresh"):(1\.5|true)/, '$1:"$2"');
    const asText = (line: string) => flat(texts(line));
    expect(await throughParquet(variants, COLUMNS)).toEqual(variants.map(asText));
  });

  test('hold any row to the last digit where it arrives as text, and the envelope of any row where it does not', async () => {
    await using each = await connector();
    // Every sixteenth generated row is a hard one, of five kinds.
    each.platform.populate({ assets: 80, threats: 80, dnsBlocks: 80 });
    await each.run();
    const lines = await each.lines();
    for (const digits of ['9007199254740993', '1e400', '0.30000000000000004440892098500626', '1E5', '-0', '\\ud800']) {
      expect(lines.filter(line => line.includes(digits)).length).toBeGreaterThan(0);
    }
    const texts = lines.map(line => JSON.stringify(flat(line)));
    expect(await throughParquet(texts, COLUMNS)).toEqual(lines.map(flat));
    // Half a surrogate pair is no Unicode, and DuckDB refuses it as JSON.
    const strict = lines.filter(line => !line.includes('\\ud800'));
    expect(strict.length).toBeGreaterThan(200);
    const envelope = (event: object) => ({ ...event, row: undefined });
    expect((await throughParquet(strict, COLUMNS)).map(envelope)).toEqual(strict.map(flat).map(envelope));
  });
});

/** What OCSF has these members for, one line a class; the sequence is that of the 1,042nd run. */
const METADATA = {
  uid: '0b6f2e8c4d91a7355e20c9f4417bd8a3',
  sequence: 10_420_000_000_002,
  log_name: 'assets',
  tenant_uid: 'acme',
  version: '1.8.0',
  profiles: ['security_control'],
  product: { name: 'Security Data Connector', vendor_name: 'example', version: '0.1.0' },
  processed_time: 1_795_166_043_120,
  original_event_uid: 'asset-7f3a',
  is_truncated: false,
};
const HEAD = {
  severity_id: 0,
  time: 1_795_166_043_000,
  metadata: METADATA,
  raw_data: '{"id":"a","n":9007199254740993}',
};
const OCSF = [
  { class_uid: 5001, category_uid: 5, activity_id: 2, type_uid: 500_102, ...HEAD, device: { uid: 'a', type_id: 0 } },
  { class_uid: 3004, category_uid: 3, activity_id: 4, type_uid: 300_404, ...HEAD, entity: { uid: 'a' } },
  {
    ...{ class_uid: 2004, category_uid: 2, activity_id: 99, activity_name: 'ThreatsWithdrawn', type_uid: 200_499 },
    ...{
      ...HEAD,
      finding_info: { uid: 't', title: 'Outdated TLS' },
      resources: [{ uid: 'a' }],
      unmapped: '{"score":7.0}',
    },
  },
  {
    ...{ class_uid: 4003, category_uid: 4, activity_id: 1, type_uid: 400_301, action_id: 2, disposition_id: 2 },
    ...{ ...HEAD, query: { hostname: 'malware.example' } },
  },
];

describe('the columns of OCSF', () => {
  const columns = columnsOf('ocsf');

  test('hold a line of each class, with its nested members and the row as text', async () => {
    const lines = OCSF.map(event => JSON.stringify(event));
    expect(await throughParquet(lines, columns)).toEqual(OCSF);
    expect(lines.flatMap(line => withoutColumn(line, columns))).toEqual([]);
  });

  test('hold every line of a real run, with the row as text and the sequence as a number', async () => {
    const lines = shownOcsfLines();
    expect(lines.flatMap(line => withoutColumn(line, columns))).toEqual([]);
    const read = (await throughParquet(lines, columns)) as Record<string, unknown>[];
    const kept = ({ metadata, raw_data }: Record<string, unknown>) => ({ metadata, raw_data });
    expect(read.map(kept)).toEqual(lines.map(line => kept(JSON.parse(line, withoutNull))));
  });

  test('show what they would drop', () => {
    const line = JSON.stringify({
      class_uid: 5001,
      device: { uid: 'a', vlan: 1 },
      resources: [{ uid: 'a', x: 1 }],
      y: 1,
    });
    expect(withoutColumn(line, columns)).toEqual(['device.vlan', 'resources.x', 'y']);
  });
});

test.each(['envelope', 'ocsf'] as const)(
  'the columns of %s have names that Glue and Hive take as they are, each once',
  format => {
    const names = columnsOf(format).map(({ name }) => name);
    expect(names.filter(name => !/^[a-z][a-z_]*$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  },
);
