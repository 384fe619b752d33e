import { describe, expect, test } from '@jest/globals';
import { problem } from '../../../local/incidents/tampered-api.ts';
import { type Ports, ports } from './support/ports.ts';

const FEW = { assets: 30, threats: 20, dnsBlocks: 10 };
const ROTATED = 'r%2Bt+ä:ted ключ';

/** The error of a run that must fail. */
async function failure(each: Ports): Promise<string> {
  const [outcome] = (await each.run()).outcomes;
  return outcome && 'error' in outcome ? outcome.error : JSON.stringify(outcome);
}

describe('a client secret that was rotated', () => {
  test('during a run is read past the cache, and the run continues', async () => {
    await using each = await ports({ environment: { PAGE_LIMIT: '5' } });
    each.simulator.populate(FEW);
    let rotated: Promise<void> | undefined;
    each.api.tamper(({ target }) => {
      if (rotated || !/^\/v1\/assets\?.*cursor=/.test(target)) return undefined;
      rotated = each.realm.rotate(ROTATED).then(each.putSecret);
      const refuse = problem(401, 'auth/expired-token');
      return (response, request) => rotated?.then(() => refuse(response, request));
    });
    const { outcomes } = await each.run();
    expect(rotated).toBeDefined();
    expect(outcomes).toMatchObject([
      { more: false, streams: { assets: { forwarded: each.liveAssets(), caughtUp: true } } },
    ]);
    expect(await each.result()).toMatchObject({ breaches: [], repeats: 0 });
  });

  test('in Keycloak alone is a credentials failure, until Secrets Manager has it too', async () => {
    await using each = await ports();
    each.simulator.populate(FEW);
    const secret = await each.realm.rotate(ROTATED);
    expect(await failure(each)).toMatch(/CredentialsError.*401 unauthorized_client/);
    expect(await each.lines()).toEqual([]);
    await each.putSecret(secret);
    expect((await each.run()).outcomes).toMatchObject([{ streams: { assets: { forwarded: each.liveAssets() } } }]);
  });
});

describe('an account that was disabled in Keycloak', () => {
  test.each<[string, string, (each: Ports, enabled: boolean) => Promise<void>]>([
    ['as a client', '401 invalid_client', (each, enabled) => each.realm.enableClient(enabled)],
    ['as a service account', '401 invalid_request', (each, enabled) => each.realm.enableServiceAccount(enabled)],
  ])('%s is a credentials failure (%s), which leaves the checkpoints as they were', async (_how, said, enable) => {
    await using each = await ports();
    each.simulator.populate(FEW);
    await each.run();
    const before = { items: await each.items(), lines: await each.lines() };
    expect(before.items.length).toBeGreaterThan(50);
    each.simulator.put('assets', { id: 'added' });
    await enable(each, false);
    const error = await failure(each);
    expect(error).toContain('CredentialsError');
    expect(error).toContain(said);
    expect({ items: await each.items(), lines: await each.lines() }).toEqual(before);
    await enable(each, true);
    expect((await each.run()).outcomes).toMatchObject([{ streams: { assets: { forwarded: 1 } } }]);
  });
});

test('a token that expires during the run by its own claim is replaced, and the run continues', async () => {
  // To the API simulator, whose clock is fast, a token of 300 seconds lives for five; the connector would use it for 270.
  const clock = () => Date.now() + 295_000;
  await using each = await ports({ environment: { PAGE_LIMIT: '3' }, simulator: { clock, latencyMs: 500 } });
  each.simulator.populate(FEW);
  const { outcomes, stdout } = await each.run();
  expect(outcomes).toMatchObject([{ more: false, streams: { assets: { rows: 30, caughtUp: true } } }]);
  const tokens = new Set(each.api.seen.map(({ headers }) => headers.authorization));
  expect(tokens.size).toBeGreaterThan(1);
  expect(await each.result()).toMatchObject({ breaches: [], repeats: 0 });
  expect([...tokens].filter(token => stdout.includes(String(token).replace('Bearer ', '')))).toEqual([]);
});

test('a realm role taken away fails its stream alone', async () => {
  await using each = await ports();
  each.simulator.populate(FEW);
  await each.realm.takeRole('threats:read');
  expect(await failure(each)).toMatch(/1 of 3 streams failed.*RoleMissingError/);
  const streams = new Set((await each.events()).map(({ stream }) => stream));
  expect(streams).toEqual(new Set(['assets', 'dns-blocks']));
});
