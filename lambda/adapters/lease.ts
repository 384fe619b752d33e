/**
 * The lease: one item, taken when free or expired, renewed while the run goes on. Each take raises its epoch, which is the
 * fence of every checkpoint write. Scheduler and Lambda deliver at least once, so two runs at one moment are normal.
 */
import { LeaseLostError } from '../core/errors.ts';
import type { Clock, HeldLease, Lease } from '../ports.ts';
import { leaseKey } from './keys.ts';
import type { Table } from './table.ts';

export interface LeaseOptions {
  readonly table: Table;
  readonly clock: Clock;
  /** Unlike that of any other run. */
  readonly owner: string;
  readonly seconds: number;
}

/** Renewed three times within its term, so that one lost renewal does not end the run. */
const RENEWALS = 3;
/** A batch of writes may take this long at most; it may start only while the lease lasts longer. */
const AMPLE_MILLISECONDS = 20_000;

export function createLease({ table, clock, owner, seconds }: LeaseOptions): Lease {
  const term = seconds * 1000;
  return {
    async take() {
      const now = clock.now();
      const before = await table.update({
        Key: leaseKey,
        UpdateExpression:
          'SET epoch = if_not_exists(epoch, :none) + :one, holder = :holder, expires = :expires, ended = :no',
        // One's own name in the condition: when the answer to a take was lost, the repeat must not find itself locked out.
        ConditionExpression: 'attribute_not_exists(epoch) OR expires < :now OR ended <> :no OR holder = :holder',
        ExpressionAttributeValues: {
          ':none': { N: '0' },
          ':one': { N: '1' },
          ':holder': { S: owner },
          ':expires': { N: String(now + term) },
          ':now': { N: String(now) },
          ':no': { S: 'no' },
        },
        ReturnValues: 'ALL_OLD',
      });
      if (!before) return undefined;
      const unclean = before['epoch'] !== undefined && before['ended']?.S !== 'cleanly';
      return new Holding(table, clock, Number(before['epoch']?.N ?? 0) + 1, unclean, term, now + term);
    },
  };
}

class Holding implements HeldLease {
  readonly epoch: number;
  readonly unclean: boolean;
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #term: number;
  readonly #lost = new AbortController();
  readonly #over = new AbortController();
  #validUntil: number;

  constructor(table: Table, clock: Clock, epoch: number, unclean: boolean, term: number, validUntil: number) {
    this.#table = table;
    this.#clock = clock;
    this.epoch = epoch;
    this.unclean = unclean;
    this.#term = term;
    this.#validUntil = validUntil;
    void this.#beat();
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  readonly guard = async (): Promise<void> => {
    this.signal.throwIfAborted();
    const ample = Math.min(AMPLE_MILLISECONDS, this.#term / 2);
    if (this.#validUntil - this.#clock.now() > ample) return;
    await this.#renew();
    this.signal.throwIfAborted();
  };

  async release({ clean }: { readonly clean: boolean }): Promise<void> {
    this.#over.abort();
    const released = await this.#table.update({
      Key: leaseKey,
      UpdateExpression: 'SET ended = :ended',
      // Not `ended = :no`: when the answer to a release was lost, the repeat finds it done.
      ConditionExpression: 'epoch = :epoch',
      ExpressionAttributeValues: {
        ':ended': { S: clean ? 'cleanly' : 'in doubt' },
        ':epoch': { N: String(this.epoch) },
      },
    });
    if (!released) throw this.#lose('another run has taken it over');
  }

  /**
   * Renews at each beat, and ends the run at the beat at which the lease has run out. A renewal is not awaited: the table
   * may keep it waiting for longer than the lease lasts.
   */
  async #beat(): Promise<void> {
    let renewing = false;
    while (await this.#pause()) {
      if (this.#clock.now() >= this.#validUntil) this.#lose('it could not be renewed in time');
      else if (!renewing) {
        renewing = true;
        this.#renew()
          // The next beat tries again; what is lost has said so through the signal.
          .catch(() => undefined)
          .finally(() => {
            renewing = false;
          });
      }
    }
  }

  /** @returns false when there is nothing left to beat for. */
  async #pause(): Promise<boolean> {
    const { signal } = this.#over;
    await this.#clock.sleep(this.#term / RENEWALS, signal).catch(() => undefined);
    return !signal.aborted && !this.signal.aborted;
  }

  /** Throws when the table does not answer; aborts the run when another has taken over. */
  async #renew(): Promise<void> {
    const expires = this.#clock.now() + this.#term;
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
    const renewed = await this.#table.update(input, async () => {
      this.#over.signal.throwIfAborted();
      this.signal.throwIfAborted();
    });
    if (!renewed) throw this.#lose('another run has taken it over');
    this.#validUntil = expires;
  }

  #lose(what: string): LeaseLostError {
    const error = new LeaseLostError(what);
    if (!this.signal.aborted) this.#lost.abort(error);
    return error;
  }
}
