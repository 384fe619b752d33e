import { createRandom } from '../../local/platform/random.ts';

/** Seeded randomness: the same seed gives the same history on every machine. */
export class Random {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = createRandom(seed);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(options: readonly T[]): T {
    return options[this.int(0, options.length - 1)]!;
  }

  seed(): number {
    return this.int(0, 0x7fffffff);
  }
}
