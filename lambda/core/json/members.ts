/** Leaves members out of a row as text: no value is made of the others, so no digit is lost. */
import { TokenReader } from './token-reader.ts';

interface RowMember {
  /** The name as it is written, with its quotes. */
  readonly name: string;
  /** Raw JSON text. */
  readonly value: string;
}

/** The names of an object's members in their order, each as often as it comes. @param text one JSON object */
export function memberNames(text: string): string[] {
  return partsOf(text).map(nameOf);
}

/**
 * The object without the members at these paths; every other value as it is written. A path ends where a value is no object.
 *
 * @param text one JSON object, its grammar checked already
 */
export function withoutMembers(text: string, paths: readonly (readonly string[])[]): string {
  const kept: string[] = [];
  let changed = false;
  for (const member of partsOf(text)) {
    const name = nameOf(member);
    const here = paths.filter(([first]) => first === name);
    if (here.some(path => path.length === 1)) {
      changed = true;
      continue;
    }
    const below = here.map(path => path.slice(1));
    const { value } = member;
    const reduced = below.length > 0 && value.startsWith('{') ? withoutMembers(value, below) : value;
    changed ||= reduced !== value;
    kept.push(`${member.name}:${reduced}`);
  }
  return changed ? `{${kept.join(',')}}` : text;
}

function nameOf({ name }: RowMember): string {
  return name.includes('\\') ? JSON.parse(name) : name.slice(1, -1);
}

/** The members of an object in their order. */
function partsOf(text: string): RowMember[] {
  const tokens = readerOf(text);
  const parts: RowMember[] = [];
  tokens.next();
  tokens.parts((from, to) => {
    const start = tokens.at;
    tokens.skip();
    parts.push({ name: text.slice(from, to), value: text.slice(start, tokens.at) });
  });
  return parts;
}

/** One byte for each character, so that the places are those in the text. Whatever is not ASCII is within strings. */
function readerOf(text: string): TokenReader {
  const ascii = Buffer.byteLength(text) === text.length ? text : text.replace(/[^\0-\x7f]/g, 'x');
  if (ascii.length > READER.source.length) return new TokenReader(Buffer.from(ascii, 'latin1'));
  READER.source.write(ascii, 'latin1');
  READER.at = 0;
  return READER;
}

/** Used again and again: to make a reader takes as long as to read a row. What follows the text is never reached. */
const READER = new TokenReader(Buffer.alloc(16_384));
