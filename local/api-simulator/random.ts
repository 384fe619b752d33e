// `imul` is looked up once, because looking up a global for each number is slow in jest's contexts.
const { imul } = Math;

/** Random numbers in [0,1) (mulberry32). The same seed gives the same numbers. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Derives a seed for each index, so that neighbouring indexes give unrelated numbers. */
export function mixSeed(seed: number, index: number): number {
  const mixed = imul(seed ^ imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}
