/** @returns undefined for a text that is not a JSON object */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** A string, or a character on which the structure depends. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
/** The part of a member before its value. */
const NAME = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*/;

/**
 * Sets members of a JSON object within its text. Every other value stays as it is written, because a parsed and printed number loses
 * digits.
 *
 *     withMembers('{"a": 1.0, "b": 2}', { b: 'x', c: 'y' })  →  '{"a": 1.0, "b": "x", "c": "y"}'
 *
 * @param object text of a JSON object
 */
export function withMembers(object: string, values: Readonly<Record<string, string>>): string {
  const [first, last] = [object.indexOf('{') + 1, object.lastIndexOf('}')];
  const missing = new Set(Object.keys(values));

  const members = membersOf(object.slice(first, last)).map(member => {
    const [start, key = ''] = NAME.exec(member)!;
    const name: string = JSON.parse(key);
    if (!Object.hasOwn(values, name)) return member;
    missing.delete(name);
    return `${start}${JSON.stringify(values[name])}${member.slice(member.trimEnd().length)}`;
  });

  const added = [...missing].map((name, at) => {
    const space = at === 0 && members.length === 0 ? '' : ' ';
    return `${space}${JSON.stringify(name)}: ${JSON.stringify(values[name])}`;
  });
  return `${object.slice(0, first)}${[...members, ...added].join(',')}${object.slice(last)}`;
}

/** The text of each member, without the commas between them. */
function membersOf(inner: string): string[] {
  if (inner.trim() === '') return [];
  const members: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of inner.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    if (token !== ',' || depth > 0) continue;
    members.push(inner.slice(start, index));
    start = index + 1;
  }
  return [...members, inner.slice(start)];
}
