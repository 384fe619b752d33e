/**
 * JSON as a tree of texts, because `JSON.parse` followed by `JSON.stringify` would change some
 * numbers and member names.
 */
export type JsonNode = string | { readonly object: readonly JsonMember[] } | { readonly array: readonly JsonNode[] };

/** A member of an object. Its value is as it was written, and `key` is its decoded name. */
export interface JsonMember {
  readonly key: string;
  readonly value: JsonNode;
}

const TOKEN = /\s*([{}[\],:]|"(?:[^"\\]+|\\.)*"|[^\s{}[\],:"]+)/y;

/**
 * Reads a JSON text into a tree whose leaves are as they were written. Throws a SyntaxError if the
 * text is not JSON.
 */
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
    members.push({ key: JSON.parse(name) as string, value: readNode(next(), next) });
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
