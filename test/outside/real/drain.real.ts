import { expect, test } from '@jest/globals';
import { schemaViolations } from '../../support/function/event-schema.ts';
import { ports } from './support/ports.ts';
import { CLIENT_ID } from './support/realm.ts';

const COUNTS = { assets: 240, threats: 180, dnsBlocks: 130 };
const PAGES = { PAGE_LIMIT: '50' };
const QUIET = { breaches: [], repeats: 0 };
const ODD = '"n":9007199254740993,"f":1.0,"e":1e400,"z":-0,"__proto__":{"x":1},"":"\\u0000 ключ🔑","constructor":[]';

test('the first run delivers everything to the last digit; a second one sends nothing', async () => {
  await using each = await ports({ environment: PAGES });
  each.simulator.populate(COUNTS);
  each.simulator.put('assets', `{"id":"odd",${ODD}}`);
  const { outcomes, code, stderr } = await each.run([{}, {}]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(outcomes).toMatchObject([
    { more: false, streams: { assets: { rows: 241, caughtUp: true }, threats: { forwarded: 180 } } },
    { more: false, streams: { assets: { forwarded: 0 }, threats: { forwarded: 0 }, 'dns-blocks': { forwarded: 0 } } },
  ]);
  expect(await each.result()).toMatchObject(QUIET);
  const lines = await each.lines();
  expect(lines).toHaveLength(each.liveAssets() + 180 + 130);
  expect(schemaViolations(lines)).toEqual([]);
  expect((await each.events()).find(({ id }) => id === 'odd')?.row).toContain(ODD);
  expect(each.simulator.requests.get('token')).toBeUndefined();
  const [, claims = ''] = String(each.api.seen[0]?.headers.authorization).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ azp: CLIENT_ID });
});

test('a removal is a tombstone and withdraws its threats; a restore brings them back', async () => {
  await using each = await ports();
  for (const id of ['host', 'host-2']) each.simulator.put('assets', { id });
  for (const id of ['one', 'two']) each.simulator.put('threats', { id, asset_id: 'host' });
  each.simulator.put('threats', { id: 'elsewhere', asset_id: 'host-2' });
  await each.run();
  each.simulator.remove('assets', 'host');
  await each.run();
  expect(await each.result()).toMatchObject({ ...QUIET, tombstones: 1, withdrawals: 2, restores: 0 });
  each.simulator.restore('assets', 'host');
  await each.run();
  expect(await each.result()).toMatchObject({ ...QUIET, tombstones: 1, withdrawals: 2, restores: 1 });
  expect((await each.events()).filter(({ stream }) => stream === 'threats')).toHaveLength(3 + 2 + 2);
});
