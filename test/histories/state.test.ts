/** Each member of the state table is listed, and a history breaks when the table forgets it. */
import { describe, expect, test } from '@jest/globals';
import { historiesOf, play } from './explore.ts';
import { RULES, STATE_MEMBERS } from './histories.ts';
import { Stage } from './language.ts';
import { forgetting, kindOf, membersOf } from './state.ts';

const WITH_HISTORY = STATE_MEMBERS.flatMap(({ kind, member, rule }) =>
  rule === undefined ? [] : [[kind, member, rule] as const],
);
/** Every item has these. */
const EVERYWHERE = ['v', 'epoch', 'write_number'];

describe('the members of the state table', () => {
  test('every member of the state table that a history stores is in state-members.txt', async () => {
    const stored = new Set<string>();
    const note = (item: Parameters<typeof membersOf>[0]) => {
      for (const member of membersOf(item)) if (!EVERYWHERE.includes(member)) stored.add(`${kindOf(item)} ${member}`);
      return item;
    };
    for (const rule of new Set(WITH_HISTORY.map(([, , name]) => name))) {
      const { value: words } = await historiesOf(lineOf(rule)).next();
      await play(words, new Stage(words, note));
    }
    const isListed = (name: string) =>
      STATE_MEMBERS.some(({ kind, member }) => name === `${kind} ${member}` || name.startsWith(`${kind} ${member}.`));
    expect([...stored].filter(name => !isListed(name))).toEqual([]);
  });

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
