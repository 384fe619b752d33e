/**
 * One line of the source broken at a time. The rule that it breaks is a line of histories.txt,
 * which must notice.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Patch } from './worker.ts';

export interface Mutant extends Patch {
  readonly rule: string;
  /** Name of the rule in histories.txt whose history fails. */
  readonly noticedBy: string;
}

/**
 * Each is a paragraph of mutants.diff: the rule, the file, then the lines to take out (-) and to
 * put in (+).
 */
export const MUTANTS: readonly Mutant[] = readFileSync(path.join(import.meta.dirname, 'mutants.diff'), 'utf8')
  .trimEnd()
  .split('\n\n')
  .slice(1)
  .map(readMutant);

function readMutant(paragraph: string): Mutant {
  const [rule = '', place = '', ...lines] = paragraph.split('\n');
  const [file = '', noticedBy = rule] = place.split(': ');
  const marked = (mark: string) =>
    lines
      .filter(line => line.startsWith(mark))
      .map(line => line.slice(1))
      .join('\n');
  return { rule, file, noticedBy, line: marked('-'), broken: marked('+') };
}
