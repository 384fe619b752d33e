import { dirname, relative, resolve } from 'node:path';
import { shellWord } from '../terminal/shell-word.ts';
import { grouped } from './progress.ts';
import type { StartRequest } from './start-request.ts';

export interface Places {
  readonly delivered: string;
  readonly deadLetters: string;
  readonly log: string;
  /** Files that this run delivered. */
  readonly objects: number;
  /** Rows that this run put among the dead letters. */
  readonly deadLetterCount: number;
}

/** Where everything lies, as paths from the working directory. */
export function placesText({ delivered, deadLetters, log, objects, deadLetterCount }: Places): string {
  const files = `${grouped(objects)} ${objects === 1 ? 'file' : 'files'} by this run`;
  return [
    `Delivered events      ${here(delivered)} (${files})`,
    ...(deadLetterCount > 0 ? [`Dead letters          ${here(deadLetters)}`] : []),
    `Function's log        ${here(log)}`,
  ].join('\n');
}

/** What to do after a run that came to its end. */
export function nextSteps(request: StartRequest, { delivered }: Places): string {
  // Started by the shell itself, gzip ends without a word when `head` has enough.
  const look = `gzip -dc "$(find ${word(delivered)} -name '*.json.gz' | sort | tail -n 1)" | head -n 1`;
  const steps: readonly (readonly [command: string, what: string])[] = [
    [look, 'one event as the SIEM gets it'],
    [askStep(request), 'what was delivered, in SQL'],
    ...('baseUrl' in request.target ? TENANT_STEPS : embeddedSteps(request)),
  ];
  return `Try next\n${steps.map(([command, what]) => `  ${command}\n      ${what}`).join('\n')}`;
}

function askStep({ folder }: StartRequest): string {
  const root = dirname(folder);
  return root === resolve('.local') ? 'npm run query' : `npm run query -- --folder ${word(root)}`;
}

const TENANT_STEPS = [
  ['the same command', 'again: only what has changed is sent'],
  ['the same command with --reset', 'from the beginning, into empty folders'],
] as const;

function embeddedSteps({ name, folder, format, ocsfFields }: StartRequest): [string, string][] {
  const given = [
    ...(name === 'local' ? [] : ['--name', name]),
    ...(dirname(folder) === resolve('.local') ? [] : ['--state-folder', word(dirname(folder))]),
    // Without it the next run would be refused.
    ...(format === 'envelope' ? [] : ['--format', format]),
    ...(ocsfFields === undefined ? [] : ['--ocsf-fields', word(resolve(ocsfFields.file))]),
  ];
  const start = (...options: string[]) => ['npm start', ...cons('--', [...given, ...options])].join(' ');
  return [
    [start(), 'again: only what has changed is sent'],
    [start('--change', '50'), 'an asset is removed first: its tombstone, its threats withdrawn'],
    [start('--reset'), 'from the beginning'],
    ['npm start -- --help', 'a real tenant, and everything else'],
  ];
}

function cons(first: string, rest: readonly string[]): string[] {
  return rest.length === 0 ? [] : [first, ...rest];
}

function word(path: string): string {
  return shellWord(here(path));
}

function here(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short || '.';
}
