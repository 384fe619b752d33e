import { expect, test } from '@jest/globals';
import { MUTANTS } from './mutants/catalogue.ts';
import { hunt } from './mutants/mutant.ts';

/**
 * Histories that a hunt may take. Each begins where its mutant was last caught: once the order of events has changed it takes longer, and
 * `npm run simulation -- --mutants` prints where it is caught now.
 */
const LIMIT = 500;

test.each(MUTANTS.map(mutant => [mutant.rule, mutant.breakage, mutant] as const))(
  'the histories notice when "%s" is broken: %s',
  async (_rule, _breakage, mutant) => {
    expect((await hunt(mutant, mutant.caughtAt ?? 1, LIMIT)).histories).toBeLessThanOrEqual(LIMIT);
  },
);
