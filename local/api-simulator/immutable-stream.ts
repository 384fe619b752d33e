import { ProblemError } from './problem.ts';
import type { SimulatorSettings } from './settings.ts';
import { type StreamEntry, StreamLog } from './stream-log.ts';

/** A row that never changes. */
export interface ImmutableRow extends StreamEntry {
  readonly id: string;
  /** Time of the row in milliseconds since 1970. */
  readonly at: number;
  /** The time as it was given. If undefined, the time is written from `at`. */
  readonly timeText: string | undefined;
  /** The other members as text, joined by commas. A number is the index of a generated row. */
  readonly members: string | number;
}

/**
 * Rows that never change, ordered by their time, and by id if the times are equal. A late row takes
 * its place in the order, unless a list may have passed that place. Then the row is refused,
 * because no walk could deliver it.
 */
export class ImmutableStream {
  readonly log = new StreamLog<ImmutableRow>();
  readonly ids = new Set<string>();
  #pending: ImmutableRow[] = [];
  #lastShown: ImmutableRow | undefined;
  #lastTime = 0;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #settings: SimulatorSettings;

  constructor(clock: () => number, random: () => number, settings: SimulatorSettings) {
    this.#clock = clock;
    this.#random = random;
    this.#settings = settings;
  }

  /**
   * Adds a row. By default its time is now, or later if lists have already passed the present time.
   */
  put(id: string, timeText: string | undefined, members: string): void {
    if (this.ids.has(id)) throw new ProblemError('resource/conflict', 'These rows are immutable, and this id exists.');
    const at = timeText === undefined ? this.#defaultTime(id) : Date.parse(timeText);
    if (Number.isNaN(at)) throw new ProblemError('request/malformed', 'The time of the row must be an ISO 8601 time.');
    this.add({ seq: 0, id, at, timeText, members });
  }

  /** Adds a row whose members are already read. */
  add(row: ImmutableRow): void {
    if (this.#lastShown && inOrder(row, this.#lastShown) < 0) {
      throw new ProblemError('resource/conflict', 'Lists have passed this time: the row could never be delivered.');
    }
    this.ids.add(row.id);
    this.#pending.push(row);
    this.#lastTime = Math.max(this.#lastTime, row.at);
  }

  /** Puts every row that is no longer withheld into the order. It is called before each list. */
  placeDue(): void {
    if (this.#pending.length === 0) return;
    const { withholdMs } = this.#settings;
    const limit = withholdMs > 0 ? this.#clock() - withholdMs : Number.POSITIVE_INFINITY;
    const due = this.#pending.filter(row => row.at <= limit).sort(inOrder);
    this.#pending = this.#pending.filter(row => row.at > limit);
    for (const row of due) this.log.append(row);
    this.#lastShown = due.at(-1) ?? this.#lastShown;
  }

  /** Every row in order, including the rows that are withheld. */
  *all(): Generator<ImmutableRow> {
    yield* this.log.after(0);
    yield* [...this.#pending].sort(inOrder);
  }

  #defaultTime(id: string): number {
    const { tieSize } = this.#settings;
    const joins = tieSize > 1 && this.#random() < 1 - 1 / tieSize;
    const time = joins ? this.#lastTime : Math.max(Math.floor(this.#clock()), this.#lastTime);
    const passed = this.#lastShown && inOrder({ at: time, id }, this.#lastShown) < 0;
    return passed ? this.#lastShown!.at + 1 : time;
  }
}

type Place = Pick<ImmutableRow, 'at' | 'id'>;

function inOrder(a: Place, b: Place): number {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}
