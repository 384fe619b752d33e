/**
 * Decides rows, one after the other, and collects the resulting events and writes in a batch. It is
 * pure: it uses neither a clock nor the table nor random numbers.
 *
 *     rows      [a v2]  [b v1]  [c tombstone]  [a v3]
 *     known      a v1    b v1    c v1
 *     batch      events    upsert a v2, tombstone c, upsert a v3          b is a duplicate
 *                states    a v3, c removed                                one state per id: the last one counts
 *                removals  c                                              its threats are withdrawn once all assets are read
 */
import type {
  Checkpoint,
  ChildEntry,
  DeadLetter,
  ListedRemoval,
  RowState,
  RowStatus,
  SecondWalkMode,
} from '../ports.ts';
import { childStreamOf, type SyncedStream } from '../streams.ts';
import { type Batch, isEmptyBatch } from './batch.ts';
import { type EventContext, eventLine, type WithdrawalReason, withdrawnLine } from './event.ts';
import { packRecords } from './records.ts';
import { awaitsReplay } from './replay.ts';
import type { BadRow, Row } from './row.ts';
import type { StreamResult } from './run.ts';
import { type ReservedSequences, sequenceAt } from './sequence.ts';

/** Kind of walk that has read a row: the walk, or a second walk in one of its modes. */
export type WalkMode = 'walk' | SecondWalkMode;

export interface DraftOptions {
  readonly stream: SyncedStream;
  readonly context: EventContext;
  readonly sequences: ReservedSequences;
  /**
   * Returns the place where a dead letter will be stored. The notice of an oversize row points to
   * this place.
   */
  readonly locate: (deadLetter: DeadLetter) => string;
  /**
   * Number of rows that the filter may withdraw. Further rows stay as they are: see guard.ts.
   * @default - any number
   */
  readonly allowance?: number;
}

/** Says why a row is withdrawn, and with which date. */
export interface WithdrawalCause {
  readonly time?: string | undefined;
  readonly position?: string | undefined;
  /** Reason for the withdrawal. Absent when the row disappeared with its parent. */
  readonly reason?: WithdrawalReason;
}

export class Draft {
  readonly #options: DraftOptions;
  readonly #before: Checkpoint;
  readonly #isParent: boolean;
  readonly #known: Map<string, RowState>;
  readonly #changed = new Set<string>();
  readonly #lines: string[] = [];
  readonly #deadLetters: DeadLetter[] = [];
  readonly #children = new Map<string, ChildEntry>();
  readonly #removals = new Map<string, ListedRemoval>();
  readonly #sent: Counts = {};
  readonly #read: Counts = {};
  #existing: number;
  #listed: number;
  #used = 0;
  #kept = 0;

  /** @param known states of the rows to decide, as the table has them */
  constructor(before: Checkpoint, known: ReadonlyMap<string, RowState>, options: DraftOptions) {
    this.#options = options;
    this.#before = before;
    this.#isParent = childStreamOf(options.stream.name) !== undefined;
    this.#known = new Map(known);
    this.#existing = before.counts.existing;
    this.#listed = before.counts.listed;
  }

  /** Counts of the decisions. They are valid whether or not the batch is sent. */
  get read(): Partial<StreamResult> {
    return this.#read;
  }

  /** Number of rows that this batch has withdrawn so far. */
  get withdrawn(): number {
    return this.#sent.withdrawn ?? 0;
  }

  /**
   * Number of rows that the filter excludes, but that were not withdrawn because the allowance was
   * used up.
   */
  get kept(): number {
    return this.#kept;
  }

  stateOf(id: string): RowState | undefined {
    return this.#known.get(id);
  }

  reject({ reason, row, rowHash }: BadRow): void {
    increase(this.#read, 'rows');
    this.#deadLetter({ stream: this.#options.stream.name, reason, row, rowHash });
  }

  /** Decides whether a row of the list is sent, and which state is stored for it. */
  row(row: Row, reading: WalkMode): void {
    increase(this.#read, 'rows');
    if (row.filter === 'error') increase(this.#read, 'filterErrors');
    if (row.filter === 'filtered') increase(this.#read, 'filtered');

    if (!this.#options.stream.hasRowStates) {
      if (row.filter !== 'filtered' && this.#isWanted(row, reading)) this.#send(row);
    } else if (row.filter === 'filtered') this.#filter(row, reading);
    else if (this.isSame(row, reading)) this.#duplicate(row, reading);
    else if (row.deleted && !this.#isKnownTombstone(row) && !this.#sendsUnknown(reading)) this.#unknownTombstone(row);
    else this.#sendChanged(row);
  }

  /** Whether the SIEM already has the row in this form, so that nothing has to be sent. */
  isSame(row: Row, reading: WalkMode): boolean {
    const state = this.#known.get(row.id);
    if (row.filter === 'filtered')
      return state ? state.status === 'filtered' || (state.status === 'removed' && !this.#isParent) : !this.#isParent;

    if (row.deleted && !this.#isKnownTombstone(row) && !this.#sendsUnknown(reading)) return state?.status === 'removed';
    return state?.status === (row.deleted ? 'removed' : 'live') && state.rowHash === row.rowHash;
  }

  /** Whether the SIEM has received the row that this tombstone removes. */
  #isKnownTombstone({ id }: Row): boolean {
    const state = this.#known.get(id);
    return state !== undefined && state.status !== 'filtered' && state.rowHash !== '';
  }

  /**
   * Whether tombstones of unknown assets are sent, too. They are sent when everything is sent
   * again, because the table may have been restored from a backup, and the SIEM may have received
   * assets that the table does not know.
   */
  #sendsUnknown(reading: WalkMode): boolean {
    return reading === 'all' && this.#before.second?.since === undefined;
  }

  /**
   * Whether the second walk must send the row's last event again. A row that has changed since the
   * second walk began was sent already, and has the new generation.
   */
  #isOwed(state: RowState, reading: WalkMode): boolean {
    return reading === 'all' && awaitsReplay(state, this.#before);
  }

  /**
   * An immutable row has no state, so its own time decides whether a second walk sends it again.
   */
  #isWanted({ time }: Row, reading: WalkMode): boolean {
    const since = reading === 'walk' ? undefined : this.#before.second?.since;
    // A time that is absent or cannot be read becomes NaN. A comparison with NaN is false, so the
    // row is sent.
    return since === undefined || !(Date.parse(time ?? '') < since);
  }

  /**
   * Handles a row that the filter excludes. Its state records the exclusion only if the row was
   * sent, or if the existence of the row decides about other rows. For example, the existence of an
   * asset decides about its threats.
   */
  #filter(row: Row, reading: WalkMode): void {
    const state = this.#known.get(row.id);
    if (state?.status === 'live') {
      const { allowance = Number.POSITIVE_INFINITY } = this.#options;
      if (this.withdrawn >= allowance) {
        this.#kept++;
        return;
      }

      this.#withdrawFiltered(row);
      return;
    }
    if (state?.status === 'filtered') {
      if (this.#before.second?.withdrawalsSince !== undefined && this.#isOwed(state, reading))
        this.#withdrawFiltered(row);
      else this.#mark(row.id, state, reading);
      return;
    }
    // A threat that has moved away from a removed asset exists again. If its state kept the old
    // asset, a second walk would take the threat for a former version of itself.
    const hasMoved = reading === 'walk' && state !== undefined && state.parent !== row.parent;
    if (!this.#isParent && !hasMoved) return;

    this.#next();
    if (this.#isParent && state?.status === 'removed') this.#list(row, true);
    this.#set(row.id, this.#stateOf('filtered', row));
  }

  #withdrawFiltered(row: Row): void {
    const { id, parent, time, position } = row;
    this.#event({ id, time, position }, parent, 'filtered', this.#next());
    this.#set(id, this.#stateOf('filtered', row));
    increase(this.#sent, 'withdrawn');
    increase(this.#sent, 'withdrawnByFilter');
  }

  #duplicate(row: Row, reading: WalkMode): void {
    const state = this.#known.get(row.id)!;
    if (this.#isOwed(state, reading) && (!row.deleted || state.rowHash !== '')) {
      this.#sendChanged(row);
      return;
    }

    if (row.deleted && state.rowHash === '') increase(this.#read, 'unknownTombstones');
    else increase(this.#read, 'duplicates');
    if (state.parent !== row.parent && !row.deleted) this.#adopt(row, state);
    else this.#mark(row.id, state, reading);
  }

  /**
   * Stores the parent that the list names for an unchanged row, if the row's state has another
   * parent or none. The row is not sent again.
   */
  #adopt(row: Row, state: RowState): void {
    this.#next();
    this.#set(row.id, { ...state, parent: row.parent, generation: this.#before.generation });
    this.#addChild(row);
  }

  /**
   * Notes that the list contains the row. The walk notes nothing while everything is sent again,
   * because the second walk would then not send the row.
   */
  #mark(id: string, state: RowState, reading: WalkMode): void {
    const { generation, second } = this.#before;
    const isNoted = reading === 'walk' ? second?.mode !== 'all' : reading !== 'restored';
    if (isNoted && state.status !== 'removed' && state.generation < generation) this.#set(id, { ...state, generation });
  }

  /**
   * Stores a tombstone without sending it, because its asset was never sent. The asset is listed as
   * removed all the same, because its threats may have been sent between the walk over the assets
   * and the walk over the threats.
   */
  #unknownTombstone(row: Row): void {
    this.#next();
    increase(this.#read, 'unknownTombstones');
    this.#set(row.id, { ...this.#stateOf('removed', row), rowHash: '' });
    if (this.#isParent) this.#list(row, false);
  }

  #sendChanged(row: Row): void {
    const before = this.#known.get(row.id);
    this.#send(row);
    this.#set(row.id, this.#stateOf(row.deleted ? 'removed' : 'live', row));
    if (!(before?.status === 'live' && before.parent === row.parent)) this.#addChild(row);
    if (!this.#isParent) return;
    // The threats of a restored asset were withdrawn, and the API need not deliver them again.
    // Therefore a restoration is listed as well, so that the threats are read again.
    if (row.deleted) this.#list(row, false);
    else if (before?.status === 'removed') this.#list(row, true);
  }

  #send(row: Row, isRefresh = false): void {
    const { stream, context, locate } = this.#options;
    const { line, deadLetter } = eventLine({ row, stream, sequence: this.#next(), isRefresh }, context, locate);
    this.#lines.push(line);
    if (deadLetter) this.#deadLetter(deadLetter);
    if (isRefresh) {
      increase(this.#sent, 'refreshed');
      return;
    }
    increase(this.#sent, 'forwarded');
    if (row.deleted) increase(this.#sent, 'tombstones');
    if (deadLetter) increase(this.#sent, 'oversize');
    if (stream.cascadesFrom && row.parent === undefined) increase(this.#sent, 'threatsWithoutAsset');
  }

  /** Sends an unchanged row again, so that the SIEM does not forget it. */
  refresh(row: Row): void {
    const state = this.#known.get(row.id)!;
    this.#send(row, true);
    this.#set(row.id, { ...state, sequence: this.#last, forwardedAt: this.#options.context.forwardedAt });
  }

  /**
   * Withdraws a row that does not exist any more. A filtered row is only marked as removed, because
   * the SIEM does not have it.
   */
  remove(id: string, cause: WithdrawalCause): void {
    const state = this.#known.get(id)!;
    const { forwardedAt } = this.#options.context;
    const sequence = this.#next();
    if (state.status === 'live') {
      this.#event({ id, ...cause }, state.parent, cause.reason, sequence);
      increase(this.#sent, 'withdrawn');
    }
    this.#set(id, { ...state, status: 'removed', sequence, forwardedAt });
  }

  /**
   * Sends the withdrawal of a removed row again. A withdrawal also replaces the tombstone of a row
   * that the API does not list any more.
   */
  withdrawAgain(id: string): void {
    const state = this.#known.get(id)!;
    const { forwardedAt } = this.#options.context;
    const sequence = this.#next();
    this.#event({ id, time: forwardedAt }, state.parent, 'not-listed', sequence);
    increase(this.#sent, 'withdrawn');
    this.#set(id, { ...state, sequence, forwardedAt });
  }

  /** Lists an asset as removed, so that its threats are withdrawn with it. */
  listRemoval(id: string): void {
    const { forwardedAt: deletedAt } = this.#options.context;
    this.#removals.set(id, { id, sequence: this.#last, deletedAt, position: undefined, isRestored: false });
  }

  #event(
    { id, time, position }: { readonly id: string } & WithdrawalCause,
    parent: string | undefined,
    reason: WithdrawalReason | undefined,
    sequence: string,
  ): void {
    const { stream, context } = this.#options;
    this.#lines.push(withdrawnLine({ stream, sequence, subject: { id, time, position }, parent, reason }, context));
  }

  #list({ id, time: deletedAt, position }: Row, isRestored: boolean): void {
    this.#removals.set(id, { id, sequence: this.#last, deletedAt, position, isRestored });
  }

  /**
   * Adds the row's entry under its parent. The entry of a row that has moved stays under the old
   * parent. When the old parent is removed, the withdrawal of its children skips that entry.
   */
  #addChild({ id, parent }: Row): void {
    if (parent !== undefined) this.#children.set(`${parent}\n${id}`, { parent, id });
  }

  #stateOf(status: RowStatus, { rowHash, parent }: Row): RowState {
    const { forwardedAt } = this.#options.context;
    const { generation } = this.#before;
    const state = { status, generation, sequence: this.#last, forwardedAt };
    // The parent is left out, because a filtered row has no event that could be withdrawn with its
    // parent.
    return status === 'filtered' ? { ...state, rowHash: '', parent: undefined } : { ...state, rowHash, parent };
  }

  #set(id: string, state: RowState): void {
    const before = this.#known.get(id);
    if (before) this.#countState(before, -1);
    this.#countState(state, 1);
    this.#known.set(id, state);
    this.#changed.add(id);
  }

  #countState({ status, generation }: RowState, by: number): void {
    if (status === 'removed') return;
    this.#existing += by;
    if (generation === this.#before.generation) this.#listed += by;
  }

  #deadLetter(deadLetter: DeadLetter): void {
    this.#deadLetters.push(deadLetter);
    increase(this.#sent, 'deadLetters');
  }

  #next(): string {
    this.#used++;
    return this.#last;
  }

  get #last(): string {
    return sequenceAt(this.#options.sequences, this.#used);
  }

  /**
   * Returns the batch, with the checkpoint to save after it.
   *
   * @param done entries that the batch has processed, and that are therefore deleted
   */
  batch(next: Partial<Checkpoint>, done: Partial<Pick<Batch, 'childrenDone' | 'removalsDone'>> = {}): Batch {
    const writes: Omit<Batch, 'checkpoint' | 'sent'> = {
      records: packRecords(this.#lines),
      deadLetters: this.#deadLetters,
      states: new Map([...this.#changed].map(id => [id, this.#known.get(id)!])),
      children: [...this.#children.values()],
      childrenDone: [],
      removals: [...this.#removals.values()],
      removalsDone: [],
      ...done,
    };
    const isEmpty = isEmptyBatch(writes);
    // A batch with effects needs a sequence of its own, because its log must be newer than the
    // checkpoint before it.
    if (!isEmpty && this.#used === 0) this.#next();
    const checkpoint = {
      ...this.#before,
      counts: { existing: this.#existing, listed: this.#listed },
      ...next,
      committed: isEmpty ? this.#before.committed : this.#last,
    };
    return { ...writes, checkpoint, sent: this.#sent };
  }
}

type Counts = { [Name in CountName]?: number };
type CountName = Exclude<keyof StreamResult, 'caughtUp' | 'readsAgain'>;

function increase(counts: Counts, name: CountName): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
