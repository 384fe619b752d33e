/**
 * Generates what a few rows, single faults and new processes never show: pages that are written in several batches, faults that
 * strike the same sub-request at every try, containers that freeze with timers pending, short leases. It has a random stream of
 * its own, so that histories without any of it stay as they are.
 */
import type { Change, History, Step, Stubborn, StubbornFault, Tick } from './history.ts';
import { Random } from './random.ts';

/** One history in so many is wide. */
const WIDE_SHARE = 4;
/** In one history of so many a request is held back and takes effect after its run. */
const HELD_BACK_SHARE = 12;
const STUBBORN_SHARE = 0.4;

const LEASES = [1, 2, 3, 5, 8, 12, 15, 20, 30, 120, 900];
const DURATIONS = [1_000, 5_000, 10_000, 20_000, 60_000, 180_000, 600_000];
const WAITS = [1_000, 5_000, 20_000, 70_000, 300_000];
/** Of the lease's term, how long the next run waits. */
const TERMS = [0.4, 0.9, 1.01, 1.01, 1.2];
const FAULTS: readonly StubbornFault[] = [
  'throttle',
  'throttle',
  'server-error',
  'refused',
  'no-answer',
  'slow',
  'partial',
  'lost-request',
  'lost-answer',
];
/** `ENDING` makes a run give up, `LASTING` makes it retry for long. */
const ENDING: readonly StubbornFault[] = ['refused', 'server-error', 'lost-request'];
const LASTING: readonly StubbornFault[] = ['throttle', 'throttle', 'slow', 'no-answer'];
/** Rows on a page of a history that is not wide, at most. */
const NARROW = 7;
const STREAM_NAMES = ['assets', 'threats', 'dns-blocks'];

export function withFaults(history: History): History {
  const random = new Random(history.seed ^ 0x57ab1e5);
  if (random.int(1, WIDE_SHARE) === 1) return withStubbornFaults(wide(history, random), random);
  if (random.int(1, HELD_BACK_SHARE) === 1) return heldBack(history, random);
  return random.chance(STUBBORN_SHARE) ? withStubbornFaults(history, random) : history;
}

/** How many rows there are, by what must be large for what. */
interface Width {
  readonly assets: number;
  /** Threats, all of asset 0 but for the last few. */
  readonly threats: number;
  readonly pageLimit: number;
  readonly fat?: History['fat'];
}

function randomWidth(random: Random): Width {
  const dice = random.next();
  // More threats of one asset than a withdrawal takes at once.
  if (dice < 0.15) return { assets: 4, threats: random.int(501, 620), pageLimit: random.pick([250, 500]) };
  // More bytes than a delivery takes at once, in more rows than a record does.
  if (dice < 0.3)
    return { assets: 9, threats: 4, pageLimit: 50, fat: { assets: 6, bytes: random.int(700, 900) * 1_000 } };
  return { assets: random.int(30, 110), threats: random.int(30, 80), pageLimit: random.pick([30, 60, 130, 500]) };
}

const LONE_THREATS = 3;

function wide(history: History, random: Random): History {
  const width = randomWidth(random);
  const { assets, threats, pageLimit, fat } = width;
  const steps: Step[] = [
    { kind: 'change', change: { kind: 'assets', count: assets, content: 0 } },
    { kind: 'change', change: { kind: 'threats', first: LONE_THREATS, count: threats, asset: 0, content: 0 } },
    { kind: 'change', change: { kind: 'threats', first: 0, count: LONE_THREATS, asset: 1, content: 0 } },
  ];
  const count = random.int(6, 20);
  for (let step = 0; step < count; step++) steps.push(randomStep(width, random));
  const { seed, platform } = history;
  return { seed, platform, pageLimit, ...(fat && { fat }), steps };
}

function randomStep(width: Width, random: Random): Step {
  const dice = random.next();
  if (dice < 0.5) return randomTick(random);
  if (dice < 0.6) return { kind: 'wait', milliseconds: random.pick(WAITS) };
  return { kind: 'change', change: randomChange(width, random) };
}

function randomChange({ assets, threats }: Width, random: Random): Change {
  const content = random.int(0, 3);
  const asset = random.chance(0.5) ? random.int(0, 2) : random.int(0, assets - 1);
  const dice = random.next();
  if (dice < 0.25) return { kind: 'assets', count: random.int(assets >> 1, assets), content };
  if (dice < 0.6) return { kind: 'remove', asset };
  if (dice < 0.75) return { kind: 'restore', asset };
  const first = random.int(0, threats >> 1);
  if (dice < 0.9) return { kind: 'threats', first, count: random.int(1, threats >> 1), asset, content };
  return { kind: 'threat', threat: first, asset, content };
}

/** About as many I/Os as a tick over a page of many rows does. */
const TYPICAL_IOS = 90;

function randomTick(random: Random): Tick {
  const at = () => random.int(0, TYPICAL_IOS);
  const dice = random.next();
  return {
    kind: 'tick',
    seed: random.seed(),
    budgetMilliseconds: random.chance(0.1) ? random.int(300, 60_000) : 900_000,
    faults: [],
    changes: [],
    ...(dice < 0.1 && { kill: { at: at(), after: random.chance(0.6) } }),
    ...(dice > 0.9 && { freeze: { at: at(), milliseconds: random.int(500, 200_000) } }),
    ...(random.chance(0.15) && { overlap: at() }),
  };
}

function withStubbornFaults(history: History, random: Random): History {
  const isWide = history.pageLimit > NARROW;
  const containers = random.chance(0.7) ? random.int(1, 2) : 0;
  const stubborn = random.pick(isWide ? [0.5, 0.8] : [0, 0.3, 0.6]);
  const leaseSeconds = random.chance(0.4) ? random.pick(LEASES) : undefined;
  const steps: Step[] = [];
  let ids: string[] = [];
  for (const step of history.steps) {
    if (step.kind === 'change') ids = [...ids, ...idsOf(step.change)];
    if (step.kind !== 'tick') {
      steps.push(step);
      continue;
    }
    const container = containers > 0 && random.chance(0.8) ? { container: random.int(1, containers) } : {};
    const about = ids.length > 0 ? ids : ['asset-0'];
    if (leaseSeconds !== undefined && random.chance(0.3)) {
      steps.push({ ...step, ...container, ...randomSevered(about, random) });
      steps.push({ kind: 'wait', milliseconds: leaseSeconds * 1_000 * random.pick(TERMS) });
    } else {
      const faults = random.chance(stubborn) ? randomStubborn(about, random) : [];
      steps.push({ ...step, ...container, ...(faults.length > 0 && { stubborn: faults }) });
      const removed = /^asset-(\d+)$/.exec(faults.at(-1)?.about ?? '')?.[1];
      if (removed && random.chance(0.6))
        steps.push({ kind: 'change', change: { kind: 'remove', asset: Number(removed) } });
    }
    // What has just been read is what the next page brings again, or changes.
    if (random.chance(0.6)) ids = [];
  }
  return { ...history, ...(leaseSeconds !== undefined && { leaseSeconds }), steps };
}

/** Another run takes the lease while this one is writing: it stops, or cannot renew the lease and does not know. */
function randomSevered(ids: readonly string[], random: Random): Pick<Tick, 'stubborn' | 'kill' | 'freeze' | 'overlap'> {
  const at = random.int(3, 40);
  const write = { call: random.pick(['write', 'send'] as const), about: random.pick(ids), milliseconds: 600_000 };
  const slow: Stubborn = { ...write, fault: random.pick(['slow', 'no-answer']) };
  const dice = random.next();
  if (dice < 0.3) return { stubborn: [slow], kill: { at, after: true } };
  if (dice < 0.5) return { stubborn: [slow], freeze: { at, milliseconds: random.int(500, 200_000) } };
  const lease: Stubborn = { call: 'lease', about: 'lease', fault: random.pick(ENDING), milliseconds: 600_000 };
  const repeated: Stubborn = { ...write, fault: random.pick([...ENDING.slice(1), 'throttle', 'slow', 'no-answer']) };
  return { stubborn: [repeated, { ...lease, spares: 1 }], overlap: at };
}

function idsOf(change: Change): string[] {
  if (change.kind === 'assets') return Array.from({ length: change.count }, (_, asset) => `asset-${asset}`);
  if (change.kind === 'threats') return Array.from({ length: change.count }, (_, at) => `threat-${change.first + at}`);
  if ('threat' in change) return [`threat-${change.threat}`];
  return 'asset' in change ? [`asset-${change.asset}`] : [];
}

/** Often two of one page: what the failure of the one does to the other is what matters. */
function randomStubborn(ids: readonly string[], random: Random): Stubborn[] {
  const call = random.pick(['write', 'write', 'write', 'send', 'send', 'save', 'read', 'query', 'lease'] as const);
  const id = random.pick(ids);
  const ofPage = ids.filter(each => each.startsWith(id.slice(0, 5)));
  // Far from one another, so that a page of many rows has them in different batches.
  const half = random.chance(0.5);
  const about = (isFirst: boolean) => {
    if (call === 'lease') return 'lease';
    if (call === 'save') return random.pick(STREAM_NAMES);
    if (call === 'query') return random.pick([...STREAM_NAMES, 'asset-0', 'asset-1']);
    const middle = (ofPage.length - 1) >> 1;
    return ofPage[isFirst === half ? random.int(0, middle) : random.int(middle, ofPage.length - 1)]!;
  };
  const one = (fault = random.pick(FAULTS), isFirst = true): Stubborn => {
    return { call, about: about(isFirst), fault, milliseconds: random.pick(DURATIONS) };
  };
  if (random.chance(0.3)) return [one()];
  if (call === 'write' || call === 'send') return [one(random.pick(ENDING)), one(random.pick(LASTING), false)];
  // While the lease cannot be renewed, or a checkpoint not be saved, something else is being retried.
  const other = random.pick(['write', 'send'] as const);
  return [one(), { call: other, about: id, fault: random.pick(FAULTS), milliseconds: random.pick(DURATIONS) }];
}

/**
 * A write of an asset's state that was given up and lands after its run, on top of what a later run wrote. Nothing keeps
 * such a write back. So no asset changes but by its removal: then the states that it brings back do no harm, as long as a
 * removal does not believe them.
 */
function heldBack(history: History, random: Random): History {
  const asset = random.int(0, ASSETS - 1);
  const held: Stubborn = { call: 'write', about: `asset-${asset}`, fault: 'held-back', milliseconds: 0 };
  const late = random.chance(0.3) ? 1 : 0;
  const steps: Step[] = [];
  let ticks = 0;
  for (const step of history.steps) {
    if (step.kind === 'change') {
      const { kind } = step.change;
      const isFirst = kind === 'asset' && steps.length < ASSETS;
      if (isFirst || kind === 'remove' || kind === 'threat') steps.push(step);
    } else if (step.kind === 'tick') {
      const { command: _, overlap: __, ...tick } = { ...step, changes: [] };
      if (ticks === 0) steps.push({ ...QUIET, seed: tick.seed, stubborn: [held] });
      if (ticks === 1) steps.push({ kind: 'change', change: { kind: 'remove', asset } });
      const releases = ticks === 1 + late ? { releases: random.int(12, 30) } : {};
      if (ticks > 0) steps.push({ ...tick, ...releases });
      ticks++;
    } else steps.push(step);
  }
  return { ...history, steps };
}

const ASSETS = 3;
const QUIET = { kind: 'tick', budgetMilliseconds: 900_000, faults: [], changes: [] } as const;
