import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { explore, historiesOf } from './explore.ts';
import { RULES } from './histories.ts';
import { MUTANTS } from './mutants.ts';
import { drawHistories } from './random.ts';

describe('the promises hold in the history of the rule', () => {
  test.each(RULES.map(({ name, line }) => [name, line] as const))('%s', async (_, line) => {
    const { histories, failures } = await explore(line);
    expect(failures).toEqual([]);
    expect(histories).toBeGreaterThan(0);
  });

  test('the promises hold in 20 random histories', async () => {
    const { failures } = await drawHistories({ seed: 1, runs: 20 });
    expect(failures).toEqual([]);
  });
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
