import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startControlServer } from '../../local/api-simulator/control.ts';
import { createTenant, type Tenant } from './tenant.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const rates: number[] = [];
let tenant: Tenant;
let control: Awaited<ReturnType<typeof startControlServer>>;

beforeEach(async () => {
  tenant = createTenant();
  rates.length = 0;
  const pace = { setRate: (rate: number): void => void rates.push(rate) };
  control = await startControlServer({ simulator: tenant.simulator, pace });
});

afterEach(() => control.close());

async function call(method: string, path: string, body?: string): Promise<Response> {
  return fetch(control.controlUrl + path, { method, headers: JSON_BODY, ...(body === undefined ? {} : { body }) });
}

const post = (path: string, body?: string): Promise<Response> => call('POST', path, body);

test('the control API puts rows unchanged, and can remove, restore or re-project them', async () => {
  const steps: readonly [path: string, body?: string][] = [
    ['/assets', '{"id":"a/ü", "n":9007199254740993,\n "f":1.0}'],
    ['/threats', '{"id":"t","asset_id":"a/ü"}'],
    ['/dns-blocks', '{"id":"d"}'],
    ['/threats/t/reproject'],
    ['/assets/a%2F%C3%BC/reproject'],
    ['/assets/a%2F%C3%BC/remove'],
    ['/assets/ghost/tombstone'],
  ];
  for (const step of steps) expect(await post(...step)).toMatchObject({ status: 204 });
  const listed = { assets: await tenant.walk('assets'), threats: await tenant.walk('threats') };
  expect(listed).toMatchObject({
    assets: [
      { id: 'a/ü', deleted: true },
      { id: 'ghost', deleted: true },
    ],
    threats: [],
  });
  expect((await post('/assets/a%2F%C3%BC/restore')).status).toBe(204);
  expect(await tenant.walk('threats')).toMatchObject([{ id: 't' }]);
  expect((await tenant.get('/v1/assets/a%2F%C3%BC')).text).toContain('"n":9007199254740993,"f":1.0}');
});

test('the control API changes credentials, account, tokens or roles', async () => {
  const bearer = await tenant.client.bearer();
  const rotated = (await (await post('/credentials/rotate')).json()) as { clientSecret: string };
  expect(rotated.clientSecret).toBe(tenant.simulator.account.clientSecret);
  const statusAfter = async (path: string): Promise<number> => {
    await post(path);
    return (await tenant.get('/v1/assets', bearer)).status;
  };
  expect(await statusAfter('/credentials/revoke')).toBe(401);
  expect(await statusAfter('/credentials/reinstate')).toBe(200);
  expect(await statusAfter('/roles/assets%3Aread/take')).toBe(403);
  expect(await statusAfter('/roles/assets%3Aread/give')).toBe(200);
  expect(await statusAfter('/tokens/expire')).toBe(401);
});

test('the control API sets and clears faults, and returns the number of requests', async () => {
  expect((await call('PUT', '/faults', '[{"kind":"status","endpoint":"assets","status":502}]')).status).toBe(204);
  expect((await tenant.get('/v1/assets')).status).toBe(502);
  await call('PUT', '/faults', '[]');
  expect((await tenant.get('/v1/assets')).status).toBe(200);
  expect(await (await call('GET', '/requests')).json()).toEqual({ token: 2, assets: 2 });
});

test('the control API refuses a request that a page of another website could send', async () => {
  const { clientSecret } = tenant.simulator.account;
  const refused = await fetch(`${control.controlUrl}/credentials/rotate`, { method: 'POST' });
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({ status: 415, body: { status: 415 } });
  expect(tenant.simulator.account.clientSecret).toBe(clientSecret);
});

test.each<[string, string, string | undefined, number]>([
  ['POST', '/assets', '{"id":', 400],
  ['POST', '/assets/nobody/remove', undefined, 404],
  ['POST', '/a/b/c/d', undefined, 404],
  ['POST', '/assets/%zz/remove', undefined, 400],
  ['PUT', '/faults', '{}', 400],
  ['POST', '/life', '{"rate":-1}', 400],
])(
  'the control request %s %s with the body %p is refused with %i, without a change',
  async (method, path, body, status) => {
    const response = await call(method, path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(tenant.simulator.truth().assets.size).toBe(0);
    expect(rates).toEqual([]);
  },
);
