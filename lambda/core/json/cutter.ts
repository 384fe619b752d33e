/**
 * Cuts a list answer's text into its parts without making values of them, in one pass.
 *
 * `JSON.parse` then `JSON.stringify` would change rows: integers beyond 2^53, `1.0`, `1e400`, `-0`, members named
 * `__proto__`. So a row stays the slice of text that the API sent. The same pass checks the grammar (RFC 8259) and
 * builds each row's canonical text, from which its row hash is made:
 *
 *     sent        {"b": 1.0,  "a": "é", "stream_position": 7}
 *     text        {"b": 1.0,  "a": "é", "stream_position": 7}      goes into the event
 *     canonical   {"a":"\u00e9","b":1.0}                          the same for every order of members and all white space,
 *                                                                 another one for `1` instead of `1.0`
 */
import { JsonError } from '../errors.ts';
import { OPEN_BRACE, OPEN_BRACKET } from './codes.ts';
import { type RowShapes, rowShapes, type Shape, type ShapeRules } from './shape.ts';
import { TokenReader } from './token-reader.ts';
import { DepthError, ValueReader } from './value-reader.ts';

/** An element of an array at the top of the answer. Its texts are made when they are asked for: few of them ever are. */
export interface CutElement {
  /** Its place among the bytes. */
  readonly start: number;
  readonly end: number;
  readonly isObject: boolean;
  /** Why there is no canonical text of it. Such an element is known by its bytes alone. */
  readonly fault?: CutFault | undefined;
  /** The element as it was sent. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The element with members sorted and white space gone, in ASCII; the excluded member is left out. */
  readonly canonical: string;
  /** Canonical text of the excluded member's value. */
  readonly excluded: string | undefined;
  /** Raw JSON text of a wanted member, by its place among them; the last occurrence counts. */
  wanted(place: number): string | undefined;
}

/** A string of it is not UTF-8; or it is nested too deep. */
export type CutFault = 'not-utf-8' | 'too-deep';

/** A member of the answer's top object. */
export interface CutMember {
  readonly name: string;
  /** The place of its value among the bytes. */
  readonly start: number;
  readonly end: number;
  /** Present when the member is an array: its first `mostElements` elements. */
  readonly elements?: readonly CutElement[];
  /** How many elements the array has; 0 for any other value. */
  readonly length: number;
}

export interface CutOptions {
  /** Members of each element whose raw text may be asked for. */
  readonly wanted: readonly string[];
  /** Member left out of an element's canonical text. */
  readonly excluded: string;
}

/** What an answer may ask of memory, however it is made. */
export interface CutBounds {
  /** Elements of an array that are kept; those beyond are counted. @default all */
  readonly mostElements?: number;
  /** Members of the top object. @default any number */
  readonly mostMembers?: number;
  /** Bytes of a member's name in the top object. @default any number */
  readonly longestName?: number;
}

/** The text may be JSON, but exceeds a bound. */
export class CutBoundError extends Error {
  override readonly name = 'CutBoundError';
}

/** @throws JsonError when it is not one JSON object, or not UTF-8 outside the elements; CutBoundError */
export function cutBody(source: Uint8Array, options: CutOptions, bounds: CutBounds = {}): CutMember[] {
  const { mostElements = Number.POSITIVE_INFINITY, mostMembers, longestName = Number.POSITIVE_INFINITY } = bounds;
  const { root: row, room } = shapesFor(options);
  const reader = new ValueReader(source, room);
  const { tokens } = reader;
  const members: CutMember[] = [];
  if (tokens.next() !== OPEN_BRACE) tokens.fail('No JSON object');
  tokens.parts((from, to) => {
    if (members.length === mostMembers) throw new CutBoundError(`more than ${mostMembers} members`);
    if (to - from - '""'.length > longestName)
      throw new CutBoundError(`a member's name longer than ${longestName} bytes`);
    const name: string = JSON.parse(tokens.source.toString('utf8', from, to));
    const start = tokens.at;
    const elements: CutElement[] | undefined = tokens.code === OPEN_BRACKET ? [] : undefined;
    let length = 0;
    if (!elements) tokens.skip();
    else
      tokens.parts(() => {
        // An answer of 16 MiB can hold millions of elements.
        if (length++ < mostElements) elements.push(cutElement(reader, row, options.wanted.length));
        else tokens.skip();
      });
    members.push({ name, start, end: tokens.at, ...(elements && { elements }), length });
  });
  tokens.next();
  if (tokens.at < source.length) tokens.fail('Text after the end of the JSON object');
  if (tokens.malformed >= 0) throw new JsonError('Bytes that are not UTF-8', tokens.malformed);
  return members;
}

function cutElement(reader: ValueReader, row: Shape, count: number): CutElement {
  const { tokens } = reader;
  const isObject = tokens.code === OPEN_BRACE;
  const start = tokens.at;
  const places: number[] = new Array(2 * count).fill(0);
  tokens.end = 0;
  reader.excluded = undefined;
  let fault: CutFault | undefined;
  const { malformed } = tokens;
  try {
    if (isObject) reader.object(row, 2, places);
    else reader.value(row, 2);
  } catch (error) {
    if (!(error instanceof DepthError)) throw error;
    fault = 'too-deep';
    tokens.at = start;
    tokens.skip();
  }
  if (tokens.malformed !== malformed) fault = 'not-utf-8';
  tokens.malformed = malformed;
  return new ElementOf(tokens, start, isObject, fault, reader.excluded, places);
}

class ElementOf implements CutElement {
  readonly start: number;
  readonly end: number;
  readonly isObject: boolean;
  readonly fault: CutFault | undefined;
  readonly canonical: string;
  readonly excluded: string | undefined;
  readonly #source: Buffer;
  readonly #places: readonly number[];

  constructor(
    tokens: TokenReader,
    start: number,
    isObject: boolean,
    fault: CutFault | undefined,
    excluded: string | undefined,
    places: readonly number[],
  ) {
    this.start = start;
    this.end = tokens.at;
    this.isObject = isObject;
    this.fault = fault;
    this.canonical = fault ? '' : tokens.canonical(0);
    this.excluded = excluded;
    this.#source = tokens.source;
    this.#places = places;
  }

  get text(): string {
    return this.#source.toString('utf8', this.start, this.end);
  }

  get bytes(): Uint8Array {
    return this.#source.subarray(this.start, this.end);
  }

  wanted(place: number): string | undefined {
    const end = this.#places[2 * place + 1]!;
    return end === 0 ? undefined : this.#source.toString('utf8', this.#places[2 * place]!, end);
  }
}

/** Pages and runs of a stream have rows of the same shapes: a cache, which changes no result. */
const remembered = new Map<string, RowShapes>();

function shapesFor(options: CutOptions): RowShapes {
  const key = JSON.stringify(options);
  let shapes = remembered.get(key);
  // Full: what is there may be names that never come again.
  if (!shapes || shapes.room.shapes <= 0) {
    shapes = rowShapes(rules(options));
    remembered.set(key, shapes);
  }
  return shapes;
}

function rules({ wanted, excluded }: CutOptions): ShapeRules {
  return { wanted: new Map(wanted.map((name, index) => [keyOf(name), index])), excluded: keyOf(excluded) };
}

/** A member's name as the canonical text writes it, with its colon. */
function keyOf(name: string): string {
  const tokens = new TokenReader(Buffer.from(JSON.stringify(name)));
  tokens.string();
  return `${tokens.canonical(0)}:`;
}
