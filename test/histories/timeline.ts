/**
 * Virtual time: it stands still while the code runs, and jumps to the next timer once the code only
 * waits.
 */
interface Timer {
  readonly time: number;
  readonly happen: () => void;
}

/** Code that yields to the event loop goes on within so many of its turns. */
const TURNS = 2;

export class Timeline {
  now: number;
  /** Rises with everything that the code does to the world around it. */
  #activity = 0;
  /** The earliest first. Timers of one time happen in the order in which they were set. */
  readonly #timers: Timer[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** @returns a function that removes the timer again */
  after(milliseconds: number, happen: () => void): () => void {
    this.stir();
    const timer = { time: this.now + milliseconds, happen };
    let place = this.#timers.length;
    while (place > 0 && this.#timers[place - 1]!.time > timer.time) place--;
    this.#timers.splice(place, 0, timer);

    return () => {
      const found = this.#timers.indexOf(timer);
      if (found >= 0) this.#timers.splice(found, 1);
    };
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      this.after(milliseconds, resolve);
    });
  }

  /** Notes that the code has asked for something. */
  stir(): void {
    this.#activity++;
  }

  /** Lets time pass until `done`. */
  async until(done: () => boolean): Promise<void> {
    await this.#codeWaits();
    while (!done()) {
      const timer = this.#timers.shift();
      if (!timer) throw new Error('The code waits for something that is neither a request nor a timer');
      await this.#fire(timer);
    }
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    while (this.#timers[0] && this.#timers[0].time <= end) await this.#fire(this.#timers.shift()!);
    this.now = end;
  }

  async #fire({ time, happen }: Timer): Promise<void> {
    this.now = Math.max(this.now, time);
    happen();
    await this.#codeWaits();
  }

  /** Code that needs no timer and no request runs on, also over a turn of the event loop or two. */
  async #codeWaits(): Promise<void> {
    let before: number;
    do {
      before = this.#activity;
      for (let turn = 0; turn < TURNS; turn++) await turnOfEventLoop();
    } while (this.#activity !== before);
  }
}

function turnOfEventLoop(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}
