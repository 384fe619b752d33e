import { describe, expect, test } from '@jest/globals';
import { ROW_MEMBERS, STREAMS, type Stream } from '../../lambda/streams.ts';

const [ASSETS, THREATS, DNS_BLOCKS]: readonly Stream[] = STREAMS;

test('the table of streams is one that the connector can work by', () => {
  expect(streamProblems(STREAMS)).toEqual([]);
});

describe('the check of the table refuses', () => {
  test.each<[string, readonly Stream[], RegExp]>([
    [
      'a second stream that cascades, whose withdrawals would get lost',
      [...STREAMS, { ...THREATS!, name: 'users' }],
      /threats and users cascade .* rows of the second would never be withdrawn/,
    ],
    ['two streams of one name', [...STREAMS, DNS_BLOCKS!], /Two streams are named dns-blocks/],
    ['a stream that is read before the one that it cascades from', [THREATS!, ASSETS!], /would be read first/],
    ['a parent in another group', [{ ...ASSETS!, group: 'a' }, THREATS!], /would be read first/],
    ['a parent without tombstones', [{ ...ASSETS!, tombstones: false }, THREATS!], /nothing is ever withdrawn/],
    ['a child without row states', [ASSETS!, { ...THREATS!, hasRowStates: false }], /need row states/],
    ['a stream with neither path nor option', [{ ...ASSETS!, path: undefined } as unknown as Stream], /either a path/],
    ['a member for the time that an option could name too', [{ ...ASSETS!, timeMember: 'seen' }], /ROW_MEMBERS/],
  ])('%s', (_, streams, reason) => {
    expect(streamProblems(streams)).toEqual([expect.stringMatching(reason)]);
  });
});

/** What is wrong with a table of streams. */
function streamProblems(streams: readonly Stream[]): string[] {
  const names = streams.map(({ name }) => name);
  const children = streams.filter(({ cascadesFrom }) => cascadesFrom !== undefined);
  return [
    ...names.filter((name, at) => names.indexOf(name) < at).map(name => `Two streams are named ${name}.`),
    ...streams
      .filter(({ timeMember }) => !(ROW_MEMBERS as readonly string[]).includes(timeMember))
      .map(
        ({ name, timeMember }) =>
          `${name}: ${timeMember} is not one of ROW_MEMBERS, so an option could give it another meaning.`,
      ),
    ...streams
      .filter(({ path, pathOption }) => (path === undefined) === (pathOption === undefined))
      .map(({ name }) => `${name} needs either a path or a pathOption.`),
    ...children.flatMap(child => cascadeProblems(child, streams)),
    ...(children.length > 1
      ? [
          `${children.map(({ name }) => name).join(' and ')} cascade from other streams. Only one can: the first child clears the list of ` +
            'removals, so rows of the second would never be withdrawn, and one option names the member of the parent.',
        ]
      : []),
  ];
}

function cascadeProblems({ name, group, cascadesFrom, hasRowStates }: Stream, streams: readonly Stream[]): string[] {
  const before = streams.slice(
    0,
    streams.findIndex(each => each.name === name),
  );
  const parents = before.find(each => each.name === cascadesFrom && each.group === group);
  if (!parents)
    return [`${name} cascades from ${cascadesFrom}, which is not before it in its group, so it would be read first.`];
  if (!parents.tombstones)
    return [`${name} cascades from ${cascadesFrom}, which has no tombstones, so nothing is ever withdrawn.`];
  return parents.hasRowStates && hasRowStates
    ? []
    : [`${name} and ${cascadesFrom} need row states, by which rows are withdrawn.`];
}
