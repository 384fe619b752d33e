import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { openDuckDbLines } from '../local/query/support/lines-database.ts';
import { explore, historiesOf } from './explore.ts';
import { RULES, STATE_MEMBERS } from './histories.ts';
import type { Stage } from './language.ts';
import { MUTANTS } from './mutants.ts';
import { drawHistories } from './random.ts';
import { kindOf, membersOf } from './state.ts';
import type { Keep } from './table.ts';
import { isForViews, type Lines, linesOf, viewBreaches } from './views.ts';

/** The lines of the first history of each rule that is for the views, by the name of the rule. */
const linesOfRules = new Map<string, Lines>();

/** Members of the items that the histories stored, as `kind member`. */
const stored = new Set<string>();
/** Every item has these. */
const EVERYWHERE = ['v', 'epoch', 'write_number'];

const keep: Keep = item => {
  for (const member of membersOf(item)) if (!EVERYWHERE.includes(member)) stored.add(`${kindOf(item)} ${member}`);
  return item;
};

describe('the promises hold in the history of the rule', () => {
  test.each(RULES.map(({ name, line }) => [name, line] as const))('%s', async (name, line) => {
    const onPlayed = (stage: Stage) => {
      if (isForViews(line) && !linesOfRules.has(name)) linesOfRules.set(name, linesOf(name, stage));
    };
    const { histories, failures } = await explore(line, { keep, onPlayed });
    expect(failures).toEqual([]);
    expect(histories).toBeGreaterThan(0);
  });

  test('the promises hold in 20 random histories', async () => {
    const { failures } = await drawHistories({ seed: 1, runs: 20 });
    expect(failures).toEqual([]);
  });
});

test('the views show the rows of the API after the first history of each rule', async () => {
  await using database = await openDuckDbLines({ threads: 1 });
  expect(await viewBreaches(database, [...linesOfRules.values()])).toEqual([]);
});

test('every member of the state table that a history stores is in state-members.txt', () => {
  const isListed = (name: string) =>
    STATE_MEMBERS.some(({ kind, member }) => name === `${kind} ${member}` || name.startsWith(`${kind} ${member}.`));
  expect([...stored].filter(name => !isListed(name))).toEqual([]);
});

test('a history with a star is played with a kill before and after each request of the run', async () => {
  const histories: string[] = [];
  for await (const words of historiesOf(['a=1', 'run:kill-send*', 'run'])) histories.push(words.join(' '));
  expect(histories).toEqual(['a=1 run:before-send1 run', 'a=1 run:after-send1 run']);
});

describe('every mutant', () => {
  test('every mutant changes a source line that occurs exactly once', () => {
    const wrong = MUTANTS.filter(({ file, line }) => readFileSync(file, 'utf8').split(line).length !== 2);
    expect(wrong.map(({ rule }) => rule)).toEqual([]);
  });

  test('every mutant names an existing rule whose history fails', () => {
    const names = RULES.map(({ name }) => name);
    expect(MUTANTS.filter(({ noticedBy }) => !names.includes(noticedBy)).map(({ rule }) => rule)).toEqual([]);
  });
});
