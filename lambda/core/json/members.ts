/** The members at the top of a row, each as it is written: no value is made of them, so no digit is lost. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './codes.ts';

export interface RowMember {
  /** The name as it is written, with its quotes. */
  readonly name: string;
  /** Raw JSON text. */
  readonly value: string;
}

/** By name; of a name that comes twice the last counts, as in `JSON.parse`. */
export type RowMembers = ReadonlyMap<string, RowMember>;

/** @param text one JSON object, its grammar checked already */
export function rowMembers(text: string): RowMembers {
  const members = new Map<string, RowMember>();
  for (const { json, name, value } of membersOf(text)) members.set(name, { name: json, value });
  return members;
}

/** The members in their order. `json` is the name as it is written. */
function* membersOf(text: string): Generator<{ json: string; name: string; value: string }> {
  let at = text.indexOf('{') + 1;
  for (;;) {
    const open = text.indexOf('"', at);
    if (open < 0) return;
    const close = stringEnd(text, open);
    const start = valueStart(text, close);
    const end = valueEnd(text, start);
    const json = text.slice(open, close);
    yield { json, name: nameOf(json), value: text.slice(start, trimmed(text, end)) };
    at = end + 1;
  }
}

/**
 * The object without the members at these paths; every other value as it is written. A path ends where a value is no object.
 *
 * @param text one JSON object, its grammar checked already
 */
export function withoutMembers(text: string, paths: readonly (readonly string[])[]): string {
  const kept: string[] = [];
  let changed = false;
  for (const { json, name, value } of membersOf(text)) {
    const here = paths.filter(([first]) => first === name);
    if (here.some(path => path.length === 1)) {
      changed = true;
      continue;
    }
    const below = here.map(path => path.slice(1));
    const reduced = below.length > 0 && value.startsWith('{') ? withoutMembers(value, below) : value;
    changed ||= reduced !== value;
    kept.push(`${json}:${reduced}`);
  }
  return changed ? `{${kept.join(',')}}` : text;
}

/** Raw JSON text of each element. @param text one JSON array, its grammar checked already */
export function arrayElements(text: string): string[] {
  const elements: string[] = [];
  for (let at = 1; at < text.length; ) {
    while (isSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) === CLOSE_BRACKET) break;
    const end = valueEnd(text, at);
    elements.push(text.slice(at, trimmed(text, end)));
    at = end + 1;
  }
  return elements;
}

function nameOf(json: string): string {
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

/** @returns the place behind the closing quote */
function stringEnd(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at--;
  return (quote - at) % 2 === 0;
}

function valueStart(text: string, nameEnd: number): number {
  let at = nameEnd;
  while (text.charCodeAt(at) !== COLON) at++;
  at++;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** @returns the place of the comma, brace or bracket behind the value */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (depth === 0) {
      if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) return at;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    at++;
  }
}

function trimmed(text: string, end: number): number {
  let at = end;
  while (isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}
