/** Generates a history from a seed. */

import type { StreamName } from '../../lambda/streams.ts';
import type { PlatformSettings } from '../../local/platform/settings.ts';
import { withFaults } from './generate-faults.ts';
import { withFilters } from './generate-filters.ts';
import { withMassRemovals } from './generate-mass-removals.ts';
import { type Change, type Command, FAULTS, type History, type Step, type Tick } from './history.ts';
import { Random } from './random.ts';

const ASSETS = 3;
const THREATS = 4;
const CONTENTS = 4;
/** In one history of so many many assets are removed between two polls. */
const MASS_SHARE = 15;
const MASS_REMAINDER = 7;
/** In as many the filters change. */
const FILTERS_REMAINDER = 4;

/** How many faults a history has: probabilities per tick, and per I/O. */
interface FaultRates {
  readonly kill: number;
  readonly freeze: number;
  readonly overlap: number;
  readonly shortBudget: number;
  readonly command: number;
  readonly faultsPerIo: number;
}

const CALM: FaultRates = { kill: 0, freeze: 0, overlap: 0, shortBudget: 0, command: 0, faultsPerIo: 0 };
const MIXED: FaultRates = {
  kill: 0.2,
  freeze: 0.08,
  overlap: 0.15,
  shortBudget: 0.1,
  command: 0.03,
  faultsPerIo: 0.03,
};
const ROUGH: FaultRates = { kill: 0.4, freeze: 0.15, overlap: 0.2, shortBudget: 0.2, command: 0.06, faultsPerIo: 0.12 };

export function generate(seed: number): History {
  const history = randomHistory(seed);
  // By the seed alone. A further random number would change the history of every seed.
  if (seed % MASS_SHARE === MASS_REMAINDER) return withMassRemovals(history);
  if (seed % MASS_SHARE === FILTERS_REMAINDER) return withFilters(withFaults(history));
  return withFaults(history);
}

function randomHistory(seed: number): History {
  const random = new Random(seed);
  const rates = random.pick([CALM, MIXED, MIXED, ROUGH]);
  const blocks = { next: 0 };
  const steps: Step[] = firstTenantData(random);
  const count = random.int(6, 36);
  for (let i = 0; i < count; i++) steps.push(randomStep(random, rates, blocks));
  return {
    seed,
    platform: randomPlatform(random),
    pageLimit: random.pick([1, 2, 3, 4, 7]),
    ...(random.chance(0.1) ? { rowsThatFit: random.int(1, 2) } : {}),
    ...(random.chance(0.1) ? { badRow: true } : {}),
    steps,
  };
}

/** Something to lose: a history over an empty platform proves little. */
function firstTenantData(random: Random): Step[] {
  const assets = Array.from({ length: ASSETS }, (_, asset): Change => ({ kind: 'asset', asset, content: 0 }));
  const threats = Array.from({ length: THREATS }, (_, threat): Change => {
    return { kind: 'threat', threat, asset: random.int(0, ASSETS - 1), content: 0 };
  });
  return [...assets, ...threats].map(change => ({ kind: 'change', change }));
}

function randomPlatform(random: Random): Partial<PlatformSettings> {
  return {
    rowsMember: random.pick(['data', 'items']),
    paginationMember: random.pick(['pagination', 'page']),
    retention: random.pick(['latest', 'every-version'] as const),
    endOfStream: random.pick(['full-page-null', 'empty-page-null', 'repeat-cursor'] as const),
    withholdMs: random.pick([0, 0, 200, 3_000]),
    tieSize: random.pick([1, 1, 2, 4]),
    shortPages: random.pick([0, 0.3]),
    emptyPages: random.pick([0, 0.2]),
    shuffleMembers: random.chance(0.5),
    prettyPrint: random.chance(0.2),
  };
}

function randomStep(random: Random, rates: FaultRates, blocks: { next: number }): Step {
  const dice = random.next();
  if (dice < 0.5) return { kind: 'change', change: randomChange(random, blocks) };
  if (dice < 0.62) return { kind: 'wait', milliseconds: random.pick([50, 1_000, 20_000, 70_000]) };
  return randomTick(random, rates, blocks);
}

function randomChange(random: Random, blocks: { next: number }): Change {
  const asset = random.int(0, ASSETS - 1);
  const threat = random.int(0, THREATS - 1);
  const content = random.int(0, CONTENTS - 1);
  const dice = random.next();
  if (dice < 0.22) return { kind: 'asset', asset, content };
  if (dice < 0.37) return { kind: 'remove', asset };
  if (dice < 0.5) return { kind: 'restore', asset };
  if (dice < 0.75) return { kind: 'threat', threat, asset, content };
  if (dice < 0.8) return { kind: 'reproject-asset', asset };
  if (dice < 0.85) return { kind: 'reproject-threat', threat };
  if (dice < 0.93) return { kind: 'dns-block', block: blocks.next++ };
  if (dice < 0.96) return { kind: 'unseen', asset: random.int(ASSETS, ASSETS + 2) };
  if (dice < 0.97) return { kind: 'forget-cursors' };
  return { kind: random.pick(['rotate-secret', 'expire-tokens'] as const) };
}

/** About as many as a tick over a few rows does. */
const TYPICAL_IOS = 40;

function randomTick(random: Random, rates: FaultRates, blocks: { next: number }): Tick {
  const faults: Tick['faults'][number][] = [];
  const changes: Tick['changes'][number][] = [];
  for (let at = 0; at < TYPICAL_IOS; at++) {
    if (random.chance(rates.faultsPerIo)) faults.push({ at, fault: random.pick(FAULTS) });
    if (random.chance(0.04)) changes.push({ at, change: randomChange(random, blocks) });
  }
  const at = () => Math.floor(random.next() ** 1.3 * TYPICAL_IOS);
  return {
    kind: 'tick',
    seed: random.seed(),
    budgetMilliseconds: random.chance(rates.shortBudget) ? random.int(40, 900) : 900_000,
    faults,
    changes,
    ...(random.chance(rates.kill) ? { kill: { at: at(), after: random.chance(0.6) } } : {}),
    ...(random.chance(rates.freeze) ? { freeze: { at: at(), milliseconds: random.int(500, 200_000) } } : {}),
    ...(random.chance(rates.overlap) ? { overlap: at() } : {}),
    ...(random.chance(rates.command) ? { command: randomCommand(random) } : {}),
  };
}

function randomCommand(random: Random): Command {
  const stream: StreamName = random.pick(['assets', 'threats', 'dns-blocks']);
  return random.chance(0.5) ? { resync: [stream] } : { replay: [stream] };
}
