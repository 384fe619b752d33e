/**
 * The files of siem/elastic and siem/opensearch, on OpenSearch, which has the data streams that the
 * free Elasticsearch lacks.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { part } from '../running.ts';
import { titleOf } from './parts.ts';
import { type Corpus, corpus, ID_OF_40_000_BYTES, shuffledTwice } from './support/corpus.ts';
import {
  call,
  hitPages,
  hitsOf,
  type Loaded,
  load,
  type Operation,
  pages,
  type Source,
  throughFilebeat,
  throughPipeline,
} from './support/engine.ts';
import { consoleRequests, GONE_KINDS, siemFile } from './support/files.ts';
import { type Truth, truthOf } from './support/truth.ts';

const DATA_STREAM = 'logs-security_data.connector-default';
const EVENTS = ['security-data-events-2026.10', 'security-data-events-2026.11'] as const;
const STATE = 'security-data-state';

const { url } = part('opensearch');
const STORED = `_data_stream/${DATA_STREAM}`;

let lines: Corpus;
let truth: Truth;
let loaded: string[];

beforeAll(async () => {
  lines = await corpus();
  truth = await truthOf([...lines.before, ...lines.after]);
  const random = createRandom(7);
  // First the lines before the replay, then all lines, so that repeats are in both halves.
  loaded = [...shuffledTwice(lines.before, random), ...shuffledTwice([...lines.before, ...lines.after], random)];
});

/** Loads the lines before the replay into one place, and all of them into another. */
async function loadHalves([first, second]: readonly [string, string], operations: readonly Operation[]) {
  const half = lines.before.length * 2;
  const before = await load(url, first, operations.slice(0, half));
  if (first === second) await call(url, 'POST', `${first}/_rollover`);
  return [before, await load(url, second, operations.slice(half))] as const;
}

describe(`the files of siem/elastic on ${titleOf('opensearch')}`, () => {
  let halves: readonly [Loaded, Loaded];

  beforeAll(async () => {
    await call(url, 'PUT', '_index_template/security-data', siemFile('elastic/index-template.json'));
    const operations = loaded.flatMap(line => throughFilebeat(line) ?? []);
    halves = await loadHalves([DATA_STREAM, DATA_STREAM], operations);
  });
  afterAll(() => call(url, 'DELETE', STORED));

  test('Elasticsearch indexes every line, and refuses repeats until a rollover', () => {
    expect(halves.flatMap(({ refused }) => refused)).toEqual([]);
    expect(halves[0].conflicts).toBe(lines.before.length);
    expect(halves[1].written).toBe(lines.before.length + lines.after.length);
  });

  testQueries({ url, text: siemFile('elastic/queries.console'), truth: () => truth });

  test('Elasticsearch finds an id by its name and returns the line as it was sent', async () => {
    const { path, body } = consoleRequests(siemFile('elastic/queries.console')).get('one-id')!;
    const filled = body.replace('<connector>', 'acme').replace('<id>', 'breaker-digits');
    const [hit] = hitsOf(await call(url, 'POST', path, filled));
    expect(lines.before.concat(lines.after)).toContain(hit!._source['message']);
  });

  test('the index accepts an id of 40,000 bytes, although no connector sends such an id', async () => {
    const taken = await load(url, DATA_STREAM, [throughFilebeat(ID_OF_40_000_BYTES)!]);
    expect(taken).toEqual({ written: 1, conflicts: 0, refused: [] });
  });
});

describe(`the files of siem/opensearch on ${titleOf('opensearch')}`, () => {
  const requests = consoleRequests(siemFile('opensearch/queries.console'));
  const stateOf = (request: string) => hitPages(url, `${STATE}/_search`, requests.get(request)!.body);
  let halves: readonly [Loaded, Loaded];
  let state: Loaded;
  let states: Operation[];

  beforeAll(async () => {
    for (const index of ['events', 'state']) {
      const template = siemFile(`opensearch/index-template-${index}.json`);
      await call(url, 'PUT', `_index_template/security-data-${index}`, template);
    }
    const piped = loaded.map(throughPipeline);
    const events = piped.flatMap(({ event }) => event ?? []);
    halves = await loadHalves(EVENTS, events);
    states = piped.flatMap(each => each.state ?? []);
    state = await load(url, STATE, states);
  });
  afterAll(() => call(url, 'DELETE', [...EVENTS, STATE].join()));

  test('OpenSearch indexes every line, but its state index refuses older versions of rows', () => {
    expect([...halves, state].flatMap(({ refused }) => refused)).toEqual([]);
    expect(halves.map(({ conflicts }) => conflicts)).toEqual([0, 0]);
    expect(state.conflicts).toBeGreaterThan(0);
  });

  test('the state index has the same existing rows as the views of this project', async () => {
    const existing = (await stateOf('state')).map(({ _source }) => _source);
    expect(existing.length).toBeGreaterThan(10_000);
    expect(identitiesOf(existing)).toEqual(truth.existing);
    const count = await call(url, 'POST', `${STATE}/_search`, requests.get('state-count')!.body);
    expect(streamsOf(count).reduce((sum, { bucket }) => sum + Number(bucket['doc_count']), 0)).toBe(
      truth.existing.length,
    );
    expect(identitiesOf((await stateOf('not-updated')).map(({ _source }) => _source))).toEqual(truth.notUpdated);
    const gone = hitsOf(await call(url, 'POST', `${STATE}/_search`, requests.get('state-gone')!.body));
    expect(identitiesOf(gone.map(({ _source }) => _source))).toEqual(truth.gone);
  });

  test('the state index does not change when every line arrives again', async () => {
    const before = await stateOf('state');
    await load(url, STATE, states);
    expect(await stateOf('state')).toEqual(before);
  });

  testQueries({ url, text: siemFile('opensearch/queries.console'), truth: () => truth });

  test('the index accepts an id of 40,000 bytes, although no connector sends such an id', async () => {
    const { event, state: newest } = throughPipeline(ID_OF_40_000_BYTES);
    const written = { written: 1, conflicts: 0, refused: [] };
    expect(await load(url, EVENTS[1], [event!])).toEqual(written);
    expect(await load(url, STATE, [newest!])).toEqual(written);
  });
});

interface Queries {
  readonly url: string;
  /** Requests for Dev Tools. */
  readonly text: string;
  readonly truth: () => Truth;
}

/** The requests over all events, which both SIEMs have. */
function testQueries({ url, text, truth }: Queries): void {
  const requests = consoleRequests(text);
  const ask = (name: string) => call(url, 'POST', requests.get(name)!.path, requests.get(name)!.body);
  const bucketsOf = (name: string, aggregation: string) =>
    pages(url, requests.get(name)!.path, requests.get(name)!.body, aggregation);

  test('queries find the same existing rows page by page as the views of this project', async () => {
    const buckets = await bucketsOf('exists-now', 'things');
    const newest = buckets.map(bucket => {
      const [hit] = hitsOf(bucket['newest'] as object as never);
      return hit!._source.security_data ?? hit!._source;
    });
    const isGone = ({ kind }: Source) => GONE_KINDS.some(gone => gone === kind);
    expect(identitiesOf(newest.filter(event => !isGone(event)))).toEqual(truth().existing);
    expect(identitiesOf(newest.filter(isGone))).toEqual(truth().gone);
  });

  test('queries count the events per stream and day without repeats, as the views do', async () => {
    const events = await bucketsOf('events-by-day', 'events');
    const days = Map.groupBy(events, ({ key }) => `${key['connector']} ${key['stream']} ${key['day']}`);
    expect([...days].map(([day, { length }]) => `${day} ${length}`).sort()).toEqual(truth().days);
  });

  test('the approximate aggregation counts the events with an error of less than 1 %', async () => {
    const days = streamsOf(await ask('events-by-day-approximate')).flatMap(({ bucket }) =>
      (bucket['day'] as Buckets).buckets.map(day => (day['events'] as { value: number }).value),
    );
    const exact = truth().days.map(day => Number(day.split(' ').at(-1)));
    const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
    expect(days.length).toBe(exact.length);
    expect(Math.abs(total(days) / total(exact) - 1)).toBeLessThan(0.01);
  });

  test('queries give the time of the newest event per stream, as the views do', async () => {
    const newest = streamsOf(await ask('freshness')).map(({ connector, stream, bucket }) => {
      const { value_as_string: time } = bucket['newest'] as { value_as_string: string };
      return `${connector} ${stream} ${time}`;
    });
    expect(newest.sort()).toEqual(truth().newest);
  });

  test('queries leave out kinds of a later release, which can be found by their event_id', async () => {
    const { path, body } = requests.get('test-event')!;
    const hits = hitsOf(await call(url, 'POST', path, body.replace('<event_id>', 'assets test-1 0')));
    expect(hits.length).toBeGreaterThan(0);
  });
}

interface Buckets {
  readonly buckets: readonly Record<string, unknown>[];
}

function streamsOf(answer: object) {
  const { connector } = (answer as { aggregations: Record<string, Buckets> }).aggregations;
  return connector!.buckets.flatMap(each =>
    (each['stream'] as Buckets).buckets.map(bucket => {
      return { connector: String(each['key']), stream: String(bucket['key']), bucket };
    }),
  );
}

function identitiesOf(events: readonly Source[]): string[] {
  return events.map(({ connector, stream, sequence }) => `${connector} ${stream} ${sequence}`).sort();
}
