/** One line of the source broken at a time. Each must be noticed by a small scene. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface Patch {
  readonly file: string;
  readonly line: string;
  readonly broken: string;
}

export interface Mutant extends Patch {
  /** What the line is for. */
  readonly rule: string;
  /** The small scenes that are asked, one after the other. */
  readonly scopes: readonly string[];
}

/** Each is a paragraph of mutants.diff: the rule, the file with its scenes, then lines to take out (-) and to put in (+). */
export const MUTANTS: readonly Mutant[] = readFileSync(path.join(import.meta.dirname, 'mutants.diff'), 'utf8')
  .trimEnd()
  .split('\n\n')
  .slice(1)
  .map(readMutant);

function readMutant(paragraph: string): Mutant {
  const [rule = '', place = '', ...lines] = paragraph.split('\n');
  const [file = '', scopes = ''] = place.split(': ');
  const marked = (mark: string) =>
    lines
      .filter(line => line.startsWith(mark))
      .map(line => line.slice(1))
      .join('\n');
  return { rule, file, scopes: scopes.split('; '), line: marked('-'), broken: marked('+') };
}

/** Sequences of words, by scope, in which the mutants show: a whole scope takes a minute, and each of these takes a second. */
export const SEQUENCES: Readonly<Record<string, readonly string[]>> = {
  'first run': [
    'a=1 t=1@a d1 u=1@a run',
    'a=1 t=1@a d1 run -a run',
    'a=1 b=1 t=1@a u=1@a run',
    'a=1 t=1@a run ?b run',
    'a=1 t=1@a u=1@a run -a run',
  ],
  changes: ['a=1 t=1@a run t=2 run t=1 run', 'a=1 t=1@a run a=2 ~t run', 'a=1 t=1@a run ~t d1 run'],
  removal: [
    'a=1 t=1@a run -a run',
    'a=1 t=1@a run -a run +a run',
    'a=1 t=1@a run -a +a run',
    'a=1 t=1@a run -a run +a t=2 run',
    'a=1 t=1@a run -a run +a run -a run',
    'a=1 t=1@a run u=1@a -a run',
    'a=1 t=1@a run t=2 -a run +a run',
  ],
  moves: ['a=1 b=1 t=1@a run t=1@b run -a run', 'a=1 b=1 t=1@a run t=1@b -a run +a run'],
  'a threat that has moved, before the last page': ['a=1 b=1 t=1@a run t=1@b u=1@b run -a run'],
  'every version, rows that end with a page of their own': [
    'a=1 t=1@a run a=2 a=1 run',
    'a=1 t=1@a run t=2 t=1 t=2 run',
    'a=1 t=1@a run -a +a run',
    'a=1 t=1@a run t=2 resync-t run',
    'a=1 t=1@a run -a run +a resync-t run',
    'a=1 t=1@a t=2 u=1@a run run:refused-6:refused-7 run',
    'a=1 t=1@a run a=2 -a run',
  ],
  'an empty last page': ['a=1 t=1@a run a=2 run -a run'],
  filters: [
    'filter:at a=1 t=1@a run a=2 run',
    'filter:at a=1 t=1@a run a=2 -a run +a run',
    'filter:at a=1 t=1@a run t=2 run t=1 run',
    'filter:at a=1 t=1@a run -a run +a t=2 run',
    'filter:at a=1 t=1@a run a=2 run -a +a run',
    'filter:at a=1 t=1@a run a=2 run -a run a=1 run',
  ],
  'filters that withhold from the beginning': [
    'filter:at a=2 t=1@a run -a run',
    'filter:at a=2 t=1@a run -a +a run',
    'filter:at a=2 t=1@a run -a run +a run',
    'filter:at a=2 t=1@a run -a run +a -a run',
    'filter:at a=2 t=1@a run ~a run',
  ],
  'filters, every version': [
    'filter:at a=2 t=1@a run -a +a run',
    'filter:at a=2 t=1@a run -a +a -a run',
    'filter:at a=2 t=1@a run -a run +a -a +a run',
  ],
  'a filter that changes back, two kills': ['a=2 t=2@a run filter:t run filter: run filter:t run'],
  'filters that change': [
    'a=2 t=2@a run filter:t run filter: run',
    'a=2 t=2@a run filter:a run filter: run',
    'a=2 t=2@a run filter:t run -a run',
    'a=2 t=2@a run filter:t t=1 run filter: run',
  ],
  'omit and page limits': [
    'a=1 t=1@a d1 d2 d3 run omit:td run',
    'a=1 t=1@a d1 d2 run limit:1 d3 run',
    'a=1 t=1@a d1 d2 d3 run limit:1 d4 run limit:3 run',
  ],
  commands: [
    'a=1 t=1@a d1 run resync-t run',
    'a=1 t=1@a d1 run replay-t run',
    'a=1 t=1@a d1 run t=2 forget run',
    'a=1 t=1@a d1 run -a resync-t +a run',
  ],
  'a replay that goes back, and its repair': [
    'a=1 b=1 t=1@a run t=1@b run replay-t:late-11 -b run repair repair',
    'a=1 b=1 t=1@a run t=1@b run replay-t:late-8 -b run repair repair',
    'a=1 b=1 t=1@a run t=1@b run replay-t run repair repair',
  ],
  refresh: [
    'a=1 t=1@a run run wait:8 run wait:8 run wait:8 run wait:8 run',
    'a=1 t=1@a run run wait:8 run wait:8 run -a wait:8 run',
    'a=1 t=1@a run run wait:8 run wait:8 run t=2 run wait:8 run',
    'a=1 t=1@a run run wait:8 run wait:8 run t=2 wait:8 run',
  ],
  'refresh under a filter': [
    'filter:t a=1 t=1@a run run wait:8 run wait:8 run t=2 run wait:8 run wait:8 run',
    'filter:t a=1 t=1@a run run wait:8 run wait:8 run t=2 run t=1 run wait:8 run',
  ],
  'requests that fail': ['filter:t a=1 t=1@a d1 run t=2 d2 run'],
  'two kills': [
    'filter:t a=1 t=1@a run -a +a run run',
    'filter:t a=1 t=1@a run t=2 run run',
    'filter:t a=1 t=1@a run -a run run',
  ],
  'a kill, a change and a kill': ['filter:t a=1 t=1@a run -a run +a run', 'filter:t a=1 t=1@a run -a run +a t=2 run'],
  'a page that is cut again, two kills': ['a=1 t=1@a u=1@a run limit:1 run -a run'],
  'every version, a page that is cut again': ['a=1 b=1 run b=2 run limit:1 run'],
  'every version, cursors that the API forgets': ['a=1 b=1 run a=2 b=2 run limit:3 forget run'],
  'pages of one row': ['a=1 b=1 t=1@a u=1@b run -a run', 'a=1 b=1 t=1@a u=1@b run t=2 u=2 run -b run'],
  'threats that reappear at their old positions, in the last page': ['a=1 t=1@a run -a run +a run'],
  'threats that reappear at their old positions, and are read again': [
    'a=1 t=1@a u=1@a run -a run +a run resync-t resync-t',
    'a=1 t=1@a u=1@a run -a run +a resync-t resync-t',
  ],
  'threats that reappear at their old positions, and are refreshed': [
    'a=1 t=1@a u=1@a run run wait:8 run -a run +a wait:8 run wait:8 run resync-t',
    'a=1 t=1@a u=1@a run run wait:8 run -a run +a run wait:8 run wait:8 run wait:8 run resync-t',
  ],
  'an asset that comes back beside a half-done withdrawal': [
    'a=1 b=1 t=1@b u=1@a run -a run -b +b run',
    'a=1 b=1 t=1@b u=1@a run -a run -b +b run -b run',
  ],
  'changes within a run': ['a=1 t=1@a run -a run', 'a=1 t=1@a run run'],
  'changes within a run, pages of one row': ['a=1 b=1 t=1@a u=1@b run -a run'],
  'changes within a run under a filter': ['filter:at a=1 t=1@a run run wait:8 run wait:8 run wait:8 run'],
  'a clock that goes back': ['a=1 t=1@a run wait:-8 t=2 run'],
  'a frozen run': ['a=1 t=1@a run t=2 run run', 'a=1 t=1@a run -a run run', 'd1 run d2 run d3 run run'],
};

const LONG = [
  'a filter that changes back, two kills',
  'two kills',
  'a kill, a change and a kill',
  'a page that is cut again, two kills',
  'a frozen run',
];

/** Those of the mutant's own scopes first, then all others but those of pairs, which take long. */
export function sequencesFor({ scopes }: Mutant): [scope: string, words: string][] {
  const others = Object.keys(SEQUENCES).filter(name => !LONG.includes(name));
  const names = [...new Set([...scopes, ...others])];
  return names.flatMap(name => SEQUENCES[name]!.map((words): [string, string] => [name, words]));
}
