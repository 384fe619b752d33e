/** Another organization's rows are never sent as this one's, whatever its cursors, ids and clients look like. */
import { describe, expect, test } from '@jest/globals';
import { organizationDigest } from '../../lambda/core/organization.ts';
import { tokenEndpoint } from '../../lambda/source/token.ts';
import { sha256 } from '../../lambda/system.ts';
import { parseEvent } from '../../local/aws/delivered.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { type HttpHarness, httpHarness, type SeenRequest } from '../support/function/http-harness.ts';
import { rejection } from '../support/function/rejection.ts';

type Row = Readonly<Record<string, unknown>>;

interface Tenant {
  /** Clients that the token endpoint accepts, as `<realm>/<client id>`. */
  clients: string[];
  assets: Row[];
  dnsBlocks?: Row[];
}

interface Tenants {
  readonly tenants: Readonly<Record<string, Tenant>>;
  /** `position`: a cursor says how many rows come before, and every tenant accepts it. `bound`: it names its tenant, too. */
  readonly cursors: 'position' | 'bound';
}

/** A token endpoint with realms, and an API of many tenants behind it. */
async function service({ tenants, cursors }: Tenants): Promise<HttpHarness> {
  const tenantOf = (client: string) => Object.keys(tenants).find(name => tenants[name]!.clients.includes(client));
  const answer = (request: SeenRequest): readonly [number, unknown] => {
    const url = new URL(request.target, 'http://service');
    const { authorization = '' } = request.headers;

    const [, realm] = /^\/realms\/([a-z]+)\//.exec(url.pathname) ?? [];
    if (realm) {
      const [id = ''] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':');
      const tenant = tenantOf(`${realm}/${id}`);
      if (!tenant) return [401, { error: 'invalid_client' }];
      return [200, { access_token: tenant, token_type: 'Bearer', expires_in: 300 }];
    }

    const name = authorization.replace('Bearer ', '');
    const tenant = tenants[name]!;
    const [, list, id] = /^\/v1\/([a-z-]+)(?:\/(.+))?$/.exec(url.pathname)!;
    const rows = { assets: tenant.assets, threats: [], 'dns-blocks': tenant.dnsBlocks ?? [] }[list!]!;
    if (id) {
      const row = rows.find(each => each['id'] === decodeURIComponent(id));
      return row ? [200, { ...row, stream_position: null }] : [404, {}];
    }

    const prefix = cursors === 'bound' ? `${name} ` : '';
    const cursor = url.searchParams.get('cursor');
    if (cursor !== null && !cursor.startsWith(prefix)) return [400, { type: 'urn:problem:request/invalid-cursor' }];
    const from = Number(cursor?.slice(prefix.length) ?? 0);
    const page = rows.slice(from, from + Number(url.searchParams.get('limit')));
    const next_cursor = page.length === 0 ? null : `${prefix}${from + page.length}`;
    return [200, { data: page, pagination: { next_cursor, page_size: page.length } }];
  };

  return await httpHarness((response, request) => {
    const [status, body] = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

const asset = (id: string, change: Row = {}): Row => ({
  id,
  updated_at: '2026-11-01T00:00:00Z',
  stream_position: '2026-11-01T00:00:01Z',
  deleted: false,
  ...change,
});
const dnsBlock = (id: string): Row => ({ id, blocked_at: '2026-11-01T00:00:00Z' });

const OURS = { clients: ['acme/one'], assets: [asset('1'), asset('2', { name: 'ours' })] };
const THEIRS = {
  clients: ['acme/two', 'other/one'],
  assets: [asset('1', { name: 'foreign' }), asset('2', { name: 'foreign' }), asset('3', { name: 'foreign' })],
};

/** The connector in front of the service, as client `one` of the realm `acme`. */
async function connected(api: HttpHarness, environment: Readonly<Record<string, string>> = {}): Promise<Connector> {
  const realm = { API_BASE_URL: api.url, AUTH_URL: `${api.url}/realms/acme`, DNS_BLOCKS_PATH: '' };
  const each = await connector({ environment: { ...realm, ...environment } });
  become(each, 'one');
  return each;
}

function become(each: Connector, clientId: string): void {
  each.aws.secret.put(JSON.stringify({ client_id: clientId, client_secret: 's' }));
}

/** Runs once more. @returns how many events it sent, and the error that ended it */
async function nextRun(each: Connector, payload: unknown = {}) {
  // The token of the run before has run out.
  each.clock.advance(300_000);
  const before = (await each.lines()).length;
  const error = await each.run(payload).then(
    () => undefined,
    (cause: Error) => cause,
  );
  const sent = (await each.lines()).map(line => parseEvent(line)).slice(before);
  return { error: error?.message.match(/[A-Z]\w+Error/)?.[0], events: sent.length };
}

const STOPPED = { error: 'OrganizationChangedError', events: 0 };

describe.each(['position', 'bound'] as const)('where a cursor is %s', cursors => {
  test('rows of another client are not sent, though the container had checked the client of the token before', async () => {
    const ours = { ...OURS };
    await using api = await service({ tenants: { ours, theirs: THEIRS }, cursors });
    await using each = await connected(api);
    expect(await nextRun(each)).toEqual({ events: 2 });
    become(each, 'two');
    ours.clients = [];
    expect(await nextRun(each)).toEqual(STOPPED);
    expect(await nextRun(each)).toEqual(STOPPED);
  });

  test('rows of a client of the same name in another realm are not sent', async () => {
    await using api = await service({ tenants: { ours: OURS, theirs: THEIRS }, cursors });
    await using each = await connected(api);
    await nextRun(each);
    each.deploy({ AUTH_URL: `${api.url}/realms/other` });
    expect(await nextRun(each)).toEqual(STOPPED);
    expect(await nextRun(each)).toEqual(STOPPED);
  });

  test('rows with ids that were sent, and other content, prove nothing', async () => {
    const theirs = { ...THEIRS, assets: THEIRS.assets.slice(0, 2) };
    await using api = await service({ tenants: { ours: OURS, theirs }, cursors });
    await using each = await connected(api);
    await nextRun(each);
    become(each, 'two');
    expect(await nextRun(each)).toEqual(STOPPED);
  });
});

test('another client of the same organization is proven by a row that was sent with the same content', async () => {
  const ours = { ...OURS, clients: ['acme/one', 'acme/new'], assets: [...OURS.assets] };
  await using api = await service({ tenants: { ours }, cursors: 'position' });
  await using each = await connected(api);
  await nextRun(each);
  become(each, 'new');
  ours.assets.push(asset('3'));
  expect(await nextRun(each)).toEqual({ events: 1 });
});

test('the same organization is proven by a single read, where the first page holds no row as it was sent', async () => {
  const ours = { ...OURS, clients: ['acme/one', 'acme/new'] };
  await using api = await service({ tenants: { ours }, cursors: 'position' });
  await using each = await connected(api, { PAGE_LIMIT: '1' });
  await nextRun(each);
  become(each, 'new');
  ours.assets = [asset('new'), ...OURS.assets];
  expect((await nextRun(each)).error).toBeUndefined();
});

test('a client whose cursor is refused is stopped, although a row that was sent is found', async () => {
  const copied = { ...OURS, clients: ['acme/new'] };
  await using api = await service({ tenants: { ours: OURS, copied }, cursors: 'bound' });
  await using each = await connected(api);
  await nextRun(each);
  become(each, 'new');
  expect(await nextRun(each)).toEqual(STOPPED);
});

test('a connector whose rows leave no states waits for an operator, because an accepted cursor proves nothing', async () => {
  const ours = { clients: ['acme/one', 'acme/new'], assets: [], dnsBlocks: [dnsBlock('a')] };
  await using api = await service({ tenants: { ours }, cursors: 'position' });
  await using each = await connected(api, { DNS_BLOCKS_PATH: '/v1/dns-blocks' });
  await nextRun(each);
  become(each, 'new');
  ours.dnsBlocks.push(dnsBlock('b'));
  expect(await nextRun(each)).toEqual(STOPPED);

  const identity = (clientId: string) =>
    organizationDigest({ tokenEndpoint: tokenEndpoint(`${api.url}/realms/acme`), baseUrl: api.url, clientId }, sha256);
  const outdated = { error: 'OutdatedConfirmationError', events: 0 };
  expect(await nextRun(each, { confirmOrganization: identity('another') })).toEqual(outdated);
  expect(await nextRun(each, { confirmOrganization: identity('new') })).toEqual({ events: 1 });
});

test('a secret that became wrong shows when the token runs out, not when the container changes', async () => {
  await using api = await service({ tenants: { ours: OURS }, cursors: 'position' });
  await using each = await connected(api);
  await each.run();
  become(each, 'unknown');
  each.clock.advance(200_000);
  await each.run();
  each.clock.advance(100_000);
  expect((await rejection(each.run())).message).toContain('CredentialsError');
});
