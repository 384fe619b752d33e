/**
 * A history breaks when the table forgets a member of its items. histories.test.ts proves that each
 * member is listed.
 */
import { describe, expect, test } from '@jest/globals';
import { historiesOf, play } from './explore.ts';
import { RULES, STATE_MEMBERS } from './histories.ts';
import { Stage } from './language.ts';
import { forgetting } from './state.ts';

const WITH_HISTORY = STATE_MEMBERS.flatMap(({ kind, member, rule }) =>
  rule === undefined ? [] : [[kind, member, rule] as const],
);

describe('the members of the state table', () => {
  test('every member in state-members.txt names an existing rule', () => {
    const names = RULES.map(({ name }) => name);
    expect(WITH_HISTORY.filter(([, , rule]) => !names.includes(rule))).toEqual([]);
  });

  test.each(WITH_HISTORY)('a run that forgets the member %s %s breaks the rule "%s"', async (kind, member, rule) => {
    const breaches: string[] = [];
    for await (const words of historiesOf(lineOf(rule))) {
      breaches.push(...(await play(words, new Stage(words, forgetting(kind, member)))));
      if (breaches.length > 0) break;
    }
    expect(breaches).not.toEqual([]);
  });
});

function lineOf(rule: string): readonly string[] {
  return RULES.find(({ name }) => name === rule)!.line.split(' ');
}
