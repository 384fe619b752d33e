/**
 * Generates which rows become dead letters, and when an operator redrives them. It has a random stream of its own, so that the rest of
 * each history stays as it is.
 */
import { STREAMS } from '../../lambda/streams.ts';
import { FAULTS, type History, type Release, type Step, type Tick } from './history.ts';
import { Random } from './random.ts';
import { CAPABLE } from './simulated/release.ts';

const REFUSED = ['asset-0', 'asset-1', 'threat-0', 'threat-1', 'threat-2', 'block-0', 'block-1000', 'block-1001'];
const TOO_LONG = [0, 1, 2, 3, 'asset-0', 'threat-1', 'block-1', 'block-1002'];
/** Numbers of blocks that no other generator gives. */
const FIRST_BLOCK = 1_000;
/** About as many as two dead letters take. */
const IOS_OF_REDRIVE = 12;
/** Most keys of one command. */
const MAX_KEYS = 6;

export function withDeadLetters(history: History): History {
  const random = new Random(history.seed ^ 0x1e77e75);
  const rough = random.chance(0.6);
  const release = randomRelease(random, 0.1);
  let blocks = FIRST_BLOCK;
  const steps = history.steps.flatMap((step): Step[] => {
    const added: Step[] = [];
    if (random.chance(0.1)) added.push({ kind: 'deploy', release: randomRelease(random, 0.5) });
    if (random.chance(0.12)) added.push({ kind: 'change', change: { kind: 'dns-block', block: blocks++ } });
    return [...added, step.kind === 'tick' && random.chance(0.5) ? withRedrive(step, random, rough) : step];
  });
  return { ...history, letters: { release, showsGone: random.chance(0.4) }, steps };
}

function randomRelease(random: Random, capable: number): Release {
  if (random.chance(capable)) return CAPABLE;
  const some = <T>(all: readonly T[]) => Array.from({ length: random.int(0, 3) }, () => random.pick(all));
  return { tooLong: some(TOO_LONG), refused: some(REFUSED) };
}

function withRedrive(tick: Tick, random: Random, rough: boolean): Tick {
  const redrive = Array.from({ length: random.int(1, MAX_KEYS) }, () => random.int(0, 99));
  const moment = { at: random.int(0, IOS_OF_REDRIVE), overDeadLetters: true } as const;
  const kill = { ...moment, after: random.chance(0.5) };
  const freeze = { ...moment, milliseconds: random.int(500, 200_000) };
  // About where the redrive begins.
  const fault = { at: random.int(8, 50), fault: random.pick(FAULTS) };
  const dice = random.next();
  return {
    ...tick,
    faults: rough && random.chance(0.3) ? [...tick.faults, fault] : tick.faults,
    ...(rough && !tick.kill && dice < 0.4 && { kill }),
    ...(rough && !tick.freeze && dice > 0.85 && { freeze }),
    command: { ...tick.command, ...(random.chance(0.04) && { replay: [random.pick(STREAMS).name] }), redrive },
  };
}
