/**
 * The lease: one item, taken when free or expired, renewed while the run lasts. Each take raises its epoch, which fences every checkpoint:
 * epoch = max(previous + 1, seconds since 2026-01-01).
 * Scheduler and Lambda deliver at least once, so two runs at one moment are normal.
 *
 *     run A takes epoch 7 ── frozen for 90 s ─────────────── thaws: its lease is lost, its checkpoint with epoch 7 is refused
 *     run B                        takes epoch 8, dirty ── raises the fence to 8 ── reads
 *
 * B finds the lease dirty, because A never released it. It raises the fence before it reads, so nothing of A can change what it read.
 */
import { LeaseLostError } from '../core/errors.ts';
import { epochAt } from '../core/sequence.ts';
import { type LeaseTimes, leaseTimes } from '../lease-times.ts';
import type { Clock, Fence, HeldLease, Lease } from '../ports.ts';
import { leaseKey } from './item.ts';
import type { Table } from './table.ts';

export interface LeaseOptions {
  readonly table: Table;
  readonly clock: Clock;
  /** Unlike that of any other run. */
  readonly holder: string;
  readonly seconds: number;
  /** Handed from one run to the next. */
  readonly pace?: Pace | undefined;
}

interface Pace {
  readonly due: number;
  continueFrom(due: number | undefined, now: number): void;
}

/** In this time a write lands whose connection was given up. That none lands later is an assumption: docs/limits.md names it. */
const UNCLEAR_MILLISECONDS = 60_000;

/** Renewed three times within its term, so that one lost renewal does not end the run. */
const RENEWALS = 3;

export function createLease({ table, clock, holder, seconds, pace }: LeaseOptions): Lease {
  const times = leaseTimes(seconds);
  return {
    async take() {
      const now = clock.now();
      const take = (epoch: number) =>
        table.update({
          Key: leaseKey,
          UpdateExpression:
            'SET epoch = :epoch, holder = :holder, expires = :expires, ended = :no, table_id = if_not_exists(table_id, :holder)',
          // Its own name is part of the condition: when the answer to a take was lost, the repeat must not find itself locked out. The epoch is part of it,
          // too: an earlier take of this run that lands late must not lower it.
          ConditionExpression:
            'attribute_not_exists(epoch) OR epoch < :epoch AND expires < :now OR epoch < :epoch AND ended <> :no OR epoch <= :epoch AND holder = :holder',
          ExpressionAttributeValues: {
            ':epoch': { N: String(epoch) },
            ':holder': { S: holder },
            ':expires': { N: String(now + times.term) },
            ':now': { N: String(now) },
            ':no': { S: 'no' },
          },
          ReturnValues: 'ALL_OLD',
        });
      let epoch = epochAt(now);
      let before = await take(epoch);
      if (!before) {
        // Two runs within a second, or a clock that was ahead. Otherwise another run holds the lease.
        const [held] = await table.get([leaseKey]);
        const previous = Number(held?.['epoch']?.N ?? 0);
        if (previous < epoch) return undefined;
        epoch = previous + 1;
        before = await take(epoch);
        if (!before) return undefined;
      }
      const dirty = before['epoch'] !== undefined && before['ended']?.S !== 'clean';
      const { epoch: earlier, ended, requestsDue, table_id, unclear_runs } = before;
      // A run that did not end has not said what it requested.
      if (earlier) pace?.continueFrom(ended?.S === 'no' ? undefined : Number(requestsDue?.N ?? 0), now);
      return new HeldItem({
        table,
        clock,
        epoch,
        dirty,
        tableId: table_id?.S ?? holder,
        unclearRuns: Number(unclear_runs?.N ?? 0),
        times,
        validUntil: now + times.term,
        pace,
      });
    },
  };
}

interface HeldItemOptions extends Pick<HeldLease, 'epoch' | 'dirty' | 'tableId' | 'unclearRuns'> {
  readonly table: Table;
  readonly clock: Clock;
  readonly times: LeaseTimes;
  readonly validUntil: number;
  readonly pace: Pace | undefined;
}

class HeldItem implements HeldLease {
  readonly epoch: number;
  readonly dirty: boolean;
  readonly tableId: string;
  readonly unclearRuns: number;
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();
  readonly #pace: Pace | undefined;
  #validUntil: number;
  #writes = 0;
  /** The renewal in flight; it never rejects. */
  #renewing: Promise<void> | undefined;

  constructor({ table, clock, epoch, dirty, tableId, unclearRuns, times, validUntil, pace }: HeldItemOptions) {
    this.#table = table;
    this.#clock = clock;
    this.epoch = epoch;
    this.dirty = dirty;
    this.tableId = tableId;
    this.unclearRuns = unclearRuns;
    this.#times = times;
    this.#validUntil = validUntil;
    this.#pace = pace;
    void this.#heartbeat();
  }

  nextFence(): Fence {
    this.#writes++;
    return { epoch: this.epoch, write: this.#writes };
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  readonly assertValid = async (): Promise<void> => {
    this.#assertHeld();
    while (this.#validUntil - this.#clock.now() <= this.#times.margin) {
      await this.#renew();
      this.#assertHeld();
      // The answer may have waited for a frozen container, or come after many tries: then the term that it began is over.
      if (this.#clock.now() >= this.#validUntil) throw this.#lose('it could not be renewed in time');
    }
  };

  /** A write that is still being retried when its run has ended must not land on top of the next run's. */
  #assertHeld(): void {
    this.signal.throwIfAborted();
    if (this.#over.signal.aborted) throw new LeaseLostError('it was given back');
  }

  /**
   * After unclear answers the lease stays occupied: a write that was given up may still land, and must not land over a newer one.
   *
   *     12:00:00   a write of a row state times out, is repeated, and the batch is saved
   *     12:00:01   the run ends, and the lease lasts until 12:01:01
   *     12:00:40   the first attempt lands, over the same content
   *     12:02:00   the next run takes the lease
   */
  async release({ clean, unclear = false }: { readonly clean: boolean; readonly unclear?: boolean }): Promise<void> {
    this.#over.abort();
    await this.#renewing;
    const ended = unclear ? 'no' : clean ? 'clean' : 'dirty';
    const released = await this.#table.update({
      Key: leaseKey,
      UpdateExpression: `SET ended = :ended, unclear_runs = :unclear${unclear ? ', expires = :expires' : ''}${this.#pace ? ', requestsDue = :due' : ''}`,
      // Not `ended = :no`: when the answer to a release was lost, the repeat finds it done.
      ConditionExpression: 'epoch = :epoch',
      ExpressionAttributeValues: {
        ':ended': { S: ended },
        ':unclear': { N: String(unclear ? this.unclearRuns + 1 : 0) },
        ':epoch': { N: String(this.epoch) },
        ...(unclear && { ':expires': { N: String(this.#clock.now() + UNCLEAR_MILLISECONDS) } }),
        ...(this.#pace && { ':due': { N: String(this.#pace.due) } }),
      },
    });
    if (!released) throw this.#lose('another run has taken it over');
  }

  /**
   * Renews at each heartbeat, and ends the run at the one at which the lease has run out. A renewal is not awaited: the table
   * may keep it waiting for longer than the lease lasts.
   */
  async #heartbeat(): Promise<void> {
    while (await this.#pause()) {
      if (this.#clock.now() >= this.#validUntil) this.#lose('it could not be renewed in time');
      // The next heartbeat tries again after a failure. A lost lease has aborted the signal.
      else
        this.#renewing ??= this.#renew()
          .catch(() => undefined)
          .finally(() => {
            this.#renewing = undefined;
          });
    }
  }

  /** @returns false when there is no lease left to renew */
  async #pause(): Promise<boolean> {
    const { signal } = this.#over;
    await this.#clock.sleep(this.#times.term / RENEWALS, signal).catch(() => undefined);
    return !signal.aborted && !this.signal.aborted;
  }

  /** Throws when the table does not answer; aborts the run when another has taken over. */
  async #renew(): Promise<void> {
    const expires = this.#clock.now() + this.#times.term;
    const input = {
      Key: leaseKey,
      UpdateExpression: 'SET expires = :expires',
      ConditionExpression: 'epoch = :epoch AND ended = :no',
      ExpressionAttributeValues: {
        ':expires': { N: String(expires) },
        ':epoch': { N: String(this.epoch) },
        ':no': { S: 'no' },
      },
    };
    const renewed = await this.#table.update(input, async () => this.#assertHeld());
    if (!renewed) throw this.#lose('another run has taken it over');
    this.#validUntil = expires;
  }

  #lose(what: string): LeaseLostError {
    const error = new LeaseLostError(what);
    if (!this.signal.aborted) this.#lost.abort(error);
    return error;
  }
}
