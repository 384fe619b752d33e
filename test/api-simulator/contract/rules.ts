import { AUTH_RULES } from './rules-auth.ts';
import { LIST_RULES } from './rules-lists.ts';
import { ROW_RULES } from './rules-rows.ts';
import { SINGLE_RULES } from './rules-single.ts';

/**
 * The rules of the specification that reading alone can check. The API simulator's own tests prove
 * the others, for example that a cursor never expires.
 */
export const RULES = [...LIST_RULES, ...ROW_RULES, ...SINGLE_RULES, ...AUTH_RULES];
