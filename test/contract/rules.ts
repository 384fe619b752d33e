import type { Rule } from './rule.ts';
import { AUTH_RULES } from './rules-auth.ts';
import { LIST_RULES } from './rules-lists.ts';
import { ROW_RULES } from './rules-rows.ts';
import { SINGLE_RULES } from './rules-single.ts';
import { UNOBSERVABLE_RULES } from './rules-unobservable.ts';

/** Every rule of the specification that concerns what the API answers. */
export const RULES: readonly Rule[] = [
  ...LIST_RULES,
  ...ROW_RULES,
  ...SINGLE_RULES,
  ...AUTH_RULES,
  ...UNOBSERVABLE_RULES,
];
