/**
 * Implements the lease as one item, which is taken when it is free or expired, and is renewed while
 * the run lasts. Each take raises its epoch to max(previous + 1, seconds since 2026-01-01), and the
 * epoch fences every checkpoint. Scheduler and Lambda deliver at least once, so it is normal that
 * two runs begin at the same moment.
 *
 *     run A takes epoch 7 ── frozen for 90 s ─────────────── thaws: its lease is lost, its checkpoint with epoch 7 is refused
 *     run B                        takes epoch 8, dirty ── raises the fence to 8 ── reads
 *
 * B finds the lease dirty, because A never released it. B raises the fence before it reads, so that
 * A can no longer change the data that B has read.
 */
import { LeaseLostError } from '../core/errors.ts';
import { epochAt } from '../core/sequence.ts';
import { type LeaseTimes, leaseTimes } from '../lease-times.ts';
import type { Clock, HeldLease, Lease } from '../ports.ts';
import { leaseKey } from './item.ts';
import type { Table } from './table.ts';

export interface LeaseOptions {
  readonly table: Table;
  readonly clock: Clock;
  /** Id of the run, which differs from the id of every other run. */
  readonly holder: string;
  readonly seconds: number;
  /** Pace of the API requests. Each run saves it in the lease for the next run. */
  readonly pace?: Pace | undefined;
}

interface Pace {
  readonly due: number;
  continueFrom(due: number | undefined, now: number): void;
}

/**
 * Time within which a write lands whose connection was given up. It is an assumption that no write
 * lands later: see docs/limits.md.
 */
const UNCLEAR_MILLISECONDS = 60_000;

/**
 * Number of renewals within a term. There are three, so that one lost renewal does not end the run.
 */
const RENEWALS = 3;

export interface LeaseTake {
  readonly epoch: number;
  readonly holder: string;
  /** Time of the take, in milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds until the lease expires. */
  readonly term: number;
}

/** Returns the update of the lease's item that takes a lease if it is free or has expired. */
export function leaseTake({ epoch, holder, now, term }: LeaseTake) {
  return {
    UpdateExpression:
      'SET epoch = :epoch, holder = :holder, expires = :expires, ended = :no, table_id = if_not_exists(table_id, :holder)',
    // The condition allows the same holder, because a take whose answer was lost is repeated, and
    // the repeat must succeed. It also compares the epoch, because an earlier take of this run that
    // lands late must not lower the epoch.
    ConditionExpression:
      'attribute_not_exists(epoch) OR epoch < :epoch AND expires < :now OR epoch < :epoch AND ended <> :no OR epoch <= :epoch AND holder = :holder',
    ExpressionAttributeValues: {
      ':epoch': { N: String(epoch) },
      ':holder': { S: holder },
      ':expires': { N: String(now + term) },
      ':now': { N: String(now) },
      ':no': { S: 'no' },
    },
    ReturnValues: 'ALL_OLD',
  } as const;
}

export function createLease({ table, clock, holder, seconds, pace }: LeaseOptions): Lease {
  const times = leaseTimes(seconds);
  return {
    async take() {
      const now = clock.now();
      const take = (epoch: number) =>
        table.update({ Key: leaseKey, ...leaseTake({ epoch, holder, now, term: times.term }) });
      let epoch = epochAt(now);
      let before = await take(epoch);
      if (!before) {
        // The take may have failed because two runs began within a second, or because a clock was
        // ahead. Otherwise another run holds the lease.
        const [held] = await table.get([leaseKey]);
        const previous = Number(held?.['epoch']?.N ?? 0);
        if (previous < epoch) return undefined;
        epoch = previous + 1;
        before = await take(epoch);
        if (!before) return undefined;
      }
      const { epoch: earlier, ended, requestsDue, table_id, unclear_runs } = before;
      // A run that did not end has not saved its pace, so its number of requests is unknown.
      if (earlier) pace?.continueFrom(ended?.S === 'no' ? undefined : Number(requestsDue?.N ?? 0), now);
      const held = {
        epoch,
        dirty: earlier !== undefined && ended?.S !== 'clean',
        tableId: table_id?.S ?? holder,
        unclearRuns: Number(unclear_runs?.N ?? 0),
      };
      return hold(held, now + times.term, { table, clock, times, pace });
    },
  };
}

type Taken = Pick<HeldLease, 'epoch' | 'dirty' | 'tableId' | 'unclearRuns'>;

interface Holding extends Pick<LeaseOptions, 'table' | 'clock' | 'pace'> {
  readonly times: LeaseTimes;
}

/** @param until end of the term that began with the take, in milliseconds since 1970 */
function hold(taken: Taken, until: number, { table, clock, times, pace }: Holding): HeldLease {
  const { epoch, unclearRuns } = taken;
  const lost = new AbortController();
  const over = new AbortController();
  let validUntil = until;
  let writes = 0;
  /** Renewal in flight, which never rejects. */
  let renewing: Promise<void> | undefined;

  const lose = (reason: string): LeaseLostError => {
    const error = new LeaseLostError(reason);
    if (!lost.signal.aborted) lost.abort(error);
    return error;
  };

  /**
   * Throws when the lease is lost or released. Otherwise a write that is still being retried after
   * its run has ended would overwrite a write of the next run.
   */
  const assertHeld = async () => {
    lost.signal.throwIfAborted();
    if (over.signal.aborted) throw new LeaseLostError('it was given back');
  };

  /**
   * Renews the lease. It throws when the table does not answer, and aborts the run when another run
   * has taken over.
   */
  const renew = async () => {
    const expires = clock.now() + times.term;
    const input = {
      Key: leaseKey,
      UpdateExpression: 'SET expires = :expires',
      ConditionExpression: 'epoch = :epoch AND ended = :no',
      ExpressionAttributeValues: {
        ':expires': { N: String(expires) },
        ':epoch': { N: String(epoch) },
        ':no': { S: 'no' },
      },
    };
    if (!(await table.update(input, assertHeld))) throw lose('another run has taken it over');
    validUntil = expires;
  };

  /**
   * Renews the lease at each heartbeat, and ends the run when a heartbeat finds that the lease has
   * run out. A renewal is not awaited, because the table may delay it for longer than the lease
   * lasts.
   */
  const heartbeat = async () => {
    for (;;) {
      await clock.sleep(times.term / RENEWALS, over.signal).catch(() => undefined);
      if (over.signal.aborted || lost.signal.aborted) return;
      if (clock.now() >= validUntil) lose('it could not be renewed in time');
      // After a failure the next heartbeat tries again. After a lost lease the signal is already
      // aborted.
      else
        renewing ??= renew()
          .catch(() => undefined)
          .finally(() => {
            renewing = undefined;
          });
    }
  };
  void heartbeat();

  return {
    ...taken,
    signal: lost.signal,
    nextFence: () => ({ epoch, write: ++writes }),

    async assertValid() {
      await assertHeld();
      while (validUntil - clock.now() <= times.margin) {
        await renew();
        await assertHeld();
        // The container may have been frozen, or the answer may have come after many tries, so that
        // the new term is over already.
        if (clock.now() >= validUntil) throw lose('it could not be renewed in time');
      }
    },

    /**
     * Releases the lease. After unclear answers the lease stays occupied, because a write that was
     * given up may still land, and must not overwrite a newer write.
     *
     *     12:00:00   a write of a row state times out, is repeated, and the batch is saved
     *     12:00:01   the run ends, and the lease lasts until 12:01:01
     *     12:00:40   the first attempt lands, over the same content
     *     12:02:00   the next run takes the lease
     */
    async release({ clean, unclear = false }) {
      over.abort();
      await renewing;
      const expires = unclear ? ', expires = :expires' : '';
      const due = pace ? ', requestsDue = :due' : '';
      const released = await table.update({
        Key: leaseKey,
        UpdateExpression: `SET ended = :ended, unclear_runs = :unclear${expires}${due}`,
        // The condition is not `ended = :no`, because a release whose answer was lost is repeated,
        // and the repeat must succeed.
        ConditionExpression: 'epoch = :epoch',
        ExpressionAttributeValues: {
          ':ended': { S: unclear ? 'no' : clean ? 'clean' : 'dirty' },
          ':unclear': { N: String(unclear ? unclearRuns + 1 : 0) },
          ':epoch': { N: String(epoch) },
          ...(unclear && { ':expires': { N: String(clock.now() + UNCLEAR_MILLISECONDS) } }),
          ...(pace && { ':due': { N: String(pace.due) } }),
        },
      });
      if (!released) throw lose('another run has taken it over');
    },
  };
}
