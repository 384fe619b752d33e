/** Bytes taken four at a time, as words of 32 bits: what comes in long runs is read and written several times faster. */
/** Bytes of a word. */
export const WORD = 4;

/** Bytes to be compared with the text at hand, word by word; the last word ends where they end. */
export interface Bytes {
  readonly length: number;
  readonly words: Int32Array;
}

export function bytesOf(text: string): Bytes {
  const bytes = Buffer.from(text, 'latin1');
  const { length } = bytes;
  const words = new Int32Array(length < WORD ? 0 : Math.ceil(length / WORD));
  for (let i = 0; i < words.length; i++) words[i] = bytes.readInt32LE(Math.min(i * WORD, length - WORD));
  return { length, words };
}

/** Whether each of four bytes stands for itself: neither quote nor backslash (which would be zero), below 0x20 nor above 0x7e. */
export function isPlain(word: number): boolean {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const zeros = ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return ((zeros | (word - 0x20202020) | (word + 0x01010101)) & 0x80808080) === 0;
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
