import { STREAMS, type StreamName } from '../../lambda/streams.ts';

/** Rows of a stream by id, as JSON text without `stream_position`. */
export type RowsByStream = Readonly<Record<StreamName, ReadonlyMap<string, string>>>;

/** Figures about the events of one minute. */
interface Minute {
  events: number;
  /** Events whose content the SIEM already had. */
  duplicates: number;
  /** Events whose `event_id` the SIEM had read before, so that it dropped them. */
  repeats: number;
  bytes: number;
}

/** Numbers of rows in which a SIEM's copy differs from the API. */
export interface CopyDistance {
  /** Rows in the SIEM that the API does not have any more. */
  readonly ghosts: number;
  /** Rows that the SIEM lacks, or has in an older version. */
  readonly stale: number;
}

/** An event that arrives at the SIEM. */
export interface ArrivedEvent {
  readonly stream: StreamName;
  readonly id: string;
  /** JSON text. Undefined if the event says that the row no longer exists. */
  readonly row: string | undefined;
  readonly eventId?: string;
  readonly bytes: number;
}

/** A SIEM's copy of the data: the last event that arrived about each row. */
export class SiemCopy {
  readonly #held = new Map<StreamName, Map<string, Held>>(STREAMS.map(({ name }) => [name, new Map()]));
  /** Figures of each minute of the last hour, newest last. */
  #minutes: Minute[] = [];
  #minute = NOTHING();

  take({ stream, id, row, eventId, bytes }: ArrivedEvent): void {
    const rows = this.#held.get(stream)!;
    const before = rows.get(id);
    const content = row === undefined ? undefined : rowContentOf(row);
    this.#minute.events += 1;
    this.#minute.bytes += bytes;
    if (eventId !== undefined && eventId === before?.eventId) this.#minute.repeats += 1;
    else if (before && before.content === content) this.#minute.duplicates += 1;
    rows.set(id, { content, eventId });
  }

  /** Ends the current minute and begins the next minute. */
  endMinute(): void {
    this.#minutes = [...this.#minutes, this.#minute].slice(-60);
    this.#minute = NOTHING();
  }

  /** Forgets the figures of earlier minutes, but keeps the rows. */
  forget(): void {
    this.#minutes = [];
  }

  /** Sums of the last hour. */
  get hour(): Readonly<Minute> {
    const sum = (member: keyof Minute) => this.#minutes.reduce((total, minute) => total + minute[member], 0);
    return { events: sum('events'), duplicates: sum('duplicates'), repeats: sum('repeats'), bytes: sum('bytes') };
  }

  /** Compares the copy with the API. @param rows rows that the API has */
  distance(rows: RowsByStream): CopyDistance {
    let ghosts = 0;
    let stale = 0;
    for (const { name } of STREAMS) {
      const held = this.#held.get(name)!;
      for (const [id, { content }] of held) if (content !== undefined && !rows[name].has(id)) ghosts += 1;
      for (const [id, row] of rows[name]) if (held.get(id)?.content !== row) stale += 1;
    }
    return { ghosts, stale };
  }
}

interface Held {
  /** Content of the row. Undefined if the row no longer exists. */
  readonly content: string | undefined;
  readonly eventId: string | undefined;
}

const NOTHING = (): Minute => ({ events: 0, duplicates: 0, repeats: 0, bytes: 0 });

/**
 * Content of a row without `stream_position`, because a row that is delivered again unchanged has
 * another `stream_position`.
 */
export function rowContentOf(row: string): string {
  const { stream_position: _, ...content } = JSON.parse(row);
  return JSON.stringify(content);
}

/** The rows that the API has. */
export class LiveRows {
  #known = new Map<string, { readonly text: string; readonly content: string }>();
  rows: RowsByStream = byStream(() => new Map());

  /**
   * Replaces the rows with the rows that the API has now.
   *
   * @param truth rows and tombstones, by stream and id
   * @returns number of rows that changed since the last call
   */
  refresh(truth: Readonly<Record<StreamName, ReadonlyMap<string, string>>>): number {
    const before = this.#known;
    this.#known = new Map();
    let changed = 0;
    this.rows = byStream(stream => {
      const live = new Map<string, string>();
      for (const [id, text] of truth[stream]) {
        const key = `${stream} ${id}`;
        const known = before.get(key);
        if (known?.text !== text) changed += 1;
        const row = known?.text === text ? known : { text, content: rowContentOf(text) };
        this.#known.set(key, row);
        if (!isTombstone(text)) live.set(id, row.content);
      }
      return live;
    });
    const gone = [...before.keys()].filter(key => !this.#known.has(key)).length;
    return changed + gone;
  }
}

function byStream<T>(of: (stream: StreamName) => T): Readonly<Record<StreamName, T>> {
  return Object.fromEntries(STREAMS.map(({ name }) => [name, of(name)])) as Record<StreamName, T>;
}

/**
 * Whether the row is a tombstone. The API simulator writes the members of a tombstone without
 * spaces, so a search in the text is enough.
 */
export function isTombstone(text: string): boolean {
  return text.includes('"deleted":true');
}
