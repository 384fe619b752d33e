import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { explore } from './small/explore.ts';
import { MUTANTS } from './small/mutants.ts';
import { play } from './small/play.ts';
import { SCOPES } from './small/scopes.ts';

/** Another part each day. `npm run simulation -- --exhaustive` explores all of it. */
const PARTS = 200;
const PART = Math.floor(Date.now() / 86_400_000) % PARTS;

describe('in every small scene the promise holds', () => {
  test.each(SCOPES.map(scope => [scope.name, scope] as const))(
    `${'%s'}, part ${PART} of ${PARTS}`,
    async (_, scope) => {
      const { failures } = await explore(scope, PART, PARTS);
      expect(failures).toEqual([]);
    },
  );

  test('a threat that was withdrawn by half is no ghost when a filter withholds it after the restoration', async () => {
    const { setting } = SCOPES.find(({ name }) => name === 'filters')!;
    const history = (at: number) => `filter:t a=1 t=1@a run -a run:after-${at} +a t=2 run`.split(' ');
    for (let at = 1; at <= 24; at++) expect(await play(history(at), setting)).toEqual([]);
  });

  test('a threat that reappears at its old position is sent again, wherever the run that withdrew it was killed', async () => {
    const { setting } = SCOPES.find(({ name }) => name.endsWith('old positions, in the last page'))!;
    for (let at = 1; at <= 24; at++) {
      expect(await play(`a=1 t=1@a run -a run:after-${at} +a run`.split(' '), setting)).toEqual([]);
    }
  });

  test.each([
    ['every version, a page that is cut again', 'a=1 b=1 run b=2 run limit:1 run'],
    ['every version, cursors that the API forgets', 'a=1 b=1 run a=2 b=2 run limit:3 forget run'],
  ])('%s: an older version that is read again is not the last that is sent', async (scope, history) => {
    const { setting } = SCOPES.find(({ name }) => name === scope)!;
    expect(await play(history.split(' '), setting)).toEqual([]);
  });
});

test('every mutant breaks a line that is there once', () => {
  expect(MUTANTS.length).toBeGreaterThan(50);
  const wrong = MUTANTS.filter(({ file, line }) => readFileSync(file, 'utf8').split(line).length !== 2);
  expect(wrong.map(({ rule }) => rule)).toEqual([]);
});

test('every mutant names a small scene', () => {
  const names = SCOPES.map(({ name }) => name);
  expect(MUTANTS.flatMap(({ scopes }) => scopes).filter(scope => !names.includes(scope))).toEqual([]);
});
