/**
 * JSON as a tree of texts. `JSON.parse` followed by `JSON.stringify` would change some numbers and member names.
 */
export type JsonNode = string | { readonly object: readonly JsonMember[] } | { readonly array: readonly JsonNode[] };

/** A member with its name and value as written; `key` is the name decoded. */
export interface JsonMember {
  readonly key: string;
  readonly name: string;
  readonly value: JsonNode;
}

const TOKEN = /\s*([{}[\],:]|"(?:[^"\\]+|\\.)*"|[^\s{}[\],:"]+)/y;

/** The tree of a JSON text, its leaves as written. Throws a SyntaxError if the text is not JSON. */
export function readJson(text: string): JsonNode {
  JSON.parse(text);
  let at = 0;
  const next = (): string => {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[1] ?? '';
    at = TOKEN.lastIndex;
    return token;
  };
  return readNode(next(), next);
}

function readNode(token: string, next: () => string): JsonNode {
  if (token === '{') return { object: readMembers(next) };
  if (token === '[') return { array: readElements(next) };
  return token;
}

function readMembers(next: () => string): JsonMember[] {
  const members: JsonMember[] = [];
  for (let name = next(); name !== '}'; name = next()) {
    if (name === ',') continue;
    next();
    members.push({ key: JSON.parse(name) as string, name, value: readNode(next(), next) });
  }
  return members;
}

function readElements(next: () => string): JsonNode[] {
  const elements: JsonNode[] = [];
  for (let token = next(); token !== ']'; token = next()) {
    if (token !== ',') elements.push(readNode(token, next));
  }
  return elements;
}

export interface Layout {
  /** Spaces for each level; 0 = everything on one line. */
  readonly indent: number;
  /** Given the members of an object, the order to write them in. */
  readonly order?: (members: readonly JsonMember[]) => readonly JsonMember[];
}

/** Writes a tree. Leaves are unchanged. */
export function writeJson(node: JsonNode, layout: Layout = { indent: 0 }, depth = 1): string {
  if (typeof node === 'string') return node;
  const colon = layout.indent > 0 ? ': ' : ':';
  if ('array' in node) {
    return enclose(
      '[]',
      node.array.map(element => writeJson(element, layout, depth + 1)),
      layout.indent,
      depth,
    );
  }
  const members = layout.order?.(node.object) ?? node.object;
  const texts = members.map(member => `${member.name}${colon}${writeJson(member.value, layout, depth + 1)}`);
  return enclose('{}', texts, layout.indent, depth);
}

function enclose(brackets: string, parts: readonly string[], indent: number, depth: number): string {
  if (indent === 0 || parts.length === 0) return brackets[0] + parts.join(',') + brackets[1];
  const line = `\n${' '.repeat(indent * depth)}`;
  return `${brackets[0]}${line}${parts.join(`,${line}`)}\n${' '.repeat(indent * (depth - 1))}${brackets[1]}`;
}

/** A new random order for every object. Objects with a repeated name keep theirs, because the last member counts. */
export function shuffled(random: () => number): (members: readonly JsonMember[]) => readonly JsonMember[] {
  return members => {
    if (new Set(members.map(member => member.key)).size < members.length) return members;
    const result = [...members];
    for (let last = result.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [result[last], result[other]] = [result[other]!, result[last]!];
    }
    return result;
  };
}
