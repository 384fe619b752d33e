/** Reads the answer of `GET …/truth` entry by entry, so that a million rows are never in memory at once. */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../lambda/core/json/codes.ts';

export interface TruthEntry {
  readonly stream: string;
  readonly id: string;
  /** The row's JSON text. */
  readonly row: string;
}

const STREAM_DEPTH = 1;
const ROW_DEPTH = 3;

/** @param body JSON text, `{"<stream>":{"<id>":{…}, …}, …}` */
export async function* entriesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<TruthEntry, void, void> {
  const reader = new TruthReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const part of body) yield* reader.read(decoder.decode(part, { stream: true }));
  if (!reader.isComplete) throw new Error('The truth ended before its end');
}

class TruthReader {
  #text = '';
  #at = 0;
  #depth = 0;
  /** Where the current string or row begins; -1 outside of one. */
  #stringStart = -1;
  #rowStart = -1;
  #escaped = false;
  #stream = '';
  #id = '';
  /** Whether the object at the top has been read to its end. */
  isComplete = false;

  *read(piece: string): Generator<TruthEntry, void, void> {
    this.#dropRead();
    this.#text += piece;
    for (; this.#at < this.#text.length; this.#at++) {
      const entry = this.#step(this.#text.charCodeAt(this.#at));
      if (entry) yield entry;
    }
  }

  #step(code: number): TruthEntry | undefined {
    if (this.#stringStart >= 0) this.#inString(code);
    else if (code === QUOTE) this.#stringStart = this.#at;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++this.#depth === ROW_DEPTH) this.#rowStart = this.#at;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (this.#depth-- === ROW_DEPTH) return this.#row();
      this.isComplete = this.#depth === 0;
    }
    return undefined;
  }

  #inString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) {
      if (this.#depth < ROW_DEPTH) this.#named(JSON.parse(this.#text.slice(this.#stringStart, this.#at + 1)));
      this.#stringStart = -1;
    }
  }

  #named(name: string): void {
    if (this.#depth === STREAM_DEPTH) this.#stream = name;
    else this.#id = name;
  }

  #row(): TruthEntry {
    const row = this.#text.slice(this.#rowStart, this.#at + 1);
    this.#rowStart = -1;
    return { stream: this.#stream, id: this.#id, row };
  }

  /** Keeps what is still being read. */
  #dropRead(): void {
    const starts = [this.#stringStart, this.#rowStart].filter(each => each >= 0);
    const from = Math.min(this.#at, ...starts);
    this.#text = this.#text.slice(from);
    this.#at -= from;
    if (this.#stringStart >= 0) this.#stringStart -= from;
    if (this.#rowStart >= 0) this.#rowStart -= from;
  }
}
