/** Lines that stand for many histories, and the play of one history. */
import { isRun, Stage } from './language.ts';
import { Oracle } from './oracle.ts';
import { type Fault, type Operation, STRUCK_BY } from './process.ts';
import type { Keep } from './table.ts';

export interface Failure {
  /** The history, in words. */
  readonly line: string;
  readonly breach: string;
}

export interface Explored {
  readonly histories: number;
  readonly failures: readonly Failure[];
}

/**
 * Plays a history and lets the connector come to rest.
 *
 * @returns what is wrong, in a sentence each
 */
export async function play(words: readonly string[], stage = new Stage(words)): Promise<string[]> {
  const oracle = new Oracle(stage);
  try {
    for (const word of words) await stage.play(word);
    return await oracle.breaches();
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return [(error as Error).stack!];
  }
}

export interface ExploreOptions {
  /** See Table. */
  readonly keep?: Keep;
  /** Called after each history. */
  readonly onPlayed?: (stage: Stage) => void;
}

/** Plays every history of a line, up to the first that fails. */
export async function explore(line: string, { keep, onPlayed }: ExploreOptions = {}): Promise<Explored> {
  let histories = 0;
  for await (const words of historiesOf(line.trim().split(/\s+/))) {
    histories++;
    const stage = new Stage(words, keep);
    const [breach] = await play(words, stage);
    onPlayed?.(stage);
    if (breach !== undefined) return { histories, failures: [{ line: words.join(' '), breach }] };
  }
  return { histories, failures: [] };
}

const STAR = /^(@|[a-z-]+-)([a-z]*)\*(.*)$/;

/**
 * Replaces the first `*` by each number in turn, and then the next one, which may depend on the
 * first: a run that was killed early leaves more to the run after it.
 *
 *     a=1 run:kill-* run   →   a=1 run:before-1 run, a=1 run:after-1 run, a=1 run:before-2 run, …
 */
export async function* historiesOf(words: readonly string[]): AsyncGenerator<readonly string[]> {
  const place = words.findIndex(word => word.includes('*'));
  if (place < 0) return yield words;

  const [verb = '', ...conditions] = words[place]!.split(':');
  const starred = conditions.findIndex(condition => condition.includes('*'));
  const earlier = [verb, ...conditions.slice(0, starred)];
  const operations = await operationsOf([...words.slice(0, place), earlier.join(':')]);
  if (!operations) return;

  const first = Number(/(\d+)/.exec(earlier.slice(1).at(-1) ?? '')?.[1] ?? 1);
  for (const condition of numbered(conditions[starred]!, operations, first)) {
    const word = [...earlier, condition, ...conditions.slice(starred + 1)].join(':');
    yield* historiesOf(words.with(place, word));
  }
}

/**
 * @returns the operations of the requests of the last run, or nothing when one of the words is
 * impossible
 */
async function operationsOf(words: readonly string[]): Promise<readonly Operation[] | undefined> {
  const stage = new Stage(words);
  for (const word of words) if (!(await stage.play(word))) return undefined;
  return stage.last!.process.operations;
}

function* numbered(condition: string, operations: readonly Operation[], first: number): Generator<string> {
  const [, mark = '', operation = '', rest = ''] = STAR.exec(condition) ?? [];
  const faults = mark === 'kill-' ? ['before-', 'after-'] : [mark];
  const counted = operation === '' ? operations : operations.filter(made => made === operation);
  for (const [index, made] of counted.entries()) {
    if (index + 1 < first && operation === '') continue;
    for (const fault of faults) {
      const struck = STRUCK_BY[fault.slice(0, -1) as Fault];
      if (!struck || struck.includes(made)) yield `${fault}${operation}${index + 1}${rest}`;
    }
  }
}

/**
 * A line of scenes.txt: `name | words, with (a b)^2 for each sequence of up to two of them | faults
 * of a run, and of the run after it`.
 */
export interface Scene {
  readonly name: string;
  readonly words: string;
  readonly plans: readonly string[];
}

export function readScene(line: string): Scene {
  const [name = '', words = '', plans = ''] = line.split('|').map(part => part.trim());
  return { name, words, plans: plans.split(',').map(plan => plan.trim()) };
}

/**
 * Each sequence of the scene, without a fault and with the faults of each plan, which begin at each
 * run in turn.
 */
export function* linesOf({ words, plans }: Scene): Generator<string> {
  for (const sequence of sequencesOf(words)) {
    yield sequence.join(' ');
    for (const plan of plans.filter(Boolean)) {
      for (const [place, word] of sequence.entries()) if (isRun(word)) yield withPlan(sequence, place, plan.split(' '));
    }
  }
}

function* sequencesOf(words: string): Generator<readonly string[]> {
  const [, begin = '', choices = '', length = '0', end = ''] = /^(.*?)(?:\((.*)\)\^(\d)(.*))?$/.exec(words)!;
  const split = (text: string) => text.split(' ').filter(Boolean);
  let sequences: (readonly string[])[] = [[]];
  for (let size = 0; size <= Number(length); size++) {
    for (const middle of sequences) yield [...split(begin), ...middle, ...split(end)];
    sequences = sequences.flatMap(before =>
      split(choices)
        .filter(word => before.at(-1) !== word || /^[~w]/.test(word))
        .map(word => [...before, word]),
    );
  }
}

/**
 * The first part of a plan strikes the run at a place, and each other part the next run after that.
 */
function withPlan(sequence: readonly string[], place: number, plan: readonly string[]): string {
  const words = [...sequence];
  let next = place;
  for (const conditions of plan) {
    while (next < words.length && !isRun(words[next]!)) next++;
    if (next === words.length) words.push('run');
    words[next] += `:${conditions}`;
    next++;
  }
  return words.join(' ');
}
