/** Virtual time: events happen in the order of their times, and between two of them the code runs until it waits. */
interface Event {
  readonly time: number;
  readonly command: number;
  readonly happen: () => void;
}

export class Timeline {
  #now: number;
  #command = 0;
  /** A binary heap, earliest first. */
  readonly #events: Event[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  get now(): number {
    return this.#now;
  }

  after(milliseconds: number, happen: () => void): void {
    const event = { time: this.#now + milliseconds, command: this.#command++, happen };
    this.#events.push(event);
    this.#up(this.#events.length - 1);
  }

  /** Lets time pass until `done`, or until nothing is left to happen. */
  async runUntil(done: () => boolean): Promise<void> {
    await quiet();
    while (!done()) {
      const event = this.#pop();
      if (!event) return;
      this.#now = event.time;
      event.happen();
      await quiet();
    }
  }

  async pass(milliseconds: number): Promise<void> {
    let passed = false;
    this.after(milliseconds, () => {
      passed = true;
    });
    await this.runUntil(() => passed);
  }

  #pop(): Event | undefined {
    const first = this.#events[0];
    const last = this.#events.pop();
    if (first && last && first !== last) {
      this.#events[0] = last;
      this.#down(0);
    }
    return first;
  }

  #up(index: number): void {
    const parent = (index - 1) >> 1;
    if (index === 0 || before(this.#events[parent]!, this.#events[index]!)) return;
    this.#swap(index, parent);
    this.#up(parent);
  }

  #down(index: number): void {
    let first = index;
    for (const child of [2 * index + 1, 2 * index + 2]) {
      if (child < this.#events.length && before(this.#events[child]!, this.#events[first]!)) first = child;
    }
    if (first === index) return;
    this.#swap(index, first);
    this.#down(first);
  }

  #swap(one: number, other: number): void {
    [this.#events[one], this.#events[other]] = [this.#events[other]!, this.#events[one]!];
  }
}

function before(one: Event, other: Event): boolean {
  return one.time < other.time || (one.time === other.time && one.command < other.command);
}

/** Microtasks run to their end before the next turn of the event loop. */
function quiet(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}
