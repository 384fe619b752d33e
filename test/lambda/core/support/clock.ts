import type { Clock } from '../../../../lambda/ports.ts';

/** Stands still until it is stepped; a sleep steps it and is noted. */
export class SteppedClock implements Clock {
  readonly sleeps: number[] = [];
  #now: number;

  constructor(start = '2026-11-20T09:15:00.412Z') {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  step(milliseconds: number): void {
    this.#now += milliseconds;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(milliseconds);
    this.step(milliseconds);
  }
}
