import type { TickOutcome } from '../../../../lambda/core/tick.ts';
import { answer, asset, threat, tombstone } from './rows.ts';
import { Stand } from './stand.ts';

export const gone = (id: string, version = 2): string => tombstone(id, { version });
/** The position makes it another delivery than the one before the removal. */
export const back = (id: string): string => asset(id, { position: 'p3' });

/** Asset `a` and its threats `t1`, `t2` are in the SIEM, and an asset `b` with `u`; then assets show `next`. */
export async function removing(...next: string[]): Promise<Stand> {
  const stand = new Stand();
  stand.api.pages('/a', [[asset('a'), asset('b')], []]);
  stand.api.pages('/t', [[threat('t1', 'a'), threat('t2', 'a'), threat('u', 'b')], []]);
  stand.api.pages('/d', [[]]);
  await stand.tick();
  stand.later().api.on('/a', 'c1', answer(next, 'c2')).on('/a', 'c2', answer([], null));
  return stand;
}

export const inventory = (stand: Stand): Promise<TickOutcome> => stand.tick({ only: ['assets', 'threats'] });
