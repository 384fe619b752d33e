import { describe, expect, test } from '@jest/globals';
import type { SimulatorOptions } from '../../../local/api-simulator/simulator.ts';
import { createTenant } from '../tenant.ts';
import { ContractClient, type ContractTarget } from './contract-client.ts';
import { MUTATIONS, mutated } from './mutations.ts';
import { checkRule, type RuleResult } from './rule.ts';
import { RULES } from './rules.ts';

function target(settings: Partial<SimulatorOptions> = {}, isEmpty = false): ContractTarget {
  const { simulator, clock, target } = createTenant({ tieSize: 3, ...settings });
  const { threatAssetMember } = simulator.settings;
  if (!isEmpty) {
    simulator.populate({ assets: 120, threats: 130, dnsBlocks: 120 });
    simulator.put('assets', { id: 'removed' });
    simulator.put('threats', { id: 'hidden', [threatAssetMember]: 'removed' });
    simulator.remove('assets', 'removed');
  }
  const letTokenExpire = async () => {
    clock.now += 300_000;
  };
  return { ...target, threatAssetMember, maxPages: 200, letTokenExpire };
}

/** The results of all rules that do not hold. */
async function exceptions(target: ContractTarget): Promise<RuleResult[]> {
  const client = new ContractClient(target);
  const results: RuleResult[] = [];
  for (const rule of RULES) results.push(await checkRule(rule, client));
  return results.filter(({ result }) => result !== 'holds');
}

const NAMED = RULES.map(rule => [`${rule.id}: ${rule.words}`, rule] as const);

describe('the contract of an API simulator that keeps the specification', () => {
  const client = new ContractClient(target());
  test.each(NAMED)('the API simulator keeps the rule %s', async (_name, rule) => {
    expect(await checkRule(rule, client)).toEqual({ rule, result: 'holds' });
  });
});

test.each<[string, Partial<SimulatorOptions>]>([
  [
    'every version is kept and walks end with an empty page',
    { retention: 'every-version', endOfStream: 'empty-page-null' },
  ],
  ['pages are short, empty and tied', { shortPages: 0.3, emptyPages: 0.2, tieSize: 20 }],
  [
    'members are shuffled and have other names',
    { shuffleMembers: true, rowsMember: 'items', paginationMember: 'meta' },
  ],
  ['a path and the asset member have other names', { dnsBlocksPath: '/v1/dns/blocked', threatAssetMember: 'assetRef' }],
])('the API simulator also keeps the specification when %s', async (_, settings) => {
  const results = await exceptions(target(settings));
  expect(results.filter(({ result }) => result === 'broken')).toEqual([]);
  expect(results.length).toBeLessThan(5);
});

describe('the contract notices an API simulator that breaks', () => {
  test.each(NAMED)('the contract notices a violation of the rule %s', async (_name, rule) => {
    const correct = target();
    const broken = { ...correct, fetch: mutated(correct.fetch, MUTATIONS[rule.id]!) };
    const { result, reason } = await checkRule(rule, new ContractClient(broken));
    expect(result).toBe('broken');
    expect(reason).not.toContain('could not be checked');
  });
});

test('a tenant without rows does not break the contract, which names the cases that it cannot test', async () => {
  const results = await exceptions({ ...target({}, true), letTokenExpire: undefined });
  expect(results.filter(({ result }) => result === 'broken')).toEqual([]);
  expect(results.map(({ rule, reason }) => `${rule.id}: ${reason}`)).toContain('rows-5: a tombstone');
});
