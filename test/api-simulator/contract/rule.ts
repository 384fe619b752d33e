import { ContractError } from '../../../lambda/core/errors.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import type { ContractClient } from './contract-client.ts';

/** Resolves if the rule holds. @throws RuleBroken; NotSeen */
export type Check = (client: ContractClient) => Promise<void>;

/** A rule of the specification and how it is checked from outside, reading only. */
export interface Rule {
  /** Section of the specification and number, such as `lists-3`. */
  readonly id: string;
  /** In the specification's words. */
  readonly words: string;
  readonly check: Check;
}

export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
}

/** The tenant has no case of the rule. */
class NotSeen extends Error {
  override readonly name = 'NotSeen';
}

/** @throws RuleBroken with the message unless the condition holds */
export function hold(condition: boolean, message: string): asserts condition {
  if (!condition) throw new RuleBroken(message);
}

/** @throws NotSeen with the missing case unless the condition holds */
export function see(condition: boolean, missing: string): asserts condition {
  if (!condition) throw new NotSeen(missing);
}

/** Rules of a section by their words. Their ids are the section's name and a number. */
export function numbered(section: string, rules: Readonly<Record<string, Check>>): Rule[] {
  return Object.entries(rules).map(([words, check], index) => ({ id: `${section}-${index + 1}`, words, check }));
}

/** Checks every list. A case of one list is enough to see the rule. */
export function ofLists(check: (client: ContractClient, list: StreamName) => Promise<void>): Check {
  return async client => {
    const lists = [...client.paths.keys()];
    const unseen: NotSeen[] = [];
    for (const list of lists) {
      await check(client, list).catch((error: unknown) => {
        if (!(error instanceof NotSeen)) throw error;
        unseen.push(error);
      });
    }
    if (unseen.length === lists.length) throw unseen[0];
  };
}

export interface RuleResult {
  readonly rule: Rule;
  readonly result: 'holds' | 'broken' | 'not seen';
  /** Why, where the result is not `holds`. */
  readonly reason?: string;
}

/** Checks one rule. A connection that fails breaks the rule too: nothing is known to hold. */
export async function checkRule(rule: Rule, client: ContractClient): Promise<RuleResult> {
  try {
    await rule.check(client);
    return { rule, result: 'holds' };
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof NotSeen) return { rule, result: 'not seen', reason: message };
    const isBroken = error instanceof RuleBroken || error instanceof ContractError;
    return { rule, result: 'broken', reason: isBroken ? message : `could not be checked: ${message}` };
  }
}
