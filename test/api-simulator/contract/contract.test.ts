import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { createSimulator, type SimulatorOptions } from '../../../local/api-simulator/simulator.ts';
import { ContractClient, type ContractTarget, checkRule, checkRules, type RuleResult } from './contract-client.ts';
import { MUTATIONS, mutated } from './mutations.ts';
import { RULES } from './rules.ts';

const ORIGIN = 'http://simulator.test';
const OBSERVABLE = RULES.filter(rule => rule.check).map(rule => [rule.id, rule.words, rule] as const);

function tenant(settings: Partial<SimulatorOptions> = {}): ContractTarget {
  let now = Date.parse('2026-11-20T12:00:00Z');
  const simulator = createSimulator({ clock: () => now, random: createRandom(7), tieSize: 3, ...settings });
  simulator.populate({ assets: 120, threats: 130, dnsBlocks: 120 });
  simulator.put('assets', { id: 'removed' });
  simulator.put('threats', { id: 'hidden', [simulator.settings.threatAssetMember]: 'removed' });
  simulator.remove('assets', 'removed');
  return {
    baseUrl: ORIGIN,
    tokenUrl: ORIGIN + simulator.tokenPath,
    clientId: simulator.account.clientId,
    clientSecret: simulator.account.clientSecret,
    dnsBlocksPath: simulator.settings.dnsBlocksPath,
    threatAssetMember: simulator.settings.threatAssetMember,
    maxPages: 200,
    fetch: simulator.fetch,
    sleep: async () => {},
    letTokenExpire: async () => {
      now += 300_000;
    },
  };
}

async function resultsOf(target: ContractTarget): Promise<RuleResult[]> {
  const results: RuleResult[] = [];
  for await (const result of checkRules(RULES, target)) results.push(result);
  return results;
}

describe('the API simulator keeps the specification', () => {
  const client = new ContractClient(tenant());
  test.each(OBSERVABLE)('%s: %s', async (_id, _words, rule) => {
    expect(await checkRule(rule, client)).toEqual({ rule, result: 'holds' });
  });
});

test.each<[string, Partial<SimulatorOptions>]>([
  [
    'every version is kept and walks end with an empty page',
    { retention: 'every-version', endOfStream: 'empty-page-null' },
  ],
  ['pages are short, empty and tied', { shortPages: 0.3, emptyPages: 0.2, tieSize: 20 }],
  ['members are shuffled and named otherwise', { shuffleMembers: true, rowsMember: 'items', paginationMember: 'meta' }],
  ['paths and the asset member are others', { dnsBlocksPath: '/v1/dns/blocked', threatAssetMember: 'assetRef' }],
])('the specification is kept where it leaves a choice: %s', async (_, settings) => {
  const results = await resultsOf(tenant(settings));
  expect(results.filter(({ result }) => result === 'broken')).toEqual([]);
  expect(results.filter(({ result }) => result === 'holds').length).toBeGreaterThan(28);
});

describe('the suite notices an API simulator that breaks', () => {
  test.each(OBSERVABLE.filter(([id]) => id !== 'lists-9'))('%s: %s', async (id, _words, rule) => {
    const target = tenant();
    const client = new ContractClient({ ...target, fetch: mutated(target.fetch, MUTATIONS[id]!) });
    const { result, reason } = await checkRule(rule, client);
    expect(result).toBe('broken');
    expect(reason).not.toContain('could not be checked');
  });

  const endless = RULES.find(({ id }) => id === 'lists-9')!;

  test('lists-9: a walk that gets its own cursor back on every page', async () => {
    const client = new ContractClient(tenant({ endOfStream: 'repeat-cursor' }));
    expect((await checkRule(endless, client)).result).toBe('broken');
  });

  test('lists-9: a cursor that leads back to an earlier page', async () => {
    const target = tenant();
    const circle = ['circle-1', 'circle-2', 'circle-3'];
    const fetch = mutated(target.fetch, {
      answer({ url, body }) {
        if (body.pagination && url.pathname === '/v1/assets') body.pagination.next_cursor = circle[0]!;
        circle.push(circle.shift()!);
      },
      request: url => url.searchParams.delete('cursor'),
    });
    const { result, reason } = await checkRule(endless, new ContractClient({ ...target, fetch }));
    expect([result, reason]).toEqual(['broken', expect.stringContaining('leads back')]);
  });

  test('lists-1: an empty array and another array of objects with an id, which page_size does not count', async () => {
    const target = tenant();
    const fetch = mutated(target.fetch, {
      answer({ body }) {
        if (body.pagination) Object.assign(body, { items: [], pagination: { ...body.pagination, page_size: 0 } });
      },
    });
    const rule = RULES.find(({ id }) => id === 'lists-1')!;
    const { result, reason } = await checkRule(rule, new ContractClient({ ...target, fetch }));
    expect([result, reason]).toEqual(['broken', expect.stringContaining('An empty array')]);
  });
});

test('every rule of the contract has its own id, and is checked or says why not', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  expect(RULES.filter(rule => Boolean(rule.check) === Boolean(rule.unobservable))).toEqual([]);
});

test('an empty tenant breaks nothing, and what it cannot show is said', async () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const simulator = createSimulator({ clock: () => now, random: createRandom(1) });
  const { clientId, clientSecret } = simulator.account;
  const target = { ...tenant(), clientId, clientSecret, fetch: simulator.fetch, letTokenExpire: undefined };
  const results = await resultsOf(target);
  expect(results.filter(({ result }) => result === 'broken')).toEqual([]);
  expect(results.filter(({ result }) => result === 'not seen').map(({ rule }) => rule.id)).toContain('rows-5');
});
