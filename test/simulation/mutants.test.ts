import { expect, test } from '@jest/globals';
import { MUTANTS } from './mutants/catalogue.ts';
import { hunt } from './mutants/mutant.ts';

/** Twice what the slowest catch took when this was written; `npm run simulation -- --mutants` looks from the first history on, and prints the table. */
const LIMIT = 500;

/** `npm test` breaks each rule once; `npm run test:mutants` in each way that is known, which takes minutes. */
const CHOSEN =
  process.env['MUTANTS'] === 'all'
    ? MUTANTS
    : [...Map.groupBy(MUTANTS, each => each.rule).values()].map(([first]) => first!);

test.each(CHOSEN.map(mutant => [mutant.rule, mutant.breakage, mutant] as const))(
  'the histories notice when "%s" is broken: %s',
  async (_rule, _breakage, mutant) => {
    expect((await hunt(mutant, mutant.caughtAt ?? 1, LIMIT)).histories).toBeLessThanOrEqual(LIMIT);
  },
);
