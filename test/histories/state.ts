/** Members of the items of the state table, and a table that forgets one of them. */
import type { Item } from '../../local/aws/table.ts';
import type { Keep } from './table.ts';

/**
 * Kind of an item, according to its keys: `checkpoint`, `log`, `row`, `child`, `removal`, `lease`
 * or `organization`.
 */
export function kindOf({ pk, sk }: Item): string {
  const [partition, sort] = [pk!.S!.split('#')[0]!, sk!.S!.split('#')[0]!];
  return partition === 'connector' ? sort : (KINDS[partition] ?? partition);
}

const KINDS: Readonly<Record<string, string>> = { children: 'child', removals: 'removal' };

/** The names of an item's members. Those of a checkpoint's state are `second.phase`. */
export function membersOf(item: Item): string[] {
  return Object.keys(item).flatMap(name => {
    if (name === 'pk' || name === 'sk') return [];
    return name === 'state' ? namesIn(JSON.parse(item['state']!.S!)) : [name];
  });
}

function namesIn(state: object, prefix = ''): string[] {
  return Object.entries(state).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? namesIn(value, `${prefix}${name}.`)
      : [prefix + name],
  );
}

/**
 * A table that does not store a member, or an attribute that an item must have as 0 or as an empty
 * text.
 */
export function forgetting(kind: string, member: string): Keep {
  return item => {
    if (kindOf(item) !== kind) return item;
    if (kind !== 'checkpoint' || item['state'] === undefined || member in item) return withoutAttribute(item, member);
    const state = JSON.parse(item['state'].S!);
    forget(state, member.split('.'));
    return { ...item, state: { S: JSON.stringify(state) } };
  };
}

function withoutAttribute(item: Item, member: string): Item {
  const { [member]: value, ...rest } = item;
  if (value?.N !== undefined) return { ...rest, [member]: { N: '0' } };
  if (value?.S !== undefined) return { ...rest, [member]: { S: '' } };
  if (value?.L !== undefined) return { ...rest, [member]: { L: [] } };
  return value?.B === undefined ? rest : { ...rest, [member]: { B: new Uint8Array() } };
}

// biome-ignore lint/suspicious/noExplicitAny: a state of any shape
function forget(state: any, [name = '', ...below]: readonly string[]): void {
  if (state[name] === undefined) return;
  if (below.length > 0) forget(state[name], below);
  else delete state[name];
}
