import type { RunOutcome } from '../../../../lambda/core/run-streams.ts';
import { Harness } from './harness.ts';
import { answer, asset, threat, tombstone } from './rows.ts';

export const gone = (id: string, version = 2): string => tombstone(id, { version });
/** The position makes it another delivery than the one before the removal. */
export const back = (id: string): string => asset(id, { position: 'p3' });

/** Asset `a` and its threats `t1`, `t2` are in the SIEM, and an asset `b` with `u`; then assets show `next`. */
export async function removing(...next: string[]): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', [[asset('a'), asset('b')], []]);
  harness.api.pages('/t', [[threat('t1', 'a'), threat('t2', 'a'), threat('u', 'b')], []]);
  harness.api.pages('/d', [[]]);
  await harness.run();
  harness.later().api.on('/a', 'c1', answer(next, 'c2')).on('/a', 'c2', answer([], null));
  return harness;
}

export const inventory = (harness: Harness): Promise<RunOutcome> => harness.run({ only: ['assets', 'threats'] });
