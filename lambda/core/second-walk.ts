/**
 * The second walk reads a stream again from the beginning, in addition to the walk from its cursor,
 * and continues over several runs. The same mechanism serves all of these purposes:
 *
 *     begun by                                            mode          rows that differ      rows that are the same
 *     resync, a changed filter, reconcileDays             differences   are sent              are marked
 *     resync --send-all                                   all           are sent              are sent again, once
 *     resync --send-all --since                           all           are sent              are sent again if their last event was sent
 *                                                                                             since, and so are withdrawals: withdraw-again.ts
 *     the restoration of an asset                         restored      threats of restored   are passed over
 *                                                                       assets are sent
 *
 * A mark is the generation of the checkpoint in the row's state. A complete second walk reads the
 * list twice. The second pass begins an hour after the first pass ended, because the API may
 * withhold a change for a moment, when the row has left its old place and is not yet listed at its
 * new place. A row that neither pass has marked does not exist any more, so sweep.ts withdraws it.
 *
 * If the API lists every version of a row, an old version comes before the new version. Therefore
 * rows that differ are held back until the end of the pass, and are sent as they were listed last:
 *
 *     state     a v3
 *     listed    a v1   differs: held back
 *               a v2   differs: held back in the place of a v1
 *               a v3   is the same: nothing is held back any more
 */

import type { Checkpoint, RowState, SecondWalk, SecondWalkMode } from '../ports.ts';
import { BATCH_ROWS } from './batch.ts';
import { commitBatch, saveCheckpoint } from './commit.ts';
import { Draft } from './draft.ts';
import { addWithdrawals, mostWithdrawals, withdrawalAllowance } from './guard.ts';
import { chunks } from './in-parallel.ts';
import { groupPages } from './page-groups.ts';
import { isEndOfStream, type ReadPage, readPages } from './read-pages.ts';
import type { Row } from './row.ts';
import { draftOptions, type StreamRun } from './run.ts';
import { noteRepeatedCursor, readGroup, walkOptions } from './walk.ts';

const HOUR = 3_600_000;
/** Least time in milliseconds between two readings of the threats of restored assets. */
const REREAD_PAUSE = 6 * HOUR;

const NO_WITHDRAWALS = { own: 0, children: 0 };

export interface SecondWalkStart {
  readonly mode: SecondWalkMode;
  readonly now: number;
  readonly epoch: number;
  /**
   * Time in milliseconds since 1970. Only rows whose last event was sent after it are sent again.
   * If absent, every row is sent again.
   */
  readonly since?: number | undefined;
  /** Whether the filter has changed, so that withdrawals are counted from zero. @default false */
  readonly isFilterChanged?: boolean;
}

/**
 * Returns the checkpoint with which a second walk begins. If a resync begins during a second walk
 * that sends everything again, the new second walk keeps the mode and the generation, so that no
 * row is sent twice.
 */
export function beginSecondWalk(before: Checkpoint, begin: SecondWalkStart): Checkpoint {
  const { mode, now, epoch, isFilterChanged } = begin;
  const { second, counts } = before;
  if (mode === 'restored') return beginReread(before, now);

  const keepsSending = second?.mode === 'all' && mode === 'differences';
  // Otherwise each repeated resync could withdraw more rows without a confirmation.
  const keepsCount = second !== undefined && second.mode !== 'restored' && !isFilterChanged;
  const fresh = { most: mostWithdrawals(counts.existing), withdrawn: NO_WITHDRAWALS };
  const generation = keepsSending ? before.generation : Math.max(epoch, before.generation + 1);
  return {
    ...before,
    window: [],
    generation,
    counts: keepsSending ? counts : { ...counts, listed: 0 },
    reconciled: now,
    second: {
      mode: keepsSending ? 'all' : mode,
      ...(keepsSending ? { since: second.since, withdrawalsSince: second.withdrawalsSince } : dueSince(begin, second)),
      phase: 'read',
      rows: 0,
      notBefore: now,
      ...(keepsCount ? { most: second.most, withdrawn: second.withdrawn } : fresh),
    },
  };
}

/**
 * Returns the times since which events are sent again. If an earlier replay has not finished, the
 * new replay also sends the rest of it:
 *
 *     earlier replay    new replay     rows     withdrawals
 *     since 10:00       since 11:00    10:00    10:00
 *     of everything     since 11:00    all      11:00
 */
function dueSince(
  { since }: SecondWalkStart,
  second: SecondWalk | undefined,
): Pick<SecondWalk, 'since' | 'withdrawalsSince'> {
  const isOpen = second?.mode === 'all' && (second.phase === 'read' || second.phase === 'withdraw');
  if (!isOpen || since === undefined) return { since, withdrawalsSince: since };
  return {
    since: second.since && Math.min(since, second.since),
    withdrawalsSince: Math.min(since, second.withdrawalsSince ?? since),
  };
}

/**
 * Returns the checkpoint after an asset was restored. A second walk that is under way begins its
 * pass again, because it has passed rows that exist again.
 */
function beginReread(before: Checkpoint, now: number): Checkpoint {
  const { second, reread } = before;
  if (second) {
    const phase = second.phase === 'sweep' ? 'confirm' : second.phase;
    return { ...before, second: { ...second, phase, cursor: undefined, scanned: undefined, rows: 0 } };
  }
  const notBefore = reread === undefined ? now : Math.max(now, reread + REREAD_PAUSE);
  const walk = { phase: 'read', rows: 0, most: 0, withdrawn: NO_WITHDRAWALS } as const;
  return { ...before, second: { ...walk, mode: 'restored', notBefore } };
}

/**
 * Returns the phase and the time of the second pass, which begins an hour after the end of the
 * first pass.
 */
export function confirmPassStart(now: number): Pick<SecondWalk, 'phase' | 'notBefore'> {
  return { phase: 'confirm', notBefore: now + HOUR };
}

/** Whether the second walk may continue now. */
export function isSecondWalkDue({ second }: Checkpoint, now: number): boolean {
  return second !== undefined && second.waiting === undefined && now >= second.notBefore;
}

/**
 * Number of bytes of rows that may be held back. If more are held back, they are sent before the
 * end of the pass, because memory is limited.
 */
const MOST_HELD_BYTES = 8 * 1024 * 1024;

interface HeldRow {
  readonly row: Row;
  /**
   * The checkpoint's `committed` sequence when the row was listed. If the row state is newer, the
   * walk has written it since, so the held row is outdated.
   */
  readonly committed: string;
}

/** The part of a pass over the list that one run reads. */
export class ListPass {
  readonly #streamRun: StreamRun;
  readonly #held = new Map<string, HeldRow>();
  #heldBytes = 0;
  #checkpoint: Checkpoint;
  /**
   * Cursor at which the pass continues. The checkpoint stays before the first row that is held
   * back, so that a kill does not lose that row.
   */
  #cursor: string | undefined;
  #rows: number;

  constructor(checkpoint: Checkpoint, streamRun: StreamRun) {
    this.#streamRun = streamRun;
    this.#checkpoint = checkpoint;
    this.#cursor = checkpoint.second!.cursor;
    this.#rows = checkpoint.second!.rows;
  }

  /**
   * Whether the pass continues from this checkpoint. It does not if the second walk has begun again
   * after the pass had begun.
   */
  continues({ second }: Checkpoint): boolean {
    return second === this.#second;
  }

  get #second(): SecondWalk {
    return this.#checkpoint.second!;
  }

  /**
   * @param isOver whether the second walk must pause, so that the walk can read new changes
   * @returns the checkpoint that is saved
   */
  async read(checkpoint: Checkpoint, isOver: () => boolean): Promise<Checkpoint> {
    this.#checkpoint = checkpoint;
    const { run, count } = this.#streamRun;
    const start = { cursor: this.#cursor, previous: undefined, learnedNames: checkpoint.names };

    for await (const group of groupPages(left => readPages({ ...walkOptions(this.#streamRun, left), ...start }))) {
      run.lease.signal.throwIfAborted();
      if (group[0]!.rewound) this.#beginAnew();
      await this.#readGroup(group);
      count({ pagesAgain: group.length });

      const last = group.at(-1)!;
      if (last.repeats) noteRepeatedCursor(last, this.#streamRun);
      if (last.next === null || last.repeats) return this.#end(isEndOfStream(last));
      if (this.#heldBytes > MOST_HELD_BYTES && !(await this.#send(this.#here()))) break;
      if (isOver()) break;
    }
    return this.#checkpoint;
  }

  /** Forgets the rows that the pass has read, because they are read again. */
  #beginAnew(): void {
    this.#held.clear();
    this.#heldBytes = 0;
    this.#rows = 0;
  }

  async #readGroup(group: readonly ReadPage[]): Promise<void> {
    const { mode } = this.#second;
    const read = await readGroup(group, NO_TAGS, this.#streamRun);
    const rows = read.pages.flat();
    const draft = new Draft(this.#checkpoint, read.states, draftOptions(rows.length, this.#streamRun));
    const back = mode === 'restored' ? await this.#restored(rows, read.states) : NO_TAGS;

    for (const row of rows) {
      if ('reason' in row) {
        if (mode !== 'restored') draft.reject(row);
      } else if (!this.#streamRun.stream.hasRowStates) draft.row(row, mode);
      else if (this.#isOldMove(row, read.states.get(row.id))) this.#release(row.id);
      else if (mode === 'restored' ? back.has(row.id) : !draft.isSame(row, mode)) this.#hold(row);
      else {
        this.#release(row.id);
        if (mode !== 'restored') draft.row(row, mode);
      }
    }
    this.#cursor = group.at(-1)!.next ?? undefined;
    this.#rows += group.flatMap(page => page.rows).length;
    const second = this.#held.size === 0 ? this.#here() : this.#second;
    await this.#commit(draft, { ...second, isHeldUp: this.#second.isHeldUp && this.#held.size > 0 });
  }

  /**
   * Whether the row is listed under an asset that it has left. An API that lists every version
   * still shows a threat under its former asset after its present asset was removed. During the
   * first pass every changed row that has moved counts as such a row, because the walk sends a
   * threat that has really moved.
   */
  #isOldMove(row: Row, state: RowState | undefined): boolean {
    const { mode, phase } = this.#second;
    const isMove = state?.parent !== undefined && row.parent !== undefined && state.parent !== row.parent;
    return (
      isMove && state.rowHash !== row.rowHash && (mode === 'restored' || state.status === 'removed' || phase === 'read')
    );
  }

  /** State of the second walk after the page that was read last. */
  #here(): SecondWalk {
    return { ...this.#second, cursor: this.#cursor, rows: this.#rows };
  }

  #hold(row: Row): void {
    this.#release(row.id);
    this.#held.set(row.id, { row, committed: this.#checkpoint.committed });
    this.#heldBytes += row.text.length;
  }

  #release(id: string): void {
    this.#heldBytes -= this.#held.get(id)?.row.text.length ?? 0;
    this.#held.delete(id);
  }

  /**
   * Finds the ids of rows whose parent exists again, and that were withdrawn with the parent or
   * never seen under it.
   */
  async #restored(
    rows: Awaited<ReturnType<typeof readGroup>>['pages'][number],
    states: ReadonlyMap<string, RowState>,
  ): Promise<ReadonlySet<string>> {
    const gone = rows.flatMap(row => {
      const isGone =
        !('reason' in row) && row.filter !== 'filtered' && (states.get(row.id)?.status ?? 'removed') === 'removed';
      return isGone && row.parent !== undefined ? [{ id: row.id, parent: row.parent }] : [];
    });
    const parents = await this.#parentsOf(gone);
    const exists = (id: string) => (parents.get(id)?.status ?? 'removed') !== 'removed';
    return new Set(gone.filter(({ parent }) => exists(parent)).map(({ id }) => id));
  }

  async #parentsOf(rows: readonly Pick<Row, 'parent'>[]): Promise<ReadonlyMap<string, RowState>> {
    const { stream, run } = this.#streamRun;
    const ids = [...new Set(rows.flatMap(({ parent }) => parent ?? []))];
    return stream.cascadesFrom && ids.length > 0 ? run.rowStates.get(stream.cascadesFrom as 'assets', ids) : new Map();
  }

  async #commit(draft: Draft, second: SecondWalk | undefined, next: Partial<Checkpoint> = {}): Promise<void> {
    const batch = draft.batch({ ...next, second });
    this.#streamRun.count(draft.read);
    // The window is emptied, because it may know another version of a row that is sent here. An
    // immutable row has no other version, so its window stays.
    const isCleared = batch.records.length > 0 && this.#streamRun.stream.hasRowStates;
    const window = isCleared ? [] : batch.checkpoint.window;
    const checkpoint = { ...batch.checkpoint, window };
    this.#checkpoint = await commitBatch({ ...batch, checkpoint }, this.#checkpoint, this.#streamRun);
  }

  /**
   * Sends the rows that are held back, as they were listed last.
   *
   * @param after state of the second walk afterwards; undefined when it has ended
   * @returns whether all of the rows were sent; false when the guard stopped before some of them
   */
  async #send(after: SecondWalk | undefined, next: Partial<Checkpoint> = {}): Promise<boolean> {
    const { stream, run } = this.#streamRun;
    for (const piece of chunks([...this.#held.values()], BATCH_ROWS)) {
      const ids = piece.map(({ row }) => row.id);
      const states = await run.rowStates.get(stream.name, ids);
      const parents = await this.#parentsOf(piece.map(({ row }) => row));
      const options = {
        ...draftOptions(piece.length, this.#streamRun),
        allowance: withdrawalAllowance(this.#second).own,
      };
      const draft = new Draft(this.#checkpoint, states, options);
      for (const { row, committed } of piece) {
        const isOutdated = (states.get(row.id)?.sequence ?? '') > committed;
        // If the parent was removed after the row was listed, the walk has withdrawn the rows of
        // the parent, but it did not know this row.
        const isGone = row.parent !== undefined && parents.get(row.parent)?.status === 'removed';
        if (!isOutdated && !isGone) draft.row(row, this.#second.mode);
      }
      const withdrawn = addWithdrawals(this.#second.withdrawn, { own: draft.withdrawn, children: 0 });
      await this.#commit(draft, { ...this.#second, withdrawn });
      for (const id of ids) this.#release(id);
      if (draft.kept > 0) {
        await this.#stop(draft.kept);
        return false;
      }
    }
    const second = after && { ...after, withdrawn: this.#second.withdrawn, isHeldUp: undefined };
    this.#checkpoint = await saveCheckpoint({ ...this.#checkpoint, ...next, second }, this.#streamRun);
    return true;
  }

  /**
   * Stops the pass, because the guard allows no further withdrawals. After a confirmation the pass
   * continues before the first row that was held back.
   */
  async #stop(kept: number): Promise<void> {
    const left = [...this.#held.values()].filter(({ row }) => row.filter === 'filtered').length;
    this.#beginAnew();
    const waiting = { reason: 'filtered', own: kept + left, children: 0 } as const;
    this.#checkpoint = await stopSecondWalk(waiting, this.#checkpoint, this.#streamRun);
  }

  /**
   * Ends the pass.
   *
   * @param isComplete whether the pass has listed every row
   */
  async #end(isComplete: boolean): Promise<Checkpoint> {
    const now = this.#streamRun.run.clock.now();
    const { mode, phase, withdrawalsSince } = this.#second;
    const { hasRowStates } = this.#streamRun.stream;
    const { counts, committed } = this.#checkpoint;
    const pass = { ...this.#second, cursor: undefined, rows: 0 };
    // Neither an empty list nor a list that leads around a circle proves that a row does not exist.
    // The pass is repeated until its list is a proof.
    const isEmpty = this.#rows === 0 && (hasRowStates ? counts.existing > 0 : committed !== '');
    const isProof = isComplete && !isEmpty;
    if (!hasRowStates) await this.#send(isEmpty ? { ...pass, notBefore: now + HOUR } : undefined);
    else if (mode === 'restored') await this.#send(undefined, { reread: now });
    else if (!isProof) await this.#send({ ...pass, notBefore: now + HOUR });
    else if (phase === 'read') {
      const next =
        withdrawalsSince === undefined ? confirmPassStart(now) : ({ phase: 'withdraw', notBefore: now } as const);
      await this.#send({ ...pass, ...next });
    } else await this.#send({ ...pass, phase: 'sweep' });
    return this.#checkpoint;
  }

  /**
   * Ends the pass's part of the run. Rows that are still held back are listed again in the next
   * run, so that no old version is sent. If a whole run did not bring the pass forward, the rows
   * are sent now, because the pass would otherwise never end.
   */
  async leave(): Promise<Checkpoint> {
    if (this.#held.size === 0) return this.#checkpoint;
    if (this.#second.isHeldUp) await this.#send(this.#here());
    else
      this.#checkpoint = await saveCheckpoint(
        { ...this.#checkpoint, second: { ...this.#second, isHeldUp: true } },
        this.#streamRun,
      );
    return this.#checkpoint;
  }
}

const NO_TAGS: ReadonlySet<string> = new Set();

/**
 * Stops the second walk until an operator confirms its withdrawals, because the guard demands it.
 */
export function stopSecondWalk(
  waiting: NonNullable<SecondWalk['waiting']>,
  checkpoint: Checkpoint,
  streamRun: StreamRun,
): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  run.log.warn('Withdrawals wait for a confirmation: `connectorctl confirm withdrawals` shows them', {
    stream: stream.name,
    reason: waiting.reason,
    withdrawn: checkpoint.second!.withdrawn.own,
  });
  return saveCheckpoint({ ...checkpoint, second: { ...checkpoint.second!, waiting } }, streamRun);
}

/** Returns the checkpoint after an operator has confirmed the withdrawals. */
export function confirmWithdrawals(checkpoint: Checkpoint): Checkpoint {
  const { second } = checkpoint;
  return second?.waiting ? { ...checkpoint, second: { ...second, waiting: undefined, isConfirmed: true } } : checkpoint;
}
