import type { ContractClient } from './contract-client.ts';

/** Resolves if the rule holds, with a NotSeen if there was nothing to check; throws RuleBroken if it does not hold. */
export type Check = (client: ContractClient) => Promise<NotSeen | undefined>;

/** A rule of the specification and how it is checked from outside, reading only. */
export interface Rule {
  /** Section of the specification and number, such as `lists-3`. */
  readonly id: string;
  /** In the specification's words. */
  readonly words: string;
  readonly check?: Check;
  /** Why a black box that only reads cannot check it. */
  readonly unobservable?: string;
}

/** What the tenant lacks, so that the rule could not be checked. */
export interface NotSeen {
  readonly notSeen: string;
}

export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
}

/** Throws RuleBroken with the message unless the condition holds. */
export function hold(condition: boolean, message: string): asserts condition {
  if (!condition) throw new RuleBroken(message);
}

/** @param words of the specification */
export function rule(words: string, check: Check): Omit<Rule, 'id'> {
  return { words, check };
}

/** Rules of a section, whose ids are its name and a number. */
export function numbered(section: string, rules: readonly Omit<Rule, 'id'>[]): Rule[] {
  return rules.map((each, index) => ({ id: `${section}-${index + 1}`, ...each }));
}
