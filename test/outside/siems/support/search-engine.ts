/** The claims of siem/elastic and siem/opensearch, on one engine. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRandom } from '../../../../local/api-simulator/random.ts';
import { PARTS, part, type ServerName } from '../parts.ts';
import { type Corpus, corpus, ID_OF_40_000_BYTES, shuffledTwice } from './corpus.ts';
import {
  call,
  hitPages,
  hitsOf,
  type Loaded,
  load,
  type Operation,
  pages,
  throughFilebeat,
  throughPipeline,
} from './engine.ts';
import { consoleRequests, GONE_KINDS, siemFile } from './files.ts';
import { report } from './report.ts';
import { type Truth, truthOf } from './truth.ts';

const DATA_STREAM = 'logs-security_data.connector-default';
const EVENTS = ['security-data-events-2026.10', 'security-data-events-2026.11'] as const;
const STATE = 'security-data-state';

/** @param options dataStreams: Elasticsearch OSS 7.10 has none, and gets an alias that rolls over instead */
export function describeEngine(name: ServerName, { dataStreams }: { readonly dataStreams: boolean }): void {
  const title = `${PARTS[name].name} ${PARTS[name].version}`;
  const { url = '' } = part(name);
  let lines: Corpus;
  let truth: Truth;
  let operations: Operation[];
  let other: string[];

  beforeAll(async () => {
    lines = await corpus();
    truth = await truthOf([...lines.before, ...lines.after]);
    const random = createRandom(7);
    // First the lines before the replay, then all lines, so that repeats are in both halves.
    other = [...shuffledTwice(lines.before, random), ...shuffledTwice([...lines.before, ...lines.after], random)];
    operations = other.flatMap(line => throughFilebeat(line) ?? []);
  });

  describe(`the files of siem/elastic on ${title}`, () => {
    const requests = consoleRequests(siemFile('elastic/queries.console'));
    let loaded: Loaded[];

    beforeAll(async () => {
      await putElasticTemplate(url, dataStreams);
      const half = lines.before.length * 2;
      const first = await load(url, DATA_STREAM, operations.slice(0, half));
      await call(url, 'POST', `${DATA_STREAM}/_rollover`);
      loaded = [first, await load(url, DATA_STREAM, operations.slice(half))];
    });
    afterAll(() => call(url, 'DELETE', dataStreams ? `_data_stream/${DATA_STREAM}` : `${DATA_STREAM}-*`));

    test('take every line: none is refused but repeats of one sending, and those get in again after a rollover', () => {
      expect(loaded.flatMap(each => each.refused)).toEqual([]);
      expect(loaded[0]!.conflicts).toBe(lines.before.length);
      expect(loaded[1]!.written).toBe(lines.before.length + lines.after.length);
      report(title, 'siem/elastic', {
        'lines loaded': operations.length,
        written: loaded[0]!.written + loaded[1]!.written,
        repeats: loaded[0]!.conflicts + loaded[1]!.conflicts,
        refused: 0,
      });
    });

    test('find what exists now, page by page, as the views of this project do', async () => {
      const request = requests.get('exists-now')!;
      const buckets = await pages(url, request.path, request.body, 'things');
      expect(buckets.length).toBeGreaterThan(10_000);
      const newest = buckets.map(bucket => hitsOf(bucket['newest'] as object as never)[0]!._source.security_data!);
      const existing = newest.filter(({ kind }) => !GONE_KINDS.some(gone => gone === kind));
      expect(words(existing, 'connector', 'stream', 'sequence')).toEqual(truth.existing);
      // An invalid time is in no range.
      const notUpdated = existing.filter(({ time }) => Date.parse(time!) < Date.now() - 30 * 86_400_000);
      expect(words(notUpdated, 'connector', 'stream', 'sequence')).toEqual(truth.notUpdated);
      const gone = newest.filter(({ kind }) => GONE_KINDS.some(each => each === kind));
      expect(words(gone, 'connector', 'stream', 'sequence')).toEqual(truth.gone);
      report(title, 'siem/elastic exists-now', { ids: existing.length, 'of the view': truth.existingIds });
    });

    countTests(
      () => url,
      requests,
      () => truth,
      title,
    );

    test('find one id by its name', async () => {
      const { path, body } = requests.get('one-id')!;
      const filled = body.replace('<connector>', 'acme').replace('<id>', 'threat-changes-back');
      const [hit] = hitsOf(await call(url, 'POST', path, filled));
      expect(hit!._source['message']).toContain('"value":"B"');
    });

    test('keep the line as it was sent, to the last digit', async () => {
      const body = JSON.stringify({ query: { term: { 'security_data.id': 'breaker-digits' } } });
      const hits = hitsOf(await call(url, 'POST', `${DATA_STREAM}/_search`, body));
      expect(lines.before.concat(lines.after)).toContain(hits[0]!._source['message']);
      expect(hits[0]!._source['message']).toContain('9'.repeat(1_500));
    });

    test('take an id of 40,000 bytes, which no connector sends', async () => {
      const loaded = await load(url, DATA_STREAM, [throughFilebeat(ID_OF_40_000_BYTES)!]);
      expect(loaded).toEqual({ written: 1, conflicts: 0, refused: [] });
    });
  });

  describe(`what docs/integrations/elastic.md warns of, on ${title}`, () => {
    const NAIVE = 'naive';
    afterAll(() => call(url, 'DELETE', `${NAIVE}*`));
    const create = (id: string, document: string): Operation => ({
      action: JSON.stringify({ create: { _id: id } }),
      document,
    });

    test('with event_id as _id the first of B, A, B stays, and A is the greatest', async () => {
      const again = lines.before.filter(line => line.includes('"id":"again"') && line.includes('"kind":"upsert"'));
      expect(again.length).toBe(3);
      const byId = again.map(line => create(JSON.parse(line).event_id, line));
      expect(await load(url, NAIVE, byId)).toMatchObject({ written: 2, conflicts: 1, refused: [] });
      const newest = JSON.stringify({ size: 1, sort: [{ 'sequence.keyword': 'desc' }] });
      const [hit] = hitsOf(await call(url, 'POST', `${NAIVE}/_search`, newest));
      expect(hit!._source['row']).toEqual({ id: 'again', value: 'A' });
    });

    test('rows as objects are refused by the default mapping', async () => {
      const breakers = lines.before.filter(line => line.includes('"id":"breaker-'));
      const { refused } = await load(
        url,
        `${NAIVE}-rows`,
        breakers.map((line, index) => create(String(index), line)),
      );
      expect(refused.length).toBeGreaterThan(3);
    });

    test('a number of 1,500 digits is refused, or not, even in an object that is not indexed', async () => {
      const mappings = { properties: { row: { type: 'object', enabled: false } } };
      await call(url, 'PUT', `${NAIVE}-off`, JSON.stringify({ mappings }));
      const digits = `{"row":{"number":${'9'.repeat(1_500)}}}`;
      const { refused } = await load(url, `${NAIVE}-off`, [create('1', digits)]);
      // Elasticsearch 7.10 has a parser from before the limit.
      expect(refused.length).toBe(name === 'opensearch' ? 1 : 0);
    });

    test('collapse answers ten ids unless it has a size, and never pages', async () => {
      const body = { collapse: { field: 'security_data.id' }, sort: [{ 'security_data.sequence': 'desc' }] };
      const search = (more: object) =>
        call(url, 'POST', `${DATA_STREAM}/_search`, JSON.stringify({ ...body, ...more }));
      await putElasticTemplate(url, dataStreams);
      await load(url, DATA_STREAM, operations.slice(0, 100));
      expect(hitsOf(await search({})).length).toBe(10);
      await expect(search({ search_after: ['0'] })).rejects.toThrow('search_after');
      await call(url, 'DELETE', dataStreams ? `_data_stream/${DATA_STREAM}` : `${DATA_STREAM}-*`);
    });
  });

  describe(`the files of siem/opensearch on ${title}`, () => {
    const requests = consoleRequests(siemFile('opensearch/queries.console'));
    let events: Loaded[];
    let state: Loaded;
    let lastState: Operation[];

    beforeAll(async () => {
      for (const each of ['events', 'state'])
        await call(
          url,
          'PUT',
          `_index_template/security-data-${each}`,
          siemFile(`opensearch/index-template-${each}.json`),
        );
      const piped = other.map(throughPipeline);
      const all = piped.flatMap(({ event }) => event ?? []);
      const half = lines.before.length * 2;
      events = [await load(url, EVENTS[0], all.slice(0, half)), await load(url, EVENTS[1], all.slice(half))];
      lastState = piped.flatMap(each => each.state ?? []);
      state = await load(url, STATE, lastState);
    });
    afterAll(() => call(url, 'DELETE', [...EVENTS, STATE].join()));

    test('take every line: none is refused but older versions of what is known', () => {
      expect([...events, state].flatMap(each => each.refused)).toEqual([]);
      expect(events.map(each => each.conflicts)).toEqual([0, 0]);
      expect(state.conflicts).toBeGreaterThan(0);
      report(title, 'siem/opensearch', {
        'lines loaded': events[0]!.written + events[1]!.written,
        'into the state index': state.written,
        'older versions': state.conflicts,
        refused: 0,
      });
    });

    test('keep what exists now in the state index, as the views of this project do', async () => {
      const request = requests.get('state')!;
      const hits = await hitPages(url, request.path, request.body);
      expect(hits.length).toBeGreaterThan(10_000);
      expect(
        words(
          hits.map(each => each._source),
          'connector',
          'stream',
          'sequence',
        ),
      ).toEqual(truth.existing);
      report(title, 'siem/opensearch state', { ids: hits.length, 'of the view': truth.existingIds });
      const count = await call(url, 'POST', STATE_SEARCH, requests.get('state-count')!.body);
      expect(sumOfStreams(count)).toBe(truth.existingIds);
      const notUpdated = await hitPages(url, STATE_SEARCH, requests.get('not-updated')!.body);
      expect(
        words(
          notUpdated.map(each => each._source),
          'connector',
          'stream',
          'sequence',
        ),
      ).toEqual(truth.notUpdated);
      const gone = hitsOf(await call(url, 'POST', STATE_SEARCH, requests.get('state-gone')!.body));
      expect(
        words(
          gone.map(each => each._source),
          'connector',
          'stream',
          'sequence',
        ),
      ).toEqual(truth.gone);
    });

    test('change nothing in the state index when every line arrives once more', async () => {
      const before = await hitPages(url, STATE_SEARCH, requests.get('state')!.body);
      await load(url, STATE, lastState);
      expect(await hitPages(url, STATE_SEARCH, requests.get('state')!.body)).toEqual(before);
    });

    test('find the same in the index of events', async () => {
      const request = requests.get('exists-now')!;
      const buckets = await pages(url, request.path, request.body, 'things');
      const newest = buckets.map(bucket => hitsOf(bucket['newest'] as object as never)[0]!._source);
      const existing = newest.filter(({ kind }) => !GONE_KINDS.some(gone => gone === kind));
      expect(words(existing, 'connector', 'stream', 'sequence')).toEqual(truth.existing);
      report(title, 'siem/opensearch exists-now', { ids: existing.length, 'of the view': truth.existingIds });
    });

    countTests(
      () => url,
      requests,
      () => truth,
      title,
    );

    test('take an id of 40,000 bytes, which no connector sends', async () => {
      const { event, state: newest } = throughPipeline(ID_OF_40_000_BYTES);
      const written = { written: 1, conflicts: 0, refused: [] };
      expect(await load(url, EVENTS[1], [event!])).toEqual(written);
      expect(await load(url, STATE, [newest!])).toEqual(written);
    });

    test('hold the greatest sequence that a version can be, and refuse the next, which is of the year 2055', async () => {
      const at = (version: bigint) => ({
        action: `{"index":{"_id":"x","version":${version},"version_type":"external_gte"}}`,
        document: '{}',
      });
      expect((await load(url, 'versions', [at(2n ** 63n - 1n)])).refused).toEqual([]);
      await expect(load(url, 'versions', [at(2n ** 63n)])).rejects.toThrow('out of range of long');
      await call(url, 'DELETE', 'versions');
    });
  });
}

const STATE_SEARCH = `${STATE}/_search`;

type Requests = ReturnType<typeof consoleRequests>;

function countTests(url: () => string, requests: Requests, truth: () => Truth, title: string): void {
  test('count the events of each stream and day, each once, as the views do', async () => {
    const { path, body } = requests.get('events-by-day')!;
    const buckets = await pages(url(), path, body, 'events');
    const days = Map.groupBy(buckets, ({ key }) => `${key['connector']} ${key['stream']} ${key['day']}`);
    expect([...days].map(([day, each]) => `${day} ${each.length}`).sort()).toEqual(truth().days);
    report(title, `${path.split('-')[0] === 'logs' ? 'siem/elastic' : 'siem/opensearch'} events-by-day`, {
      events: buckets.length,
    });
  });

  test('count about the same with the approximate aggregation', async () => {
    const { path, body } = requests.get('events-by-day-approximate')!;
    const days = streamsOf(await call(url(), 'POST', path, body)).flatMap(({ connector, stream, bucket }) =>
      (bucket['day'] as Buckets).buckets.map(
        day => `${connector} ${stream} ${day['key_as_string']} ${(day['events'] as { value: number }).value}`,
      ),
    );
    // Below its threshold the count is nearly always exact.
    expect(days.sort().map(each => each.replace(/ \d+$/, ''))).toEqual(
      truth().days.map(each => each.replace(/ \d+$/, '')),
    );
    const total = (all: readonly string[]) => all.reduce((sum, each) => sum + Number(each.split(' ').at(-1)), 0);
    expect(Math.abs(total(days) / total(truth().days) - 1)).toBeLessThan(0.01);
  });

  test('say when the newest event of each stream was made, as the views do', async () => {
    const { path, body } = requests.get('freshness')!;
    const newest = streamsOf(await call(url(), 'POST', path, body)).map(
      ({ connector, stream, bucket }) =>
        `${connector} ${stream} ${(bucket['newest'] as { value_as_string: string }).value_as_string}`,
    );
    expect(newest.sort()).toEqual(truth().newest);
  });

  test('leave out kinds of a later release, which are found by their event_id', async () => {
    const { path, body } = requests.get('test-event')!;
    const hits = hitsOf(await call(url(), 'POST', path, body.replace('<event_id>', 'assets test-1 0')));
    expect(hits.length).toBeGreaterThan(0);
  });
}

interface Buckets {
  readonly buckets: readonly Record<string, unknown>[];
}

function streamsOf(answer: object) {
  const { connector } = (answer as { aggregations: Record<string, Buckets> }).aggregations;
  return connector!.buckets.flatMap(each =>
    (each['stream'] as Buckets).buckets.map(bucket => ({
      connector: String(each['key']),
      stream: String(bucket['key']),
      bucket,
    })),
  );
}

function sumOfStreams(answer: object): number {
  return streamsOf(answer).reduce((sum, { bucket }) => sum + Number(bucket['doc_count']), 0);
}

function words(all: readonly Readonly<Record<string, string>>[], ...names: readonly string[]): string[] {
  return all.map(each => names.map(name => each[name]).join(' ')).sort();
}

async function putElasticTemplate(url: string, dataStreams: boolean): Promise<void> {
  const text = siemFile('elastic/index-template.json');
  if (dataStreams) {
    await call(url, 'PUT', '_index_template/security-data', text);
    return;
  }
  const { data_stream: _, ...template } = JSON.parse(text);
  await call(url, 'PUT', '_index_template/security-data', JSON.stringify(template));
  const aliases = { [DATA_STREAM]: { is_write_index: true } };
  await call(url, 'PUT', `${DATA_STREAM}-000001`, JSON.stringify({ aliases }));
}
