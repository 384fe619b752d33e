import { COMMIT_MUTANTS } from './commit-mutants.ts';
import { CONTENT_MUTANTS } from './content-mutants.ts';
import { ENDING_MUTANTS } from './ending-mutants.ts';
import { LETTER_MUTANTS } from './letter-mutants.ts';
import type { Mutant } from './mutant.ts';
import { REMOVAL_MUTANTS } from './removal-mutants.ts';
import { WALK_MUTANTS } from './walk-mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  ...WALK_MUTANTS,
  ...CONTENT_MUTANTS,
  ...REMOVAL_MUTANTS,
  ...COMMIT_MUTANTS,
  ...LETTER_MUTANTS,
  ...ENDING_MUTANTS,
];
