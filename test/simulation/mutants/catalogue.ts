import { COMMIT_MUTANTS, ENDING_MUTANTS } from './commit-mutants.ts';
import { CONTENT_MUTANTS } from './content-mutants.ts';
import { DEAD_LETTER_MUTANTS } from './dead-letter-mutants.ts';
import { FILTER_MUTANTS } from './filter-mutants.ts';
import type { Mutant } from './mutant.ts';
import { REFRESH_MUTANTS } from './refresh-mutants.ts';
import { REMOVAL_MUTANTS } from './removal-mutants.ts';
import { WALK_MUTANTS } from './walk-mutants.ts';
import { WITHDRAWAL_MUTANTS } from './withdrawal-mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  ...WALK_MUTANTS,
  ...CONTENT_MUTANTS,
  ...REMOVAL_MUTANTS,
  ...WITHDRAWAL_MUTANTS,
  ...COMMIT_MUTANTS,
  ...DEAD_LETTER_MUTANTS,
  ...FILTER_MUTANTS,
  ...ENDING_MUTANTS,
  ...REFRESH_MUTANTS,
];
