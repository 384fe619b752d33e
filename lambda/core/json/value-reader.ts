/** Reads JSON values and writes their canonical text: the tokens' canonical forms, the members of each object sorted. */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './codes.ts';
import type { Room, Shape } from './shape.ts';
import { TokenReader } from './token-reader.ts';

/** The walk over nested values is recursive, and the call stack is not ours to overflow. */
const MAX_DEPTH = 512;

/** A value is nested deeper than it may be for its canonical text. */
export class DepthError extends Error {
  override readonly name = 'DepthError';
}

/** Bytes beyond which a call that copies them is faster than a loop over words. */
const LONG = 64;
/** Room for what `repeat` may spoil. */
const SPOILT = 3;

export class ValueReader {
  readonly tokens: TokenReader;
  /** Canonical text of the excluded member's value, the last that was read. */
  excluded: string | undefined = undefined;
  readonly #room: Room;
  /** A stack of where the members of the objects at hand begin in the canonical text. */
  #begins = new Int32Array(64);
  #begun = 0;

  /** @param room for the shapes that are met */
  constructor(source: Uint8Array, room: Room) {
    this.tokens = new TokenReader(source);
    this.#room = room;
  }

  /** Reads the value at hand. @param member shape of the member that the value belongs to */
  value(member: Shape, depth: number): void {
    const { tokens } = this;
    const { code } = tokens;
    if (code === QUOTE) tokens.string();
    else if (code === OPEN_BRACE) this.object(member.objects, depth);
    else if (code === OPEN_BRACKET) this.#array(member, depth);
    else tokens.scalar();
  }

  /** @param places of an object that is in no other: receives start and end of each value that the shapes ask for */
  object(root: Shape, depth: number, places?: number[]): void {
    const { tokens } = this;
    if (depth > MAX_DEPTH) throw new DepthError(`Nesting deeper than ${MAX_DEPTH}`);
    // An object that was too deep left its own behind.
    if (places) this.#begun = 0;
    const base = this.#begun;
    const start = tokens.end + 1;
    tokens.copy();
    let shape = root;
    if (tokens.next() !== CLOSE_BRACE) {
      shape = this.#member(shape, depth + 1, places);
      while (tokens.next() === COMMA) {
        tokens.at++;
        tokens.next();
        shape = this.#member(shape, depth + 1, places);
      }
      if (tokens.code !== CLOSE_BRACE) tokens.fail('An object without its end');
    }
    tokens.at++;
    if (tokens.end === start) tokens.end++;
    else this.#arrange(start, base, shape.order);
    tokens.written[tokens.end - 1] = CLOSE_BRACE;
    this.#begun = base;
  }

  /** Each member is written with a comma at its end, so that members can change places; the last comma becomes the brace. */
  #member(before: Shape, depth: number, places: number[] | undefined): Shape {
    const { tokens } = this;
    const begin = tokens.end;
    const member = this.#name(before);
    tokens.next();
    const start = tokens.at;
    this.value(member, depth);
    if (places && member.wanted >= 0) {
      places[2 * member.wanted] = start;
      places[2 * member.wanted + 1] = tokens.at;
    }
    if (member.excluded) {
      this.excluded = tokens.canonical(begin + member.key.length);
      tokens.end = begin;
      return member;
    }
    tokens.written[tokens.end++] = COMMA;
    if (this.#begun + 1 === this.#begins.length) this.#begins = twice(this.#begins);
    this.#begins[this.#begun++] = begin;
    return member;
  }

  /** Reads a member's name and colon. The name that came here last time is recognised by its bytes. */
  #name(before: Shape): Shape {
    const { tokens } = this;
    const { following } = before;
    if (following && tokens.copyIf(following.bytes)) return following;
    if (tokens.code !== QUOTE) tokens.fail('A member without a name');
    const from = tokens.end;
    tokens.string();
    if (tokens.next() !== COLON) tokens.fail('A member without a colon');
    tokens.copy();
    return before.follow(tokens.canonical(from), this.#room);
  }

  #array(member: Shape, depth: number): void {
    const { tokens } = this;
    if (depth > MAX_DEPTH) throw new DepthError(`Nesting deeper than ${MAX_DEPTH}`);
    tokens.copy();
    if (tokens.next() !== CLOSE_BRACKET) {
      this.value(member, depth + 1);
      while (tokens.next() === COMMA) {
        tokens.copy();
        tokens.next();
        this.value(member, depth + 1);
      }
      if (tokens.code !== CLOSE_BRACKET) tokens.fail('An array without its end');
    }
    tokens.copy();
  }

  /** Puts the members written since `start` in order: first behind the text, then over it. */
  #arrange(start: number, base: number, order: Int32Array): void {
    if (order.length === 0) return;
    const { tokens } = this;
    const begins = this.#begins;
    tokens.makeRoom(tokens.end - start + SPOILT);
    const { written, end } = tokens;
    begins[base + order.length] = end;
    let to = end;
    for (let i = 0; i < order.length; i++) {
      const from = begins[base + order[i]!]!;
      const stop = begins[base + order[i]! + 1]!;
      if (stop - from > LONG) written.copyWithin(to, from, stop);
      else tokens.repeat(from, stop, to);
      to += stop - from;
    }
    written.copyWithin(start, end, to);
  }
}

function twice(full: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(full.length * 2);
  larger.set(full);
  return larger;
}
