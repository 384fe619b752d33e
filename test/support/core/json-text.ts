/** Arbitrary JSON as a tree, and the many ways to write it. */
import fc from 'fast-check';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { anyCharacter } from '../any-character.ts';

export type Json =
  | { readonly raw: string }
  | { readonly string: string }
  | { readonly items: readonly Json[] }
  | { readonly members: readonly Member[] };
/** A name may occur several times. */
export type Member = readonly [name: string, value: Json];

export interface Style {
  /** White space between two tokens. */
  space(): string;
  /** A string with its quotes. */
  quote(text: string): string;
  arrange(members: readonly Member[]): readonly Member[];
}

const HARD_NUMBERS = [
  '9007199254740993',
  '1.0',
  '1e400',
  '-0',
  '0',
  '-0.0',
  '1E+2',
  '1e-7',
  '123456789012345678901234',
];
const HARD_NAMES = [
  '__proto__',
  'constructor',
  '',
  'toString',
  'row',
  'next_cursor',
  'a',
  'b',
  '2',
  '10',
  '\u2028',
  '"',
];

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('\ud800', 'x\udfff', '\u2028\u2029', '\\', '"', ',"row":', '\r\n', '/', '\u007f\u0085'),
);
const number = fc.oneof(
  fc.constantFrom(...HARD_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(each => JSON.stringify(each)),
);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.record({ raw: number }),
  fc.record({ raw: fc.constantFrom('true', 'false', 'null') }),
  fc.record({ string: text }),
);
export const memberName = fc.oneof(fc.constantFrom(...HARD_NAMES), text);

export const { value: json } = fc.letrec<{ value: Json; array: Json; object: Json }>(tie => ({
  value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, scalar, tie('array'), tie('object')),
  array: fc.record({ items: fc.array(tie('value'), { maxLength: 4 }) }),
  object: fc.record({ members: fc.array(fc.tuple(memberName, tie('value')), { maxLength: 5 }) }),
}));

export const PLAIN: Style = { space: () => '', quote: each => JSON.stringify(each), arrange: each => each };

/**
 * Another way to write the same value, chosen by the seed. Names that occur twice keep their order.
 */
export function styleOf(seed: number, spaces: readonly string[] = ['', ' ', '\n', '\r\n    ', '\t', '\r']): Style {
  const random = createRandom(seed);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
  return {
    space: () => pick(spaces),
    quote: each => `"${Array.from(each, character => written(character, random)).join('')}"`,
    arrange: members => {
      const ranks = new Map(members.map(([name]) => [name, random()]));
      return members.toSorted(([one], [other]) => ranks.get(one)! - ranks.get(other)!);
    },
  };
}

export function write(value: Json, style: Style): string {
  const { space } = style;
  if ('raw' in value) return value.raw;
  if ('string' in value) return style.quote(value.string);
  if ('items' in value) {
    const items = value.items.map(each => `${space()}${write(each, style)}${space()}`);
    return `[${items.join(',') || space()}]`;
  }
  const members = style
    .arrange(value.members)
    .map(([name, each]) => `${space()}${style.quote(name)}${space()}:${space()}${write(each, style)}${space()}`);
  return `{${members.join(',') || space()}}`;
}

/** The text without the white space between its tokens. */
export function tokens(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, (_, string: string | undefined) => string ?? '');
}

/**
 * A form that two trees share only when they mean the same: members sorted, those of one name in
 * the order sent.
 */
export function normal(value: Json): unknown {
  if ('raw' in value) return value.raw;
  if ('string' in value) return { string: value.string };
  if ('items' in value) return value.items.map(normal);
  const sorted = value.members.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return { members: sorted.map(([name, each]) => [name, normal(each)]) };
}

/** A character, escaped or not; a lone surrogate cannot be in an answer unescaped. */
function written(character: string, random: () => number): string {
  if (character === '/' && random() < 0.5) return '\\/';
  if (random() < 0.6) return JSON.stringify(character).slice(1, -1);
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const digits = units.map(each => each.toString(16).padStart(4, '0'));
  return digits.map(each => `\\u${random() < 0.5 ? each : each.toUpperCase()}`).join('');
}
