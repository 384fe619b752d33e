import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { json, list } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { schemaViolations } from '../support/function/event-schema.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

const GOOD = '{"id":"good","updated_at":"2026-11-20T12:00:00Z","stream_position":"1"}';

async function deadLetters(each: Connector): Promise<Record<string, string>> {
  return Object.fromEntries([...(await deadLetterBytes(each))].map(([key, bytes]) => [key, bytes.toString()]));
}

async function deadLetterBytes(each: Connector): Promise<Map<string, Buffer>> {
  const folder = each.aws.deadLetterFolder;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const bodies = paths.map(async path => [path.slice(folder.length + 1), await readFile(path)] as const);
  return new Map(await Promise.all(bodies));
}

const pageBody = (...rows: string[]) =>
  `{"data":[${rows.join(',')}],"pagination":{"next_cursor":null,"page_size":${rows.length}}}`;
/** A page of this row and a good one. */
function pageAround(row: Buffer): Buffer {
  const [before = '', after = ''] = pageBody('*', GOOD).split('*');
  return Buffer.concat([Buffer.from(before), row, Buffer.from(after)]);
}
const pageOf = (...rows: string[]) => list('/v1/assets', json(200, pageBody(...rows)));

describe('a row that cannot be an event', () => {
  test.each([
    ['without an id', Buffer.from('{"name":"canary","n":9007199254740993}'), 'no-id'],
    ['with an id longer than a key allows', Buffer.from(`{"id":"${'x'.repeat(20_000)}"}`), 'id-too-long'],
    ['with a byte that is not UTF-8', Buffer.from('{"id":"canary-\xff","n":1.0}', 'latin1'), 'not-utf-8'],
    ['nested too deep', Buffer.from(`{"id":"canary","a":${'['.repeat(600)}"ü"${']'.repeat(600)}}`), 'too-deep'],
  ])('a row %s is stored byte for byte as a dead letter, once, and the walk continues', async (_what, row, reason) => {
    await using each = await connector();
    each.api.tamper(list('/v1/assets', response => response.writeHead(200).end(pageAround(row))));
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 1, deadLetters: 1, caughtUp: true });
    const [[key, stored] = []] = [...(await deadLetterBytes(each))];
    expect(key).toMatch(new RegExp(`^dead-letter/acme/assets/${reason}/[0-9a-f]{32}\\.json$`));
    const head = `{"reason":"${reason}","stream":"assets","connector":"acme","row":`;
    expect(stored).toEqual(Buffer.concat([Buffer.from(head), row, Buffer.from('}\n')]));
    expect((await each.lines()).map(line => JSON.parse(line).id)).toEqual(['good']);
    expect(wordsOf(each.logged)).not.toContain('canary');

    each.forget();
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 0, deadLetters: 0, duplicates: 2 });
    expect(each.count('PutObject')).toBe(0);
  });

  test('a stream fails while the bucket refuses its dead letter, so the row is never dropped', async () => {
    await using each = await connector();
    each.api.tamper(pageOf('{"name":"canary"}', GOOD));
    each.aws.faults.always('s3', { refuse: { status: 403, code: 'AccessDenied', message: 'No.' } });
    const error = await rejection(each.run());
    expect(error.message).toContain('assets: DeadLetterError');
    expect(wordsOf(error)).not.toContain('canary');
    expect(await each.lines()).toEqual([]);
    each.aws.faults.clear();
    expect((await each.run()).streams['assets']).toMatchObject({ deadLetters: 1, forwarded: 1 });
  });
});

describe('a stream that leaves members out', () => {
  const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
  const SECRET = '"contact":{"email":"canary","n":1.0},"secret":"canary"';
  const large = `"id":"a","t":"${'x'.repeat(1_100_000)}"`;

  async function stored(row: string, omit = '{"assets":["contact.email","secret"]}'): Promise<string> {
    await using each = await connector({ environment: { OMIT: omit } });
    const page = pageAround(Buffer.from(row, 'latin1'));
    each.api.tamper(list('/v1/assets', response => response.writeHead(200).end(page)));
    expect((await each.run()).streams['assets']).toMatchObject({ deadLetters: 1, caughtUp: true });
    return Object.values(await deadLetters(each))[0]!;
  }

  test.each([
    ['no-id', `{${SECRET},"n":1.0}`, '{"contact":{"n":1.0},"n":1.0}'],
    ['oversize', `{${SECRET},${large}}`, `{"contact":{"n":1.0},${large}}`],
  ])('a row that is %s is stored without these members', async (reason, row, reduced) => {
    expect(await stored(row)).toBe(`{"reason":"${reason}","stream":"assets","connector":"acme","row":${reduced}}\n`);
  });

  test.each([
    ['too-deep', `{"deep":${deep},${SECRET},"id":"a"}`, { id: 'a' }],
    ['not-utf-8', `{${SECRET},"n":"\xff","id":"a"}`, { id: 'a' }],
    ['not-utf-8', `{"id":"\xff",${SECRET}}`, {}],
    ['not-an-object', `[{${SECRET}}]`, {}],
  ])(
    'a row that is %s, in which members cannot be found, is stored as a summary (case %#)',
    async (reason, row, id) => {
      const summary = { reason, stream: 'assets', connector: 'acme', row_hash: expect.any(String), bytes: row.length };
      expect(JSON.parse(await stored(row))).toEqual({ ...summary, ...id });
    },
  );

  test('a stream without omitted members stores a malformed row whole, even if another stream omits members', async () => {
    expect(await stored(`{"id":"a",${SECRET},"deep":${deep}}`, '{"threats":["secret"]}')).toContain(SECRET);
  });
});

describe('an asset whose removal cannot be understood', () => {
  const version = (n: number, members: string) => `{"id":"a","stream_position":"${n}"${members}}`;
  const unclear = version(2, ',"deleted":1');
  const removed = version(3, ',"deleted":true,"deleted_at":"2026-11-20T12:00:00Z"');
  const kinds = async (each: Connector) => {
    const events = (await each.lines()).map(line => JSON.parse(line));
    return events.toSorted((one, other) => (one.sequence < other.sequence ? -1 : 1)).map(({ kind }) => kind);
  };

  test.each([
    ['a tombstone', removed, ['upsert', 'tombstone']],
    ['a new version', version(3, ',"deleted":false,"n":2'), ['upsert', 'upsert']],
    ['the version that the SIEM has', version(3, ''), ['upsert']],
  ])('a row that was not understood does not hide %s that is read after it', async (_what, next, sent) => {
    await using each = await connector();
    for (const [row, deadLetters] of [
      [version(1, ''), 0],
      [unclear, 1],
      // Every poll reads the last page again.
      [unclear, 0],
      [next, 0],
    ] as const) {
      each.api.tamper(pageOf(row));
      expect((await each.run()).streams['assets']).toMatchObject({ deadLetters, caughtUp: true });
    }
    expect(await kinds(each)).toEqual(sent);
  });

  test('a page with both versions sends the one that is understood, whichever comes last', async () => {
    await using each = await connector();
    each.api.tamper(pageOf(version(1, '')));
    await each.run();
    each.api.tamper(pageOf(removed, unclear));
    expect((await each.run()).streams['assets']).toMatchObject({ tombstones: 1, deadLetters: 1 });
    each.api.tamper(pageOf(unclear, version(4, ',"deleted":false')));
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 1 });
    expect(await kinds(each)).toEqual(['upsert', 'tombstone', 'upsert']);
  });
});

describe('a row of 2 MB', () => {
  test('a row of 2 MB becomes a dead letter with an oversize event, and other rows are sent', async () => {
    await using each = await connector();
    each.simulator.put('assets', { id: 'before' });
    each.simulator.put('assets', { id: 'large', text: 'x'.repeat(2_000_000) });
    each.simulator.put('assets', { id: 'after' });
    const { streams } = await each.run();
    expect(streams['assets']).toMatchObject({ forwarded: 3, oversize: 1, deadLetters: 1, caughtUp: true });
    const lines = await each.lines();
    expect(schemaViolations(lines)).toEqual([]);
    const notice = lines.map(line => JSON.parse(line)).find(event => event.kind === 'oversize');
    const [[key, deadLetter] = []] = Object.entries(await deadLetters(each));
    expect(notice).toMatchObject({ stream: 'assets', id: 'large' });
    expect(notice.dead_letter).toBe(`s3://${each.aws.names.deadLetterBucket}/${key}`);
    expect(deadLetter).toContain(each.simulator.truth().assets.get('large'));
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 0, deadLetters: 0 });
  });
});

describe('a row of 17 MiB', () => {
  test('a row beyond the bound of a page is read alone, as an oversize row', async () => {
    await using each = await connector();
    const rows = [`{"id":"large","text":"${'x'.repeat(17 * 1_048_576)}"}`, GOOD];
    each.api.tamper(
      list('/v1/assets', (response, { target }) => {
        const { searchParams } = new URL(target, each.api.url);
        const from = Number(searchParams.get('cursor') ?? 0);
        const page = rows.slice(from, from + Number(searchParams.get('limit')));
        const next = from + page.length < rows.length ? String(from + page.length) : null;
        response.writeHead(200).end(`{"data":[${page}],"p":${JSON.stringify({ next_cursor: next })}}`);
      }),
    );
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 2, oversize: 1, caughtUp: true });
    expect(Object.keys(await deadLetters(each))).toEqual([expect.stringContaining('/oversize/')]);
  });
});

describe('the answer of the function', () => {
  test('the answer counts each row that was read in exactly one outcome, in each run', async () => {
    await using each = await connector();
    const version = (id: string, member: string) =>
      `{"id":"${id}","updated_at":"2026-11-20T12:00:00Z","stream_position":"1",${member}}`;
    const rows = [
      GOOD,
      ...['"v":1', '"v":2', '"v":3'].map(member => version('replaced', member)),
      version('never-seen', '"deleted":true,"deleted_at":"2026-11-20T12:00:00Z"'),
      ...['{"name":"no id"}', '{"name":"no id"}', '["no object"]'],
      version('large', `"text":"${'x'.repeat(1_100_000)}"`),
    ];
    each.api.tamper(pageOf(...rows));
    for (const expected of [
      { rows: 9, forwarded: 3, oversize: 1, superseded: 3, unknownTombstones: 1, deadLetters: 3, duplicates: 0 },
      { rows: 9, forwarded: 0, oversize: 0, superseded: 3, unknownTombstones: 0, deadLetters: 0, duplicates: 6 },
    ]) {
      const { assets } = (await each.run()).streams;
      expect(assets).toMatchObject(expected);
      const outcomes = assets!.forwarded - assets!.oversize + assets!.duplicates + assets!.superseded;
      expect(outcomes + assets!.unknownTombstones + assets!.deadLetters).toBe(assets!.rows);
    }
  });
});
