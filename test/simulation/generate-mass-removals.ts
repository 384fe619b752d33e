/**
 * Generates what a withdrawal of many assets at once must survive:
 *
 *     assets 0 to 199 with 0 to 5 threats each, all forwarded
 *     some threats move to a neighbour
 *     assets 10 to 160 are removed, and of those every third is restored before the next poll
 *     that poll is killed after the second batch of withdrawn events
 *     every fifth of the removed is restored, then comes the next poll
 *
 * It has a random stream of its own, so that other histories stay as they are.
 */
import { type Change, type History, type Step, type Tick, WITHDRAWAL_STEPS } from './history.ts';
import { Random } from './random.ts';
import { MOST_THREATS, threatOf } from './simulated/tenant-data.ts';

const LEAST = 30;
const MOST = 250;
/** More than one piece of a withdrawal holds (lambda/core/withdraw.ts). */
const CROWD = [501, 1_100] as const;
/** After it the platform withholds nothing. */
const WAIT = { kind: 'wait', milliseconds: 4_000 } as const;
const QUIET = { kind: 'tick', budgetMilliseconds: 900_000, faults: [], changes: [] } as const;

export function withMassRemovals({ seed, platform }: History): History {
  const random = new Random(seed ^ 0x3a55);
  const assets = random.int(LEAST, MOST);
  const change = (each: Change): Step => ({ kind: 'change', change: each });
  const steps: Step[] = [
    change({ kind: 'assets', count: assets, content: 0 }),
    change({ kind: 'spread', count: assets, most: random.int(1, MOST_THREATS), content: 0 }),
  ];
  if (random.chance(0.25)) {
    const crowd = { first: threatOf(MOST + 1), count: random.int(...CROWD), asset: random.int(0, assets - 1) };
    steps.push(change({ kind: 'threats', ...crowd, content: 0 }));
  }
  steps.push(WAIT, quietTick(random));
  // A run out of time leaves removals on the list for a run that reads that some are restored.
  const nextTick = random.chance(0.25) ? shortTick : roughTick;
  for (let round = random.int(1, 2); round > 0; round--) {
    const count = random.int(LEAST, assets);
    const first = random.int(0, assets - count);
    if (random.chance(0.6)) {
      const moved = random.int(1, count);
      const by = random.int(1, 3);
      steps.push(change({ kind: 'move-many', first, count: Math.min(moved, assets - first - by), by, content: 1 }));
      if (random.chance(0.8)) steps.push(WAIT, random.chance(0.7) ? quietTick(random) : nextTick(random));
    }
    steps.push(change({ kind: 'remove-many', first, count, every: 1 }));
    if (random.chance(0.5)) steps.push(change(restoration(first, count, random)));
    const ticks = random.int(1, 3);
    for (let tick = 0; tick < ticks; tick++) {
      const rough = random.chance(0.8);
      steps.push(WAIT, rough ? nextTick(random) : quietTick(random));
      if (random.chance(0.5)) steps.push(change(restoration(first, count, random)));
      if (random.chance(0.2)) steps.push(change({ kind: 'remove-many', first, count, every: random.int(1, 3) }));
      if (random.chance(0.2)) steps.push(change({ kind: 'assets', count: assets, content: random.int(0, 3) }));
      // A killed run holds the lease until it expires.
      if (rough && random.chance(0.9)) steps.push({ kind: 'wait', milliseconds: 61_000 });
    }
  }
  return { seed, platform, pageLimit: random.pick([60, 130, 500]), steps };
}

function restoration(first: number, removed: number, random: Random): Change {
  const every = random.int(1, 5);
  const from = first + random.int(0, every - 1);
  return { kind: 'restore-many', first: from, count: Math.ceil(removed / every), every };
}

function quietTick(random: Random): Tick {
  return { ...QUIET, seed: random.seed() };
}

function shortTick(random: Random): Tick {
  return { ...quietTick(random), budgetMilliseconds: random.int(100, 1_500) };
}

/** Most are killed before or after a write of a withdrawal. A step has about one write for 25 to 500 rows. */
function roughTick(random: Random): Tick {
  const at = random.chance(0.7) ? 0 : random.int(1, 5);
  const moment = { at, ofStep: random.pick(WITHDRAWAL_STEPS) };
  const dice = random.next();
  const tick = quietTick(random);
  if (dice < 0.7) return { ...tick, kill: { ...moment, after: random.chance(0.5) } };
  if (dice < 0.8) return { ...tick, freeze: { ...moment, milliseconds: random.int(500, 200_000) } };
  if (dice < 0.9) return shortTick(random);
  return { ...tick, faults: [{ at: random.int(10, 120), fault: random.pick(['lost-answer', 'partial', 'throttle']) }] };
}
