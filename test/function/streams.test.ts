import { expect, test } from '@jest/globals';
import { RESERVED_ROW_MEMBERS, STREAMS, type Stream } from '../../lambda/streams.ts';

const ALL: readonly Stream[] = STREAMS;

test('every stream has either a fixed path or an option for its path', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  for (const { path, pathOption } of ALL) expect(path === undefined).toBe(pathOption !== undefined);
});

test('an option cannot give another meaning to the member with the time of a row', () => {
  expect(RESERVED_ROW_MEMBERS).toEqual(expect.arrayContaining(ALL.map(({ timeMember }) => timeMember)));
});

test('only one stream has cascadesFrom, because the first child stream clears the list of removals', () => {
  expect(ALL.filter(({ cascadesFrom }) => cascadesFrom !== undefined)).toHaveLength(1);
});

test('a child stream is read after its parent stream, and only a stream with tombstones is a parent', () => {
  const child = ALL.findIndex(({ cascadesFrom }) => cascadesFrom !== undefined);
  const { group, cascadesFrom, hasRowStates } = ALL[child]!;
  const parents = ALL.slice(0, child).find(({ name }) => name === cascadesFrom);
  expect(parents).toMatchObject({ group, tombstones: true, hasRowStates: true });
  expect(hasRowStates).toBe(true);
});
