/** Makes a failing history as short as it can be while it still fails in the same way. */
import type { History, Step, Tick } from './history.ts';

/** @param failure the first breach of a history, or nothing @returns the shortest history found that fails alike */
export async function shrink(
  history: History,
  failure: (history: History) => Promise<string | undefined>,
): Promise<History> {
  const kind = kindOf(await failure(history));
  const failsAlike = async (candidate: History) => kindOf(await failure(candidate)) === kind;
  let shortest = history;
  for (let shrunk = true; shrunk; ) {
    shrunk = false;
    for (const candidate of candidates(shortest)) {
      if (!(await failsAlike(candidate))) continue;
      shortest = candidate;
      shrunk = true;
      break;
    }
  }
  return shortest;
}

/** A breach names rows and cursors: its first words give its kind. */
function kindOf(breach: string | undefined): string | undefined {
  return breach?.slice(0, 24);
}

function* candidates(history: History): Generator<History> {
  const { steps } = history;
  for (let size = steps.length >> 1; size >= 1; size >>= 1) {
    for (let from = steps.length - size; from >= 0; from -= size) {
      yield { ...history, steps: steps.toSpliced(from, size) };
    }
  }
  const { leaseSeconds: _, ...sixty } = history;
  if (history.leaseSeconds !== undefined) yield sixty;
  for (const [index, step] of steps.entries()) {
    for (const simpler of simplerSteps(step)) yield { ...history, steps: steps.with(index, simpler) };
  }
}

function* simplerSteps(step: Step): Generator<Step> {
  if (step.kind === 'change' && 'count' in step.change && step.change.count > 1) {
    yield { ...step, change: { ...step.change, count: step.change.count >> 1 } };
    yield { ...step, change: { ...step.change, count: step.change.count - 1 } };
  }
  if (step.kind !== 'tick') return;
  for (const part of PARTS) {
    if (step[part] !== undefined) yield without(step, part);
  }
  const { stubborn = [] } = step;
  for (const index of stubborn.keys()) yield { ...step, stubborn: stubborn.toSpliced(index, 1) };
  if (step.faults.length > 1) yield { ...step, faults: [] };
  if (step.changes.length > 1) yield { ...step, changes: [] };
  for (const index of step.faults.keys()) yield { ...step, faults: step.faults.toSpliced(index, 1) };
  for (const index of step.changes.keys()) yield { ...step, changes: step.changes.toSpliced(index, 1) };
}

const PARTS = ['kill', 'freeze', 'overlap', 'command', 'stubborn', 'container', 'releases'] as const;

function without(tick: Tick, part: (typeof PARTS)[number]): Tick {
  const { [part]: _, ...rest } = tick;
  return rest;
}
