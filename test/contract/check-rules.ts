import { ContractClient, type ContractTarget } from './contract-client.ts';
import { type Rule, RuleBroken } from './rule.ts';

export interface RuleResult {
  readonly rule: Rule;
  readonly result: 'holds' | 'broken' | 'not seen' | 'unobservable';
  /** Why, where the result is not `holds`. */
  readonly reason?: string;
}

/** Checks one rule. A connection that fails breaks the rule too: nothing is known to hold. */
export async function checkRule(rule: Rule, client: ContractClient): Promise<RuleResult> {
  if (!rule.check) return { rule, result: 'unobservable', reason: rule.unobservable ?? '' };
  try {
    const missing = await rule.check(client);
    return missing ? { rule, result: 'not seen', reason: missing.notSeen } : { rule, result: 'holds' };
  } catch (error) {
    const reason = error instanceof RuleBroken ? error.message : `could not be checked: ${(error as Error).message}`;
    return { rule, result: 'broken', reason };
  }
}

/** Checks rules one after the other on one target. */
export async function* checkRules(rules: readonly Rule[], target: ContractTarget): AsyncGenerator<RuleResult> {
  const client = new ContractClient(target);
  for (const rule of rules) yield await checkRule(rule, client);
}
