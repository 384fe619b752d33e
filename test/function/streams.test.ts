import { expect, test } from '@jest/globals';
import { ROW_MEMBERS, STREAMS, type Stream } from '../../lambda/streams.ts';

const ALL: readonly Stream[] = STREAMS;

test('each stream has either a path or an option that gives it', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  for (const { path, pathOption } of ALL) expect(path === undefined).toBe(pathOption !== undefined);
});

test('the member that has the time of a row is one that no option can give another meaning', () => {
  expect(ROW_MEMBERS).toEqual(expect.arrayContaining(ALL.map(({ timeMember }) => timeMember)));
});

test('only one stream cascades, because the first child clears the list of removals', () => {
  expect(ALL.filter(({ cascadesFrom }) => cascadesFrom !== undefined)).toHaveLength(1);
});

test('a stream is read after the one that it cascades from, whose removals are tombstones', () => {
  const child = ALL.findIndex(({ cascadesFrom }) => cascadesFrom !== undefined);
  const { group, cascadesFrom, hasRowStates } = ALL[child]!;
  const parents = ALL.slice(0, child).find(({ name }) => name === cascadesFrom);
  expect(parents).toMatchObject({ group, tombstones: true, hasRowStates: true });
  expect(hasRowStates).toBe(true);
});
