import { describe, expect, test } from '@jest/globals';
import { tamperList } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

const GOOD = '{"id":"good","updated_at":"2026-11-20T12:00:00Z","stream_position":"1"}';
const DEEP = `${'['.repeat(600)}"x"${']'.repeat(600)}`;

/** A page of these rows, which may hold bytes that are not UTF-8. */
function pageOf(...rows: readonly (string | Buffer)[]) {
  const elements = rows.flatMap(row => [Buffer.from(','), Buffer.from(row)]).slice(1);
  const end = `],"pagination":{"next_cursor":null,"page_size":${rows.length}}}`;
  const body = Buffer.concat([Buffer.from('{"data":['), ...elements, Buffer.from(end)]);
  return tamperList('/v1/assets', response => response.writeHead(200).end(body));
}

const idsOf = async (each: Connector) => (await each.lines()).map(line => JSON.parse(line).id);

describe('a row that cannot be an event', () => {
  test.each([
    ['without an id', Buffer.from('{"name":"canary","n":9007199254740993}'), 'no-id'],
    ['with an id longer than a key allows', Buffer.from(`{"id":"${'x'.repeat(20_000)}"}`), 'id-too-long'],
    ['with a byte that is not UTF-8', Buffer.from('{"id":"canary-\xff","n":1.0}', 'latin1'), 'not-utf-8'],
    ['nested too deep', Buffer.from(`{"id":"canary","a":${DEEP}}`), 'too-deep'],
  ])('a row %s is stored once as a dead letter, as it was sent, and the walk continues', async (_what, row, reason) => {
    await using each = await connector();
    each.api.tamper(pageOf(row, GOOD));
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 1, deadLetters: 1, caughtUp: true });
    const [[key, stored] = []] = [...(await each.aws.deadLetters())];
    expect(key).toMatch(new RegExp(`^dead-letter/acme/assets/${reason}/[0-9a-f]{32}\\.json$`));
    expect(stored).toBe(`{"reason":"${reason}","stream":"assets","connector":"acme","row":${row}}\n`);
    expect(await idsOf(each)).toEqual(['good']);
    expect(wordsOf(each.logged)).not.toContain('canary');

    each.forget();
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 0, deadLetters: 0, duplicates: 2 });
    expect(each.count('PutObject')).toBe(0);
  });

  test('a stream fails while the bucket refuses its dead letter, so that no row is dropped', async () => {
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

  test('a row that is larger than the limit of a page is read alone and sent as oversize', async () => {
    await using each = await connector();
    const rows = [`{"id":"large","text":"${'x'.repeat(17 * 1_048_576)}"}`, GOOD];
    each.api.tamper(
      tamperList('/v1/assets', (response, { target }) => {
        const { searchParams } = new URL(target, each.api.url);
        const from = Number(searchParams.get('cursor') ?? 0);
        const page = rows.slice(from, from + Number(searchParams.get('limit')));
        const next = from + page.length < rows.length ? String(from + page.length) : null;
        response.writeHead(200).end(`{"data":[${page}],"p":${JSON.stringify({ next_cursor: next })}}`);
      }),
    );
    expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 2, oversize: 1, caughtUp: true });
    expect([...(await each.aws.deadLetters()).keys()]).toEqual([expect.stringContaining('/oversize/')]);
  });
});

describe('a stream with omitted members', () => {
  const SECRET = '"contact":{"email":"canary","n":1.0},"secret":"canary"';
  const large = `"id":"a","t":"${'x'.repeat(1_100_000)}"`;

  async function stored(row: string, omit = '{"assets":["contact.email","secret"]}'): Promise<string> {
    await using each = await connector({ environment: { OMIT: omit } });
    each.api.tamper(pageOf(Buffer.from(row, 'latin1'), GOOD));
    expect((await each.run()).streams['assets']).toMatchObject({ deadLetters: 1, caughtUp: true });
    return [...(await each.aws.deadLetters()).values()][0]!;
  }

  test.each([
    ['no-id', `{${SECRET},"n":1.0}`, '{"contact":{"n":1.0},"n":1.0}'],
    ['oversize', `{${SECRET},${large}}`, `{"contact":{"n":1.0},${large}}`],
  ])('a dead letter with the reason %s is stored without the omitted members', async (reason, row, reduced) => {
    expect(await stored(row)).toBe(`{"reason":"${reason}","stream":"assets","connector":"acme","row":${reduced}}\n`);
  });

  test.each([
    ['too-deep', `{"deep":${DEEP},${SECRET},"id":"a"}`, { id: 'a' }],
    ['not-utf-8', `{"id":"\xff",${SECRET}}`, {}],
    ['not-an-object', `[{${SECRET}}]`, {}],
  ])(
    'a dead letter with the reason %s is a summary, because the omitted members cannot be found',
    async (reason, row, id) => {
      const summary = { reason, stream: 'assets', connector: 'acme', row_hash: expect.any(String), bytes: row.length };
      expect(JSON.parse(await stored(row))).toEqual({ ...summary, ...id });
    },
  );

  test('a stream without omitted members stores a malformed row whole, even if another stream omits members', async () => {
    expect(await stored(`{"id":"a",${SECRET},"deep":${DEEP}}`, '{"threats":["secret"]}')).toContain(SECRET);
  });
});

test('the answer of a run counts each row that was read in exactly one outcome', async () => {
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
