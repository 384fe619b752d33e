/**
 * Decides what a page means: which rows are changes, what is sent for them, what is written before and after, and the state that the
 * next page starts from. Pure: no clock, no table, no randomness.
 *
 *     page      [a v2]  [b v1]  [c tombstone]  [a v3]
 *     known      a v1    b v1    c v1
 *     batch      lines    upsert a v3, tombstone c          a v2 was superseded within the page, b is a re-delivery
 *                states   a v3, c removed
 *                removals c                                 its threats are withdrawn once all assets are read
 */

import type {
  Checkpoint,
  ChildEntry,
  DeadLetter,
  Hash,
  Intent,
  ListedRemoval,
  RowState,
  StoredState,
} from '../ports.ts';
import { childOf, type SelectedStream, type StreamName } from '../streams.ts';
import { type EventContext, type EventFormat, eventLine } from './event.ts';
import { idTag } from './hashes.ts';
import type { ReadPage } from './read-pages.ts';
import { type BadRow, type Row, readRow } from './row.ts';
import { type Sequences, sequenceAt } from './sequence.ts';
import {
  forget,
  isUnconfirmed,
  readable,
  remember,
  type StreamState,
  sameTags,
  toCheckpoint,
  without,
} from './stream-state.ts';

/** Everything that follows from one page. */
export interface Batch {
  /** 1. Written before anything is sent: the ids that are about to be. */
  readonly intent: Intent | undefined;
  /** 1. Written with the intent: which row belongs to which parent. */
  readonly children: readonly ChildEntry[];
  /** 2. Rows that cannot be sent. */
  readonly deadLetters: readonly DeadLetter[];
  /** 3. The events. */
  readonly lines: readonly string[];
  /** 4. Removals whose child rows are to be withdrawn. */
  readonly removals: readonly ListedRemoval[];
  /** 4. Listed removals of rows that exist again, and that the filter withholds. */
  readonly restored: readonly string[];
  /** 5. What the SIEM has now, by id. */
  readonly states: ReadonlyMap<string, RowState>;
  /** 6. Absent when the page changed nothing. */
  readonly checkpoint: Checkpoint | undefined;
  /** What was read, and what was sent for it. The second counts once it is acknowledged. */
  readonly counts: { readonly read: ReadCounts; readonly sent: SentCounts };
  /** Whether the page held anything that was not known. */
  readonly changes: boolean;
  /** What the next page starts from. */
  readonly state: StreamState;
}

export interface ReadCounts {
  readonly rows: number;
  readonly superseded: number;
  readonly suppressed: number;
  readonly unseenTombstones: number;
  /** Rows that the filter withholds, and those whose filter gave no answer, which are sent. */
  readonly filtered: number;
  readonly filterFaults: number;
}

export interface SentCounts {
  readonly forwarded: number;
  /** Rows that the SIEM had and that the filter withholds now. */
  readonly withdrawn: number;
  readonly tombstones: number;
  readonly oversize: number;
  readonly withoutOwner: number;
  readonly deadLetters: number;
}

export interface DecideOptions {
  readonly stream: SelectedStream & { readonly name: StreamName };
  /** The window holds two pages of this size. */
  readonly pageLimit: number;
  /** One for each row. */
  readonly sequences: Sequences;
  readonly context: EventContext;
  readonly format: EventFormat;
  /** Where a dead letter will be stored, for the notice that points to it. */
  readonly locate: (deadLetter: DeadLetter) => string;
}

/** The rows of a page that need a decision. */
export interface Candidates {
  readonly rows: readonly Row[];
  readonly bad: readonly BadRow[];
  /** Of every row of the page, superseded ones included. */
  readonly versionTags: readonly (string | undefined)[];
  readonly superseded: number;
  readonly inWindow: number;
}

/** Keeps the last row per id and drops rows that are already in the de-duplication window. */
export function deDuplicate(
  { rows }: Pick<ReadPage, 'rows'>,
  state: StreamState,
  stream: SelectedStream,
  hash: Hash,
): Candidates {
  const last = new Map<string, Row>();
  const bad = new Map<string, BadRow>();
  const versionTags: (string | undefined)[] = [];
  for (const element of rows) {
    const row = readRow(element, stream, hash);
    versionTags.push(row.versionTag);
    if ('reason' in row) bad.set(row.rowHash, row);
    else {
      // Deleted first: the row takes its place in the order of the last occurrences.
      last.delete(row.id);
      last.set(row.id, row);
    }
  }
  const inWindow = ({ versionTag }: Row | BadRow) => versionTag !== undefined && state.window.has(versionTag);
  // Of an unconfirmed id the SIEM may have another version than the window: it is sent again, whatever the window holds.
  const candidates = [...last.values()].filter(row => !inWindow(row) || isUnconfirmed(state, row.id));
  const candidatesBad = [...bad.values()].filter(row => !inWindow(row));
  return {
    rows: candidates,
    bad: candidatesBad,
    versionTags,
    superseded: rows.length - last.size - bad.size,
    inWindow: last.size - candidates.length + bad.size - candidatesBad.length,
  };
}

/** What was forwarded of one id before. */
export interface Known {
  readonly state: RowState | undefined;
  /** The SIEM may have an event of this id that the state does not know of. */
  readonly unconfirmed: boolean;
  /** States of an earlier generation no longer say what the SIEM has. */
  readonly generation: number;
}

/**
 * `forward`: the SIEM lacks it. `suppress`: the SIEM has it. `adopt`: the SIEM has it, but the state must learn its parent. `unseen`: the
 * tombstone of a row that the SIEM never had (specification, consumer rule 2), or has as withdrawn. `withhold`: the filter excludes it,
 * and the SIEM does not have it. `withdraw`: the filter excludes it, and the SIEM has it, or may have it.
 */
export type Decision = 'forward' | 'suppress' | 'adopt' | 'unseen' | 'withhold' | 'withdraw';

/** `updated_at` takes no part: a row is a change when its content differs, whatever its times say. */
export function classify(row: Row, { state, unconfirmed, generation }: Known): Decision {
  const isLive = state !== undefined && !state.removed;
  if (row.filter === 'withhold') return isLive || unconfirmed ? 'withdraw' : 'withhold';
  if (row.deleted && !unconfirmed && (!state || state.rowHash === FILTERED)) return 'unseen';
  if (!state) return 'forward';
  if (unconfirmed || state.generation < generation || state.rowHash !== row.rowHash) return 'forward';
  return state.parent === row.parent ? 'suppress' : 'adopt';
}

/**
 * @param stored row states found in the table, for the candidates that the state does not hold as staged
 * @throws StateDamagedError unless a resync is repairing the stream
 */
export function decide(
  page: Omit<ReadPage, 'rows'>,
  candidates: Candidates,
  stored: ReadonlyMap<string, StoredState>,
  state: StreamState,
  options: DecideOptions,
): Batch {
  const { stream } = options;
  const draft = new Draft(candidates, options, state);
  for (const row of candidates.rows) draft.add(row, stream.hasRowStates ? knownOf(row, stored, state) : undefined);
  const { forwardedIds, states, removals, restored, children, lines, deadLetters } = draft;
  const hasIntent = stream.hasRowStates && lines.length > 0;
  const intent = hasIntent ? { sequence: draft.lastSequence, idTags: forwardedIds.map(idTag) } : undefined;
  const next = nextState(page, candidates, draft, intent, state, options);
  const { checkpoint: before } = state;
  const saves =
    next.checkpoint.cursor !== before.cursor ||
    next.checkpoint.names.rows !== before.names.rows ||
    next.checkpoint.names.pagination !== before.names.pagination ||
    lines.length > 0 ||
    !sameTags(next.window, state.window);
  return {
    intent,
    children,
    deadLetters,
    lines,
    removals,
    restored,
    states,
    checkpoint: saves ? toCheckpoint(next) : undefined,
    counts: draft.counts(candidates),
    changes: lines.length + deadLetters.length + states.size > 0,
    state: next,
  };
}

/** What the page before decided wins over the table: its commit may have ended before, during or after the look-up. */
function knownOf({ id }: Row, stored: ReadonlyMap<string, StoredState>, state: StreamState): Known {
  const { generation, repairing } = state.checkpoint;
  const staged = state.staged.get(id);
  if (staged) return { state: staged, unconfirmed: false, generation };
  return { state: readable(stored.get(id), repairing), unconfirmed: isUnconfirmed(state, id), generation };
}

/** Saves the newest non-null cursor (walk rule 1). */
function nextState(
  { sent, next, names }: Omit<ReadPage, 'rows'>,
  { versionTags }: Candidates,
  { forwardedIds, alternatingIds, lastSequence, states, removals, restored }: Draft,
  intent: Intent | undefined,
  state: StreamState,
  { stream, pageLimit }: DecideOptions,
): StreamState {
  const { checkpoint, window, unconfirmed } = state;
  const cursor = next ?? sent;
  const moved = cursor !== checkpoint.cursor;
  // An older version may come again when a walk starts over, and is sent, since it differs. The window must not hide the versions after it.
  // A row that was not read from a page leaves the window as it is: the next poll may read older versions again that only the window knows.
  const forgotten =
    stream.hasRowStates && versionTags.length > 0 ? forget(window, [...forwardedIds, ...alternatingIds]) : window;
  return {
    checkpoint: {
      ...checkpoint,
      cursor,
      // The cursor that was sent has just worked: the one to fall back to.
      previous: moved ? (next === null ? undefined : sent) : checkpoint.previous,
      names,
      committed: checkpoint.committed < lastSequence ? lastSequence : checkpoint.committed,
    },
    window: remember(forgotten, versionTags, pageLimit * 2),
    // The page's own intent stands for its ids from here on.
    unconfirmed: intent ? without(unconfirmed, intent.idTags) : unconfirmed,
    staged: states,
    intent: intent ?? state.intent,
    listed: state.listed && listedAfter(state.listed, removals, restored),
  };
}

function listedAfter(
  listed: ReadonlySet<string>,
  removals: readonly ListedRemoval[],
  restored: readonly string[],
): ReadonlySet<string> {
  if (removals.length + restored.length === 0) return listed;
  const after = new Set(listed);
  for (const { id } of removals) after.add(id);
  for (const id of restored) after.delete(id);
  return after;
}

/** Row hash of a row that was withdrawn because of a filter: equal to that of no row. */
export const FILTERED = 'filtered';

/** Of a row of a stream without row states. */
const NOTHING: Known = { state: undefined, unconfirmed: false, generation: 0 };

/** A batch in the making, row by row. */
class Draft {
  readonly deadLetters: DeadLetter[];
  readonly lines: string[] = [];
  readonly forwardedIds: string[] = [];
  readonly states = new Map<string, RowState>();
  readonly children: ChildEntry[] = [];
  readonly removals: ListedRemoval[] = [];
  readonly restored: string[] = [];
  /** Of rows that the window must not hide: whether they exist follows from the order in which they are read. */
  readonly alternatingIds: string[] = [];
  readonly #options: DecideOptions;
  readonly #generation: number;
  readonly #listed: ReadonlySet<string> | undefined;
  #suppressed = 0;
  #filtered = 0;
  #filterFaults = 0;
  #withdrawn = 0;
  #unseenTombstones = 0;
  #tombstones = 0;
  #oversize = 0;
  #withoutParent = 0;

  constructor({ bad }: Candidates, options: DecideOptions, { checkpoint, listed }: StreamState) {
    const { name: stream } = options.stream;
    this.deadLetters = bad.map(({ reason, row, rowHash }) => ({ stream, reason, row, rowHash }));
    this.#options = options;
    this.#generation = checkpoint.generation;
    this.#listed = listed;
  }

  /** Of the last event; empty when there is none. */
  get lastSequence(): string {
    return this.lines.length === 0 ? '' : this.#sequence;
  }

  get #sequence(): string {
    return sequenceAt(this.#options.sequences, this.lines.length);
  }

  get #nextSequence(): string {
    return sequenceAt(this.#options.sequences, this.lines.length + 1);
  }

  /** @param known absent for streams without row states, whose rows are all forwarded */
  add(row: Row, known: Known | undefined): void {
    const decision = classify(row, known ?? NOTHING);
    const before = known?.state;
    if (row.filter === 'fault') this.#filterFaults++;
    if (row.filter === 'withhold') this.#filtered++;
    if (decision === 'suppress' || decision === 'adopt') this.#suppressed++;
    if (decision === 'unseen') this.#unseenTombstones++;
    if (decision === 'withdraw') this.#withdraw(row, before);
    if (decision === 'forward') this.#send(row, before);
    if (known && (decision === 'forward' || decision === 'adopt')) this.#remember(row, before, decision);
    if (childOf(this.#options.stream.name)) this.#trackExistence(row, before, decision);
  }

  /** Whether the row exists decides what becomes of its child rows. A row that the filter withholds may exist without a live state. */
  #trackExistence(row: Row, before: RowState | undefined, decision: Decision): void {
    const { id, deleted, time: deletedAt, position } = row;
    const isWithheld = row.filter === 'withhold';
    if (this.#options.stream.selection && (deleted || isWithheld)) this.alternatingIds.push(id);
    if (decision === 'withhold') this.#noteExistence(row, before);
    if (!deleted) return;
    const existed = before?.exists !== undefined;
    if (existed && (decision === 'suppress' || decision === 'unseen'))
      this.states.set(id, { ...before, exists: undefined });
    // Listed even when the asset was never seen: its threats may have been, between the asset walk and the threat walk.
    if (existed || decision !== 'suppress') this.removals.push({ id, deletedAt, position, sequence: this.#sequence });
  }

  #send(row: Row, before: RowState | undefined): void {
    const { stream, context, format, locate } = this.#options;
    const known = before !== undefined && !before.removed && before.generation >= this.#generation;
    const sequence = this.#nextSequence;
    const event = { row, stream, sequence, revision: this.#revisionAfter(before), known };
    const { line, deadLetter } = eventLine(event, context, format, locate);
    if (deadLetter) {
      this.deadLetters.push(deadLetter);
      this.#oversize++;
    }
    this.lines.push(line);
    this.forwardedIds.push(row.id);
    if (row.deleted) this.#tombstones++;
    if (stream.cascadesFrom && row.parent === undefined) this.#withoutParent++;
  }

  /**
   * A filter's withdrawal keeps the revision, so that one that is repeated after a kill has the same `event_id`. What follows it is another
   * revision, named after its `sequence`.
   */
  #revisionAfter(before: RowState | undefined): string {
    if (before?.rowHash !== FILTERED) return before?.revision ?? '';
    return this.#options.context.hash(`${FILTERED}\n${before.revision}\n${before.sequence}`).slice(0, 32);
  }

  /**
   * Sent, its state would say that it exists. Withheld, it must leave a note of that, or its child rows would be withdrawn with a removal
   * that is still listed.
   */
  #noteExistence({ id }: Row, before: RowState | undefined): void {
    if (before && before.exists === undefined) this.states.set(id, { ...before, exists: this.#nextSequence });
    // Each further tombstone of it is listed again, so this removal may go at once.
    else if (this.#listed?.has(id)) this.restored.push(id);
  }

  /** The state names no parent: the row must not be withdrawn once more with it. */
  #withdraw(row: Row, before: RowState | undefined): void {
    const { stream, context, format } = this.#options;
    const { forwardedAt } = context;
    const sequence = this.#nextSequence;
    const revision = before?.revision ?? '';
    const event = { row, stream, sequence, revision, known: true };
    this.lines.push(format.filtered(event, context));
    this.forwardedIds.push(row.id);
    this.#withdrawn++;
    const generation = this.#generation;
    this.states.set(row.id, {
      rowHash: FILTERED,
      generation,
      removed: true,
      parent: undefined,
      sequence,
      forwardedAt,
      revision,
      exists: childOf(stream.name) && sequence,
    });
  }

  #remember({ id, rowHash, deleted: removed, parent }: Row, before: RowState | undefined, decision: Decision): void {
    const adopted = decision === 'adopt' ? before : undefined;
    const sequence = adopted?.sequence ?? this.#sequence;
    const forwardedAt = adopted?.forwardedAt ?? this.#options.context.forwardedAt;
    const revision = this.#revisionAfter(before);
    this.states.set(id, { rowHash, generation: this.#generation, removed, parent, sequence, forwardedAt, revision });
    // The entry under a parent that was left stays until that parent's removal, which passes it over.
    const isChild = before !== undefined && before.parent === parent && !before.removed;
    if (parent !== undefined && !isChild) this.children.push({ parent, id, sequence });
  }

  counts({ versionTags, superseded, inWindow }: Candidates): Batch['counts'] {
    return {
      read: {
        rows: versionTags.length,
        superseded,
        suppressed: inWindow + this.#suppressed,
        unseenTombstones: this.#unseenTombstones,
        filtered: this.#filtered,
        filterFaults: this.#filterFaults,
      },
      sent: {
        forwarded: this.lines.length - this.#withdrawn,
        withdrawn: this.#withdrawn,
        tombstones: this.#tombstones,
        oversize: this.#oversize,
        withoutOwner: this.#withoutParent,
        deadLetters: this.deadLetters.length,
      },
    };
  }
}
