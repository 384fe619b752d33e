import { ProblemError } from './problem.ts';
import { cutControlRow, type RowInput } from './rows.ts';
import { type Entry, StreamLog } from './stream-log.ts';

/** An immutable record. */
export interface DnsBlock extends Entry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly blockedAt: number;
  /** `blocked_at` as given; absent = written from `blockedAt`. */
  readonly blockedAtText: string | undefined;
  /** As in Version. */
  readonly members: string | number;
}

/**
 * The DNS blocks, ordered by `blocked_at`, ties by id. A late block takes its place in the order unless a list may have passed
 * that place. Then it is refused, because no walk could deliver it.
 */
export class DnsBlocks {
  readonly log = new StreamLog<DnsBlock>();
  readonly ids = new Set<string>();
  #pending: DnsBlock[] = [];
  #lastShown: DnsBlock | undefined;
  #lastBlockedAt = 0;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #settings: { readonly withholdMs: number; readonly tieSize: number };

  constructor(clock: () => number, random: () => number, settings: { withholdMs: number; tieSize: number }) {
    this.#clock = clock;
    this.#random = random;
    this.#settings = settings;
  }

  /** Adds a block. The default of `blocked_at` is now, or later if lists have passed that time. */
  put(row: RowInput): void {
    const { id, given, members } = cutControlRow(row, ['blocked_at']);
    if (this.ids.has(id)) throw new ProblemError('resource/conflict', 'DNS blocks are immutable and this id exists.');
    const blockedAtText = given.get('blocked_at');
    const blockedAt = blockedAtText === undefined ? this.#defaultTime(id) : Date.parse(blockedAtText);
    if (Number.isNaN(blockedAt)) throw new ProblemError('request/malformed', '"blocked_at" must be an ISO 8601 time.');
    this.add({ seq: 0, id, blockedAt, blockedAtText, members });
  }

  /** Adds a block that is already read. */
  add(block: DnsBlock): void {
    if (this.#lastShown && inOrder(block, this.#lastShown) < 0) {
      throw new ProblemError(
        'resource/conflict',
        'Lists have passed this blocked_at: the block could never be delivered.',
      );
    }
    this.ids.add(block.id);
    this.#pending.push(block);
    this.#lastBlockedAt = Math.max(this.#lastBlockedAt, block.blockedAt);
  }

  /** Places every block that is no longer withheld. Called before each list. */
  placeDue(): void {
    if (this.#pending.length === 0) return;
    const { withholdMs } = this.#settings;
    const limit = withholdMs > 0 ? this.#clock() - withholdMs : Number.POSITIVE_INFINITY;
    const due = this.#pending.filter(block => block.blockedAt <= limit).sort(inOrder);
    if (due.length === 0) return;
    this.#pending = this.#pending.filter(block => block.blockedAt > limit);
    for (const block of due) this.log.append(block);
    this.#lastShown = due.at(-1);
  }

  /** Every block in order, including withheld ones. */
  *all(): Generator<DnsBlock> {
    yield* this.log.after(0);
    yield* [...this.#pending].sort(inOrder);
  }

  #defaultTime(id: string): number {
    const { tieSize } = this.#settings;
    const joins = tieSize > 1 && this.#random() < 1 - 1 / tieSize;
    const time = joins ? this.#lastBlockedAt : Math.max(Math.floor(this.#clock()), this.#lastBlockedAt);
    const passed = this.#lastShown && inOrder({ blockedAt: time, id }, this.#lastShown) < 0;
    return passed ? this.#lastShown!.blockedAt + 1 : time;
  }
}

type Place = Pick<DnsBlock, 'blockedAt' | 'id'>;

function inOrder(a: Place, b: Place): number {
  return a.blockedAt - b.blockedAt || (a.id < b.id ? -1 : 1);
}
