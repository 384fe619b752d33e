/** docs/state.md names each member of the state table, and the history that breaks when the table forgets it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { historiesOf, play } from './explore.ts';
import { RULES } from './histories.ts';
import { Stage } from './language.ts';
import { forgetting, kindOf, membersOf } from './state.ts';

interface Documented {
  readonly kind: string;
  readonly member: string;
  readonly rule: string;
}

const DOCUMENTED = [...documented(readFileSync('docs/state.md', 'utf8'))];
const WITH_HISTORY = DOCUMENTED.filter(({ rule }) => RULES.some(({ name }) => name === rule));
/** Documented in one sentence, because every item has them. */
const EVERYWHERE = ['v', 'epoch', 'write_number'];

function* documented(page: string): Generator<Documented> {
  let heading = '';
  for (const line of page.split('\n')) {
    heading = /^## `(\w+)`$/.exec(line)?.[1] ?? heading;
    const [, kind, member, rule] = /^\| (?:(\w+) )?`([\w.]+)` \| .* \| (.*) \|$/.exec(line) ?? [];
    if (member !== undefined) yield { kind: kind ?? heading, member, rule: rule! };
  }
}

describe('docs/state.md', () => {
  test('names every member that a history stores', async () => {
    const stored = new Set<string>();
    const note = (item: Parameters<typeof membersOf>[0]) => {
      for (const member of membersOf(item)) if (!EVERYWHERE.includes(member)) stored.add(`${kindOf(item)} ${member}`);
      return item;
    };
    for (const { rule } of WITH_HISTORY)
      for (const words of await firstOf(rule)) await play(words, new Stage(words, note));
    const isNamed = (name: string) =>
      DOCUMENTED.some(({ kind, member }) => name === `${kind} ${member}` || name.startsWith(`${kind} ${member}.`));
    expect([...stored].filter(name => !isNamed(name))).toEqual([]);
  });

  test('names no history that does not exist', () => {
    expect(DOCUMENTED.filter(row => !WITH_HISTORY.includes(row)).map(({ member }) => member)).toEqual([
      'names',
      'refresh.started',
      'refresh.pages',
      'refresh.mark',
      'position',
      'requestsDue',
    ]);
  });

  test.each(WITH_HISTORY.map(({ kind, member, rule }) => [kind, member, rule] as const))(
    'without the member %s %s breaks the rule "%s"',
    async (kind, member, rule) => {
      const breaches: string[] = [];
      for (const words of await firstOf(rule, 40))
        if (breaches.length === 0) breaches.push(...(await play(words, new Stage(words, forgetting(kind, member)))));
      expect(breaches).not.toEqual([]);
    },
  );
});

async function firstOf(rule: string, most = 1): Promise<(readonly string[])[]> {
  const { line } = RULES.find(({ name }) => name === rule)!;
  const histories: (readonly string[])[] = [];
  for await (const words of historiesOf(line.split(' '))) if (histories.push(words) >= most) break;
  return histories;
}
