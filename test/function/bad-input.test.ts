import { describe, expect, test } from '@jest/globals';
import { StreamsFailedError } from '../../lambda/core/errors.ts';
import { checkpointKey } from '../../lambda/store/item.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { json, list, problem } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { type Act, httpHarness } from '../support/function/http-harness.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

/** A connector that has read some rows, and has more to read. */
async function withMore(): Promise<Connector> {
  const each = await connector({ simulator: { endOfStream: 'empty-page-null' } });
  for (const id of ['a', 'b']) each.simulator.put('assets', { id, secret: 'canary-row' });
  each.simulator.put('threats', { id: 't', asset_id: 'a' });
  each.simulator.put('dns-blocks', { id: 'd' });
  await each.run();
  each.simulator.put('assets', { id: 'late', secret: 'canary-row' });
  each.simulator.put('threats', { id: 'late', asset_id: 'a' });
  each.simulator.put('dns-blocks', { id: 'late' });
  return each;
}

const checkpoint = async (each: Connector) => (await each.table.get([checkpointKey('assets')]))[0];

/** The name of the error that each stream failed with. Throws when none failed. */
async function failures(run: Promise<unknown>): Promise<Record<string, string>> {
  const error = await rejection(run);
  if (!(error instanceof StreamsFailedError)) throw error;
  return Object.fromEntries([...error.streams].map(([stream, { name }]) => [stream, name]));
}

async function expectRecovery(each: Connector): Promise<void> {
  each.api.tamper();
  const before = (await each.lines()).filter(line => line.includes('"stream":"assets","id":"late"'));
  expect(before).toEqual([]);
  expect((await each.run({}, { cold: true })).streams['assets']).toMatchObject({ forwarded: 1, caughtUp: true });
}

const BROKEN: readonly (readonly [string, Act, string, string])[] = [
  ['a body that is not JSON', json(200, '<html>canary-row</html>'), 'ContractError', 'not JSON'],
  ['half a body', json(200, '{"data":[{"id":"x","s":"canary-row"'), 'ContractError', 'not JSON'],
  ['a body that is no object', json(200, '["canary-row"]'), 'ContractError', '/v1/assets'],
  ['a page without pagination', json(200, { data: [{ id: 'canary-row' }] }), 'ContractError', '"data"'],
  ['a page without rows', json(200, { meta: { next_cursor: null, page_size: 2 } }), 'ContractError', '"meta"'],
  ['a page without next_cursor', json(200, { data: [], pagination: { page_size: 0 } }), 'ContractError', 'next_cursor'],
  [
    'a next_cursor of another type',
    json(200, { data: [], pagination: { next_cursor: 7 } }),
    'ContractError',
    'next_cursor',
  ],
  ['a missing role', problem(403, 'auth/insufficient-role'), 'RoleMissingError', '/v1/assets'],
  ['a refused limit', problem(400, 'request/invalid-limit', 'limit'), 'ApiRefusedError', '400'],
  ['an unknown path', problem(404, 'resource/not-found'), 'ApiRefusedError', '404'],
  [
    'a refused cursor and refused fallbacks',
    problem(400, 'request/invalid-cursor'),
    'CursorRefusedError',
    'tries again',
  ],
  ['an endpoint that is down', json(503, ''), 'ApiUnavailableError', '503'],
  [
    'bytes that are not UTF-8',
    response => response.writeHead(200).end(Buffer.from([0x7b, 0x22, 0xff])),
    'ContractError',
    'not UTF-8',
  ],
];

describe.each(BROKEN)('%s from one stream', (_what, act, name, said) => {
  test(`a stream that fails with ${name} keeps its checkpoint, and the other streams and the next run continue`, async () => {
    await using each = await withMore();
    const before = await checkpoint(each);
    each.api.tamper(list('/v1/assets', act));
    const error = await rejection(each.run());
    expect(await failures(Promise.reject(error))).toEqual({ assets: name });
    expect(error.message).toContain(said);
    expect(wordsOf(error) + wordsOf(each.logged)).not.toMatch(/canary-row|Bearer/);
    expect(await checkpoint(each)).toEqual({ ...before, epoch: before?.['epoch'] });
    const late = (await each.lines()).filter(line => line.includes('"id":"late"'));
    expect(late).toHaveLength(2);
    await expectRecovery(each);
  });
});

describe('a redirect', () => {
  test('a redirect is an error, and the bearer token never reaches the other host', async () => {
    await using each = await withMore();
    await using other = await httpHarness(json(200, { data: [], pagination: { next_cursor: null, page_size: 0 } }));
    each.api.tamper(({ target }) => json(302, '', { location: other.url + target }));
    const name = 'ApiRefusedError';
    expect(await failures(each.run())).toEqual(everyStream(name));
    expect(other.seen).toEqual([]);
    await expectRecovery(each);
  });
});

describe('wrong credentials', () => {
  test('wrong credentials fail every stream after two token requests, the second with a secret read again', async () => {
    await using each = await withMore();
    const right = JSON.stringify({
      client_id: each.simulator.account.clientId,
      client_secret: each.simulator.account.clientSecret,
    });
    each.aws.secret.put(JSON.stringify({ client_id: each.simulator.account.clientId, client_secret: 'canary-wrong' }));
    const before = each.simulator.requests.get('token')!;
    each.forget();
    const error = await rejection(each.run({}, { cold: true }));
    const name = 'CredentialsError';
    expect(await failures(Promise.reject(error))).toEqual(everyStream(name));
    expect(each.simulator.requests.get('token')! - before).toBe(2);
    expect(each.count('GetSecretValue')).toBe(2);
    expect(wordsOf(error) + wordsOf(each.logged)).not.toContain('canary');
    each.aws.secret.put(right);
    await expectRecovery(each);
  });

  test.each([
    ['a secret that ends in a line feed', 'id', 'canary\n', 'client_secret begins'],
    ['a secret that begins with a space', 'id', ' canary', 'client_secret begins'],
    ['a secret with a tab', 'id', 'can\tary', 'client_secret begins'],
    ['a secret that ends in a character without width', 'id', 'canary\u200b', 'client_secret begins'],
    ['an id that ends in a space of its own kind', 'id\u00a0', 'canary', 'client_id begins'],
    ['both', 'id\n', 'canary\r\n', 'client_id and client_secret begin'],
  ])('wrong credentials with %s are named as such, and not quoted', async (_what, client_id, client_secret, named) => {
    await using each = await connector();
    each.aws.secret.put(JSON.stringify({ client_id, client_secret }));
    const error = await rejection(each.run());
    expect(error.message).toMatch(/CredentialsError: The token endpoint refused the client credentials \(401/);
    expect(error.message).toContain(`${named} or end`);
    expect(wordsOf(error) + wordsOf(each.logged)).not.toMatch(/can\\?t?ary/);
  });

  test('wrong credentials with a space within the secret are only wrong: the standard allows it', async () => {
    await using each = await connector();
    each.aws.secret.put(JSON.stringify({ client_id: 'id', client_secret: 'a b' }));
    expect((await rejection(each.run())).message).not.toContain('white space');
  });

  test('credentials that were rotated during a run are replaced by reading the secret again', async () => {
    await using each = await withMore();
    const { account, authority } = each.simulator;
    const client_secret = account.rotateSecret();
    each.aws.secret.put(JSON.stringify({ client_id: account.clientId, client_secret }));
    authority.expireTokens();
    expect((await each.run()).more).toBe(false);
  });
});

describe('a revoked account', () => {
  test('a revoked account fails every stream at once, with an error that says so', async () => {
    await using each = await withMore();
    each.simulator.account.revoked = true;
    const name = 'AccountRevokedError';
    expect(await failures(each.run())).toEqual(everyStream(name));
    expect((await failures(each.run({}, { cold: true })))['assets']).toBe('CredentialsError');
    each.simulator.account.revoked = false;
    await expectRecovery(each);
  });
});

describe('an unknown host', () => {
  test.each(['http://127.0.0.1:9', 'https://no-such-host.invalid'])(
    'an unknown host (%s) fails each stream as unavailable',
    async url => {
      await using each = await connector({ environment: { API_BASE_URL: url } });
      const name = 'ApiUnavailableError';
      expect(await failures(each.run())).toEqual(everyStream(name));
      expect(await each.lines()).toEqual([]);
    },
  );
});

describe('a refused cursor', () => {
  const refusals = (times: number) =>
    [{ endpoint: 'assets', kind: 'status', status: 400, typeSuffix: 'request/invalid-cursor', times }] as const;

  test.each([
    ['the cursor before it', 1],
    ['the beginning when that is refused too', 2],
  ])('a refused cursor falls back to %s, is counted, and sends nothing twice', async (_where, times) => {
    await using each = await withMore();
    await each.run();
    each.simulator.put('assets', { id: 'latest' });
    const before = (await each.lines()).length;
    const asked = each.api.seen.length;
    each.simulator.setFaults(refusals(times));
    const { streams } = await each.run({ streams: ['assets'] });
    expect(streams['assets']).toMatchObject({ caughtUp: true, forwarded: 1, refusedCursors: times });
    expect(await each.lines()).toHaveLength(before + 1);
    const cursors = each.api.seen
      .slice(asked)
      .map(({ target }) => new URL(target, each.api.url).searchParams.get('cursor'));
    expect(new Set(cursors.slice(0, times + 1)).size).toBe(times + 1);
    expect(cursors.slice(0, times).includes(null)).toBe(false);
    expect(cursors[times] === null).toBe(times === 2);
  });
});

describe('a token that expires between runs', () => {
  test('a token that expires between runs is renewed, and the walk continues', async () => {
    await using each = await withMore();
    each.simulator.authority.expireTokens();
    expect((await each.run()).more).toBe(false);
  });
});

function everyStream(name: unknown): object {
  return Object.fromEntries(STREAMS.map(stream => [stream.name, name]));
}
