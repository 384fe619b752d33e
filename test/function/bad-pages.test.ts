/** Answers of the API that contradict themselves, and cursors that lead around a circle, against the whole function. */
import { describe, expect, test } from '@jest/globals';
import { checkpointKey } from '../../lambda/store/item.ts';
import { type Act, json, list } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

const rows = ['canary-1', 'canary-2', 'canary-3'].map(id => ({ id, updated_at: '2026-11-20T12:00:00Z' }));
const byId = Object.fromEntries(rows.map(row => [row.id, row]));
const pagination = { next_cursor: 'canary-cursor', page_size: 3 };
const none = { ...pagination, page_size: 0 };
const text = JSON.stringify(rows);

/** After `data` was found to be the row array. */
const CONTRADICTIONS: Readonly<Record<string, unknown>> = {
  'the known array is empty beside another one that fits page_size': { data: [], assets: rows, pagination },
  'the known array is empty, and page_size is 3': { data: [], pagination },
  'the known array has become a map': { data: byId, errors: [], pagination },
  'the known array has become null': { data: null, errors: [], pagination: none },
  'the known array is missing, and a map holds the rows': { assets: byId, errors: [], pagination: none },
  'the known array is missing, and another array holds the rows': { assets: rows, pagination },
  'the known array is missing, and page_size is 3': { errors: [], pagination },
  'the rows come twice, at last none': `{"data":${text},"data":[],"pagination":${JSON.stringify(none)}}`,
  'next_cursor comes twice': `{"data":[],"pagination":{"next_cursor":"canary-cursor","page_size":0,"next_cursor":null}}`,
  'the pagination object is another one': { data: rows, meta: pagination },
};

/** The answers of a first page. */
const UNCLEAR: Readonly<Record<string, unknown>> = {
  'an array is empty, and page_size is 3': { items: [], pagination },
  'an empty array beside an array of objects with an id': { items: [], assets: rows, pagination: none },
  'an empty array beside a map of rows': { items: byId, errors: [], pagination: none },
  'an empty array beside null, and page_size is 3': { items: null, errors: [], pagination },
  'an empty array beside an empty object, without page_size': {
    items: {},
    errors: [],
    pagination: { next_cursor: 'canary-cursor' },
  },
  'an empty array beside a row on its own': { items: rows[0], errors: [], pagination: none },
  'the rows come twice': `{"items":${text},"items":[],"pagination":${JSON.stringify(none)}}`,
};

/** The saved checkpoint of the assets. A run that failed raises the fence of the item, also where there was none. */
async function saved(each: Connector): Promise<object> {
  const [item = {}] = await each.table.get([checkpointKey('assets')]);
  const { pk: _pk, sk: _sk, epoch: _epoch, write_number: _write, ...attributes } = item;
  return attributes;
}

/** Each answer, with the class of the failure or the rows that the run has read. */
async function outcomes(each: Connector, answers: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [what, body] of Object.entries(answers)) {
    each.api.tamper(list('/v1/assets', json(200, body)));
    const before = await saved(each);
    const error = await rejection(each.run({ streams: ['assets'] }));
    expect(wordsOf(error)).not.toContain('canary');
    expect(await saved(each)).toEqual(before);
    found[what] = /assets: (\w+)/.exec(error.message)?.[1] ?? error.message;
  }
  return found;
}

const refused = (answers: object) => Object.fromEntries(Object.keys(answers).map(what => [what, 'ContractError']));

describe('an answer that contradicts itself', () => {
  test('an answer that contradicts the known row array stops the stream before anything is saved or sent', async () => {
    await using each = await connector({ simulator: { endOfStream: 'empty-page-null' } });
    each.simulator.put('assets', { id: 'a' });
    await each.run();
    expect(await outcomes(each, CONTRADICTIONS)).toEqual(refused(CONTRADICTIONS));
    expect(await each.lines()).toHaveLength(1);

    each.api.tamper();
    each.simulator.put('assets', { id: 'b' });
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 1, caughtUp: true });
  });

  test('an answer whose row array is unclear stops the stream before anything is saved or sent', async () => {
    await using each = await connector();
    expect(await outcomes(each, UNCLEAR)).toEqual(refused(UNCLEAR));
    expect(await each.lines()).toEqual([]);
  });

  test('a resync forgets the names that were found, so that renamed members are read', async () => {
    await using each = await connector({ simulator: { endOfStream: 'empty-page-null' } });
    each.simulator.put('assets', { id: 'a' });
    await each.run();
    each.api.tamper(list('/v1/assets', json(200, { assets: rows, meta: { next_cursor: null, page_size: 3 } })));
    expect((await rejection(each.run())).message).toContain('"npx --no -- connectorctl resync <stream>"');
    expect((await each.run({ resync: ['assets'] })).streams['assets']).toMatchObject({ forwarded: 3, caughtUp: true });
  });
});

test('an empty page is the steady state, whether or not its names are known, and with or without page_size', async () => {
  await using each = await connector();
  for (const known of [false, true]) {
    for (const page of [{ next_cursor: null, page_size: 0 }, { next_cursor: null }]) {
      each.api.tamper(list('/v1/assets', json(200, { data: [], pagination: page })));
      expect((await each.run()).streams['assets']).toMatchObject({ rows: 0, caughtUp: true });
    }
    each.api.tamper();
    if (!known) each.simulator.put('assets', { id: 'a' });
    await each.run();
  }
});

describe('a circle of cursors', () => {
  const PAGES = 7;
  const PAGE = 500;
  /** After that many requests the circle ends, so that a walk that never stops fails here and does not hang. */
  const MOST = 60;

  /** Seven pages of DNS blocks, the last of which leads to the first. */
  function circle(): { readonly act: Act; readonly requests: () => number } {
    let requests = 0;
    const act: Act = (response, { target }) => {
      const page = Number(new URL(target, 'http://localhost').searchParams.get('cursor') ?? 0);
      const blocks = Array.from({ length: PAGE }, (_, at) => ({
        id: `block-${page * PAGE + at}`,
        blocked_at: '2026-11-20T12:00:00Z',
      }));
      const next_cursor = ++requests % MOST === 0 ? null : String((page + 1) % PAGES);
      return json(200, { data: blocks, pagination: { next_cursor, page_size: PAGE } })(response, {} as never);
    };
    return { act, requests: () => requests };
  }

  test('seven pages of DNS blocks are sent as seven pages of events, and later runs read one page and send nothing', async () => {
    await using each = await connector();
    const { act, requests } = circle();
    each.api.tamper(list(each.simulator.settings.dnsBlocksPath, act));
    const seen: unknown[] = [];
    const sent: number[] = [];
    for (let run = 0; run < 3; run++) {
      const before = requests();
      const { streams, more } = await each.run({ streams: ['dns-blocks'] });
      const { stalledCursors, caughtUp } = streams['dns-blocks']!;
      sent.push((await each.lines()).length);
      seen.push({ requests: requests() - before, stalledCursors, caughtUp, more });
    }
    const stalled = { stalledCursors: 1, caughtUp: false, more: false };
    expect(seen).toEqual([
      { ...stalled, requests: PAGES + 1 },
      { ...stalled, requests: 1 },
      { ...stalled, requests: 1 },
    ]);
    // The first page comes again under a cursor of its own. Its blocks are known, or are sent again as the same events.
    expect(sent).toEqual(Array(3).fill(sent[0]));
    expect(new Set((await each.lines()).map(line => JSON.parse(line).event_id)).size).toBe(PAGES * PAGE);
    expect(JSON.stringify(each.logged)).toContain('leads back to a page that was read before');
  });
});
