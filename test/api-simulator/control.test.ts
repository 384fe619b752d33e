import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ControlServer, startControlServer } from '../../local/api-simulator/control.ts';
import { createTenant, type Tenant } from './tenant.ts';

const JSON_BODY = { 'content-type': 'application/json' };
let tenant: Tenant;
let control: ControlServer;

beforeEach(async () => {
  tenant = createTenant();
  control = await startControlServer({ simulator: tenant.simulator });
});

afterEach(() => control.close());

async function call(method: string, path: string, body?: string): Promise<Response> {
  return fetch(control.controlUrl + path, { method, headers: JSON_BODY, ...(body === undefined ? {} : { body }) });
}

const post = (path: string, body?: string): Promise<Response> => call('POST', path, body);

test('a row that is posted keeps every digit', async () => {
  expect((await post('/assets', '{"id":"a","n":9007199254740993,\n "f":1.0}')).status).toBe(204);
  expect((await tenant.get('/v1/assets/a')).text).toContain('"n":9007199254740993,"f":1.0}');
});

test('rows are put, removed, restored and re-projected, and assets removed before they were listed', async () => {
  const steps = [
    () => post('/assets', '{"id":"a/ü"}'),
    () => post('/threats', '{"id":"t","asset_id":"a/ü"}'),
    () => post('/dns-blocks', '{"id":"d"}'),
    () => post('/threats/t/reproject'),
    () => post('/assets/a%2F%C3%BC/reproject'),
    () => post('/assets/a%2F%C3%BC/remove'),
    () => post('/assets/ghost/tombstone'),
  ];
  for (const step of steps) expect((await step()).status).toBe(204);
  expect(await tenant.walk('assets')).toMatchObject([
    { id: 'a/ü', deleted: true },
    { id: 'ghost', deleted: true },
  ]);
  expect(await tenant.walk('threats')).toEqual([]);
  expect((await post('/assets/a%2F%C3%BC/restore')).status).toBe(204);
  expect(await tenant.walk('threats')).toMatchObject([{ id: 't' }]);
});

test('the control API rotates the secret, revokes and reinstates the account, expires tokens, and takes and gives roles', async () => {
  const bearer = await tenant.token();
  const rotated = (await (await post('/credentials/rotate')).json()) as { clientSecret: string };
  expect(rotated.clientSecret).toBe(tenant.simulator.account.clientSecret);
  const status = async (): Promise<number> => (await tenant.get('/v1/assets', bearer)).status;
  await post('/credentials/revoke');
  expect(await status()).toBe(401);
  await post('/credentials/reinstate');
  expect(await status()).toBe(200);
  await post('/roles/assets%3Aread/take');
  expect(await status()).toBe(403);
  await post('/roles/assets%3Aread/give');
  expect(await status()).toBe(200);
  await post('/tokens/expire');
  expect(await status()).toBe(401);
});

test.each<[string, Record<string, string>, number]>([
  ['a page of another origin', { ...JSON_BODY, origin: 'https://evil.example' }, 403],
  ['a page without an origin', { ...JSON_BODY, origin: 'null' }, 403],
  ['a host name that was pointed at this machine', { ...JSON_BODY, host: 'evil.example' }, 421],
  ['a form', { 'content-type': 'text/plain' }, 415],
  ['a request without a content type', {}, 415],
])('%s cannot rotate the credentials', async (_, headers, status) => {
  const { clientSecret } = tenant.simulator.account;
  // fetch would not let a test set `Host`.
  const sent = request(`${control.controlUrl}/credentials/rotate`, { method: 'POST', headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect([response.statusCode, JSON.parse(await text(response)).status]).toEqual([status, status]);
  expect(tenant.simulator.account.clientSecret).toBe(clientSecret);
});

test('a page of another host cannot read the tenant', async () => {
  const sent = request(`${control.controlUrl}/truth`, { headers: { host: 'evil.example' } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(421);
  response.resume();
});

test('faults are set and cleared, and requests are counted', async () => {
  expect((await call('PUT', '/faults', '[{"kind":"status","endpoint":"assets","status":502}]')).status).toBe(204);
  expect((await tenant.get('/v1/assets')).status).toBe(502);
  await call('PUT', '/faults', '[]');
  expect((await tenant.get('/v1/assets')).status).toBe(200);
  expect(await (await call('GET', '/requests')).json()).toEqual({ token: 2, assets: 2 });
});

test('the API simulator changes at the requested rate, and stops at 0', async () => {
  const rates: number[] = [];
  const pace = { setRate: (rate: number): void => void rates.push(rate) };
  const own = await startControlServer({ simulator: tenant.simulator, pace });
  const ask = (body: string) => fetch(`${own.controlUrl}/life`, { method: 'POST', headers: JSON_BODY, body });
  const statuses = [await ask('{"rate":20}'), await ask('{"rate":"x"}'), await ask('{"rate":0}')].map(
    each => each.status,
  );
  await own.close();
  expect([statuses, rates]).toEqual([
    [204, 400, 204],
    [20, 0],
  ]);
});

test('the truth is streamed with unchanged rows', async () => {
  tenant.simulator.populate({ assets: 500, threats: 500, dnsBlocks: 500 });
  const truth = await (await call('GET', '/truth')).text();
  expect(truth).toBe([...tenant.simulator.truthText()].join(''));
  expect(await (await call('GET', '/truth?stream_position=none')).text()).not.toContain('"stream_position"');
});

describe('an invalid call gets a problem document and changes nothing', () => {
  test.each<[string, string, string | undefined, number]>([
    ['POST', '/assets', '{"id":', 400],
    ['POST', '/assets', '{"id":"x","deleted":true}', 400],
    ['POST', '/assets/nobody/remove', undefined, 404],
    ['POST', '/assets/nobody/explode', undefined, 404],
    ['GET', '/assets', undefined, 404],
    ['POST', '/a/b/c/d', undefined, 404],
    ['POST', '/assets/%zz/remove', undefined, 400],
    ['PUT', '/faults', '{}', 400],
    ['PUT', '/faults', 'x', 400],
    ['POST', '/life', 'null', 400],
    ['POST', '/life', '{"rate":-1}', 400],
    ['POST', '/life', '{"rate":1}', 409],
    ['GET', '/truth?stream_position=maybe', undefined, 400],
  ])('%s %s %p: %i', async (method, path, body, status) => {
    const response = await call(method, path, body);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(tenant.simulator.truth().assets.size).toBe(0);
  });
});
