/** Plays every history of a scope: each sequence of words up to a length, and each fault at each I/O of its runs. */
import { play, type Setting, Stage } from './play.ts';
import type { Fault } from './scene.ts';

export interface Scope {
  readonly name: string;
  readonly setting: Setting;
  /** What happens before. */
  readonly begin?: readonly string[];
  /** Each of them may be the next word … */
  readonly words: readonly string[];
  /** … so often. */
  readonly length: number;
  /** Only sequences that end so: what matters has to happen after it. */
  readonly end?: readonly string[];
  /** What befalls one run of the history. Absent: nothing. */
  readonly faults?: readonly Fault[];
  /** What changes within one run of the history. */
  readonly changes?: readonly string[];
  /** The run with the change is also killed, at the same or a later I/O. */
  readonly changedAndKilled?: boolean;
  /** Two kills, one after the other. */
  readonly pairs?: boolean;
  /** Of the frozen runs: each is thawed at every step of the run after it. */
  readonly thaws?: boolean;
}

export interface Explored {
  histories: number;
  readonly failures: { readonly words: string; readonly breach: string }[];
}

const MOST_FAILURES = 5;
/** I/Os by which a change makes its run longer, about. */
const LONGER = 6;

/** @param shard of so many: each takes its own sequences @param enough stops at the first failure */
export async function explore(scope: Scope, shard = 0, shards = 1, enough = MOST_FAILURES): Promise<Explored> {
  const explored: Explored = { histories: 0, failures: [] };
  let index = 0;
  for (const words of sequences(scope)) {
    if (index++ % shards !== shard) continue;
    await exploreOne([...(scope.begin ?? []), ...words, ...(scope.end ?? [])], scope, explored, enough);
    if (explored.failures.length >= enough) break;
  }
  return explored;
}

/** One sequence of words, and each fault at each I/O of its runs. */
export async function exploreOne(
  words: readonly string[],
  scope: Scope,
  explored: Explored = { histories: 0, failures: [] },
  enough = MOST_FAILURES,
): Promise<Explored> {
  const ios = await playBase(words, scope, explored);
  if (!ios) return explored;
  for (const struck of variations(words, ios, scope)) {
    if (explored.failures.length >= enough) break;
    await playOne(struck, scope, explored);
    if (scope.thaws || scope.pairs) await playSecond(struck, scope, explored, enough);
  }
  return explored;
}

function* sequences({ words, length }: Scope): Generator<readonly string[]> {
  let level: (readonly string[])[] = [[]];
  for (let size = 0; size <= length; size++) {
    yield* level;
    level = level.flatMap(each => words.filter(word => makesSense(each, word)).map(word => [...each, word]));
  }
}

/** A run after a run, or the same word again, is no other history. */
function makesSense(before: readonly string[], word: string): boolean {
  const last = before.at(-1);
  return last !== word || word.startsWith('~') || word.startsWith('wait');
}

/** @returns the I/Os of each run, or nothing when a word made no sense */
async function playBase(words: readonly string[], { setting }: Scope, explored: Explored) {
  const stage = new Stage(setting);
  const ios: number[] = [];
  for (const word of words) {
    if (!(await stage.play(word))) return undefined;
    ios.push(isRun(word) ? stage.ios : 0);
  }
  explored.histories++;
  note(words, await stage.check(), explored);
  return ios;
}

async function playOne(words: readonly string[], { setting }: Scope, explored: Explored): Promise<void> {
  explored.histories++;
  note(words, await play(words, setting), explored);
}

function note(words: readonly string[], breaches: readonly string[], { failures }: Explored): void {
  if (breaches.length > 0) failures.push({ words: words.join(' '), breach: breaches[0]! });
}

function isRun(word: string): boolean {
  return /^(run|resync|replay|repair)/.test(word);
}

function* variations(words: readonly string[], ios: readonly number[], scope: Scope): Generator<string[]> {
  const { faults = [], changes = [] } = scope;
  for (const [place, word] of words.entries()) {
    for (let at = 1; at <= ios[place]!; at++) {
      for (const fault of faults) yield words.with(place, `${word}:${fault}-${at}`);
      for (const change of changes) {
        yield words.with(place, `${word}:@${at}${change}`);
        if (!scope.changedAndKilled) continue;
        for (let kill = at; kill <= ios[place]! + LONGER; kill++)
          yield words.with(place, `${word}:@${at}${change}:after-${kill}`);
      }
    }
  }
}

/** The run after the one that was struck is struck at each of its own I/Os, or thaws the frozen one there. */
async function playSecond(words: readonly string[], scope: Scope, explored: Explored, enough: number): Promise<void> {
  const first = words.findIndex(word => word.includes(':') && isRun(word));
  const next = words.findIndex((word, place) => place > first && isRun(word));
  const all = next < 0 ? [...words, 'run'] : words;
  const place = next < 0 ? words.length : next;
  const stage = new Stage(scope.setting);
  for (const word of all.slice(0, place + 1)) await stage.play(word);
  // A frozen run continues beside the one after it, which makes that one longer.
  const ios = stage.ios;
  for (let at = 1; at <= ios; at++) {
    const kinds = scope.thaws ? ['thaw'] : ['before', 'after'];
    for (const kind of kinds) await playOne(all.with(place, `${all[place]}:${kind}-${at}`), scope, explored);
    if (explored.failures.length >= enough) return;
  }
}
