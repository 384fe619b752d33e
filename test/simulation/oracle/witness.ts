/** Sees what the platform answers, what Firehose takes and what the table is told, while a history runs. */
import type { Platform } from '../../../local/platform/platform.ts';
import type { StreamName } from '../history.ts';
import { DeadLetterRecorder } from './letter-witness.ts';
import { type ReadRow, readAnswer } from './lossless.ts';
import { emptyTally, type Observation } from './observation.ts';
import { keyOf, receive } from './siem.ts';
import { Versions } from './versions.ts';

export class Recorder {
  readonly observation: Observation;
  readonly versions: Versions;
  readonly letters: DeadLetterRecorder;
  readonly #platform: Platform;
  readonly #now: () => number;
  /** By stream and cursor: the rows of the page that brought it. */
  readonly #pages = new Map<string, ReadonlyMap<string, ReadRow>>();
  /** Stream, id and content of every event that was taken. */
  readonly #told = new Set<string>();
  readonly #toldIds = new Set<string>();
  /** The same of rows that need not be sent: a later row of their page replaced them, or they are tombstones unseen. */
  readonly #excused = new Set<string>();
  /** By threat the asset under which the SIEM knows it, and those under which it was read, the last one last. */
  readonly #knownParents = new Map<string, { readonly sequence: string; readonly parent: string }>();
  readonly #readParents = new Map<string, readonly string[]>();
  readonly #generations = new Map<StreamName, number>();
  readonly #issued = new Set<string>();
  #forgotten = new Set<string>();

  constructor(platform: Platform, now: () => number) {
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
      ticksToQuiet: 0,
      replayed: false,
      everyVersion: platform.settings.retention === 'every-version',
      seen: emptyTally(),
    };
    this.versions = new Versions(platform);
    this.letters = new DeadLetterRecorder(this.versions, now, sentence => this.observation.violations.push(sentence));
  }

  readonly disturb = (): void => {
    this.observation.disturbances.push(this.#now());
  };

  /** A walk begins anew: what the SIEM has may be sent again. */
  readonly beginAnew = (): void => {
    this.observation.replayed = true;
    this.disturb();
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
      if (stream === 'threats') this.#noteOwner(id, JSON.parse(content).asset_id);
      if (deleted && !this.#toldIds.has(key)) this.#excused.add(`${key} ${content}`);
    }
    if (next !== null) {
      this.#pages.set(keyOf(stream, next), rows);
      this.#issued.add(next);
      // Issued anew, it is good again.
      this.#forgotten.delete(next);
    }
    return count;
  };

  /** @param trying by stream the key of the dead letter that the sender tried again last */
  readonly taken = (line: string, trying: ReadonlyMap<StreamName, string>): void => {
    const event = receive(line, this.#now());
    const key = keyOf(event.stream, event.id);
    const deadLetter = this.letters.taken(event, trying.get(event.stream));
    this.observation.events.push({ ...event, deadLetter });
    this.#toldIds.add(key);
    this.#told.add(`${key} ${event.content}`);
    const { parent } = event;
    const known = this.#knownParents.get(event.id);
    if (parent && event.sequence > (known?.sequence ?? '')) this.#knownParents.set(event.id, { ...event, parent });
  };

  readonly stored = (key: string, body: string): void => {
    this.observation.letters.push(body);
    this.observation.seen.letters++;
    this.letters.stored(key, body);
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
   * the API shows would ever tell of the threat again: no consumer could notice.
   */
  hidesMove(asset: string): boolean {
    const { latest } = this.#platform.tenantData.threats;
    return [...this.#readParents].some(([id, parents]) => {
      const isTold = this.#knownParents.get(id)?.parent === asset;
      // A version that was read under another asset may be on its way to the SIEM, and a kill keep the next one from it.
      const moved = isTold ? parents.at(-1) !== asset : parents.some(parent => parent !== asset);
      return moved && latest.get(id)?.assetId === asset;
    });
  }

  #noteOwner(threat: string, parent: string): void {
    const before = this.#readParents.get(threat) ?? [];
    this.#readParents.set(threat, [...before.filter(each => each !== parent), parent]);
  }

  /** A SIEM that asks for a replay has lost what it had. */
  #noteReplay(stream: StreamName, generation: number): void {
    if (generation <= (this.#generations.get(stream) ?? 0)) return;
    this.#generations.set(stream, generation);
    this.observation.lostBefore.set(stream, this.#now());
    this.letters.forget(stream);
    for (const key of this.#told) if (key.startsWith(`${stream} `)) this.#told.delete(key);
  }

  /** Promise 1: no cursor is saved before the rows of its page were acknowledged. */
  #holdCursor(stream: StreamName, cursor: string): void {
    for (const [id, row] of this.#pages.get(keyOf(stream, cursor)) ?? []) {
      const version = `${keyOf(stream, id)} ${row.content}`;
      if (this.#told.has(version) || this.#excused.has(version) || this.letters.keeps(version)) continue;
      this.observation.violations.push(`A cursor was saved before this was acknowledged: ${version}`);
    }
  }
}
