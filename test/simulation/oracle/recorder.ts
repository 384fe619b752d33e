/** Records what the platform answers, what Firehose takes and what is written to the table while a history runs. */

import { passMilliseconds } from '../../../lambda/refresh-pace.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import type { Platform } from '../../../local/platform/platform.ts';
import { keyOf, receive } from '../../support/siem.ts';
import { type ReadRow, readAnswer } from './list-answer.ts';
import { emptyTally, type Observation } from './observation.ts';

export class Recorder {
  readonly observation: Observation;
  readonly #platform: Platform;
  readonly #now: () => number;
  /** By stream and cursor: the rows of the page that issued it. */
  readonly #pages = new Map<string, ReadonlyMap<string, ReadRow>>();
  /** Stream, id and content of every event that was taken. */
  readonly #forwarded = new Set<string>();
  readonly #forwardedIds = new Set<string>();
  /** The same of rows that need not be sent: a later row of their page replaced them, or they are tombstones unseen. */
  readonly #excused = new Set<string>();
  /** Stream and id of live rows that a filter excluded when they were read. */
  readonly withheld = new Set<string>();
  /** What the filters of any deployment so far exclude. */
  readonly #withheld: ((row: string, stream: StreamName) => boolean)[] = [];
  /** By threat the asset under which the SIEM knows it, and those under which it was read, the last one last. */
  readonly #knownParents = new Map<string, { readonly sequence: string; readonly parent: string }>();
  readonly #readParents = new Map<string, readonly string[]>();
  readonly #generations = new Map<StreamName, number>();
  readonly #issued = new Set<string>();
  #forgotten = new Set<string>();

  constructor(platform: Platform, now: () => number, refreshDays?: number) {
    this.#platform = platform;
    this.#now = now;
    this.observation = {
      events: [],
      letters: [],
      violations: [],
      disturbances: [],
      lostBefore: new Map(),
      badRow: false,
      truth: platform.truth(),
      withheld: new Set(),
      ticksToQuiet: 0,
      replayed: false,
      refreshAfter: refreshDays && passMilliseconds(refreshDays),
      everyVersion: platform.settings.retention === 'every-version',
      seen: emptyTally(),
    };
  }

  readonly disturb = (): void => {
    this.observation.disturbances.push(this.#now());
  };

  /** A walk begins again: what the SIEM has may be sent again. */
  readonly beginAgain = (): void => {
    this.observation.replayed = true;
    this.disturb();
  };

  readonly mayWithhold = (isWithheld: (row: string, stream: StreamName) => boolean): void => {
    this.#withheld.push(isWithheld);
  };

  forgetCursors(): void {
    this.#forgotten = new Set(this.#issued);
  }

  /** The API delivered a row that can be no event. */
  readonly badRow = (): void => {
    this.observation.badRow = true;
  };

  readonly isForgotten = (cursor: string): boolean => this.#forgotten.has(cursor);

  /** @returns the number of rows on the page; with more than `fits` it reaches nobody. */
  readonly read = (stream: StreamName, body: string, fits: number): number => {
    const { next, rows, superseded } = readAnswer(body, this.#platform.settings);
    const count = rows.size + superseded.length;
    if (count > fits) return count;
    for (const [id, content] of superseded) this.#excused.add(`${keyOf(stream, id)} ${content}`);
    for (const [id, { deleted, content }] of rows) {
      const key = keyOf(stream, id);
      if (stream === 'threats') this.#noteParent(id, JSON.parse(content).asset_id);
      const isUnseen = deleted && !this.#forwardedIds.has(key);
      // The SIEM has it as withdrawn.
      const isFiltered = deleted ? this.#withheld.length > 0 : this.#withheld.some(each => each(content, stream));
      if (isUnseen || isFiltered) this.#excused.add(`${key} ${content}`);
      if (isFiltered && !deleted) this.withheld.add(key);
    }
    if (next !== null) {
      this.#pages.set(keyOf(stream, next), rows);
      this.#issued.add(next);
      // Issued again, it is accepted again.
      this.#forgotten.delete(next);
    }
    return count;
  };

  readonly taken = (line: string): void => {
    const event = receive(line, this.#now());
    const key = keyOf(event.stream, event.id);
    this.observation.events.push(event);
    this.#forwardedIds.add(key);
    this.#forwarded.add(`${key} ${event.content}`);
    const { parent } = event;
    const known = this.#knownParents.get(event.id);
    if (parent && event.sequence > (known?.sequence ?? '')) this.#knownParents.set(event.id, { ...event, parent });
  };

  readonly stored = (body: string): void => {
    this.observation.letters.push(body);
    this.observation.seen.letters++;
  };

  readonly written = (item: Readonly<Record<string, { S?: string; N?: string }>>): void => {
    const stream = /^checkpoint#(.*)$/.exec(item['sk']?.S ?? '')?.[1] as StreamName | undefined;
    if (!stream) return;
    this.#noteReplay(stream, Number(item['generation']?.N ?? 0));
    const cursor = item['cursor']?.S;
    if (cursor !== undefined) this.#holdCursor(stream, cursor);
  };

  /**
   * Whether a threat has moved to this asset and the SIEM does not know it yet. Were the asset removed now, nothing that
   * the API shows would ever show the threat again: no consumer could notice.
   */
  hidesMove(asset: string): boolean {
    const { latest } = this.#platform.tenantData.streams.threats;
    return [...this.#readParents].some(([id, parents]) => {
      const isForwarded = this.#knownParents.get(id)?.parent === asset;
      // A version that was read under another asset may be on its way to the SIEM, and a kill keep the next one from it.
      const moved = isForwarded ? parents.at(-1) !== asset : parents.some(parent => parent !== asset);
      return moved && latest.get(id)?.parentId === asset;
    });
  }

  #noteParent(threat: string, parent: string): void {
    const before = this.#readParents.get(threat) ?? [];
    this.#readParents.set(threat, [...before.filter(each => each !== parent), parent]);
  }

  /** A SIEM that asks for a replay has lost what it had. */
  #noteReplay(stream: StreamName, generation: number): void {
    if (generation <= (this.#generations.get(stream) ?? 0)) return;
    this.#generations.set(stream, generation);
    this.observation.lostBefore.set(stream, this.#now());
    for (const key of this.#forwarded) if (key.startsWith(`${stream} `)) this.#forwarded.delete(key);
  }

  /** Promise 1: no cursor is saved before the rows of its page were acknowledged. */
  #holdCursor(stream: StreamName, cursor: string): void {
    for (const [id, row] of this.#pages.get(keyOf(stream, cursor)) ?? []) {
      const version = `${keyOf(stream, id)} ${row.content}`;
      if (this.#forwarded.has(version) || this.#excused.has(version)) continue;
      this.observation.violations.push(`A cursor was saved before this was acknowledged: ${version}`);
    }
  }
}
