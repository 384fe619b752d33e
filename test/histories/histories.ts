/** The lines of histories.txt, scenes.txt and state-members.txt. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readScene, type Scene } from './explore.ts';

/** A rule, and the history that fails when it is broken. */
export interface Rule {
  readonly name: string;
  readonly line: string;
}

/** The rules that the core has. */
export const RULES: readonly Rule[] = linesIn('histories.txt').map(line => {
  const [name = '', history = ''] = line.split('|').map(part => part.trim());
  return { name, line: history };
});

export const SCENES: readonly Scene[] = linesIn('scenes.txt').map(readScene);

/** A member of the items of a kind in the state table. */
export interface StateMember {
  readonly kind: string;
  readonly member: string;
  /** Name of the rule that breaks when the table forgets the member. */
  readonly rule: string | undefined;
}

export const STATE_MEMBERS: readonly StateMember[] = linesIn('state-members.txt').map(line => {
  const [name = '', rule] = line.split('|').map(part => part.trim());
  const [kind = '', member = ''] = name.split(' ');
  return { kind, member, rule };
});

function linesIn(file: string): string[] {
  const text = readFileSync(path.join(import.meta.dirname, file), 'utf8');
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
}
