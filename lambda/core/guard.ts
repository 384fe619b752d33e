/**
 * Stops a second walk before it empties the SIEM's copy. A filter that excludes everything, or an
 * API that lists nothing for an hour, would otherwise withdraw every row. Withdrawals that follow
 * from a `deleted` of the API are not limited.
 *
 *     rows that exist    withdrawn without a confirmation
 *     20                 20
 *     400                200     never more than half
 *     3,000              500
 *     1,000,000          100,000
 */
import type { Checkpoint, Hash, RowCounts, SecondWalk, WaitingWithdrawals, WithdrawalCounts } from '../ports.ts';
import type { StreamName } from '../streams.ts';

const ALWAYS = 500;
const SHARE = 0.1;
const MOST_SHARE = 0.5;
/** Number of rows up to which a whole stream may be withdrawn. */
const FEW = 20;

/**
 * Returns the largest number of rows that one second walk may withdraw from a stream. For example,
 * 50 of 100, 500 of 2,000, 1,000 of 10,000.
 *
 * @param existing number of rows of the stream that exist
 */
export function mostWithdrawals(existing: number): number {
  const most = Math.max(ALWAYS, Math.floor(existing * SHARE));
  return existing > FEW ? Math.min(most, Math.floor(existing * MOST_SHARE)) : most;
}

/**
 * Number of rows that the walk may still withdraw.
 *
 * @param children counts of the stream whose rows disappear together with the rows of the walk's
 * stream
 */
export function withdrawalAllowance(
  { withdrawn, most, isConfirmed }: SecondWalk,
  children?: RowCounts,
): WithdrawalCounts {
  if (isConfirmed) return { own: Number.POSITIVE_INFINITY, children: Number.POSITIVE_INFINITY };
  const mostChildren = mostWithdrawals((children?.existing ?? 0) + withdrawn.children);
  return { own: Math.max(0, most - withdrawn.own), children: Math.max(0, mostChildren - withdrawn.children) };
}

export function addWithdrawals(before: WithdrawalCounts, more: WithdrawalCounts): WithdrawalCounts {
  return { own: before.own + more.own, children: before.children + more.children };
}

/** Withdrawals that wait for a confirmation, by stream. */
export function waitingWithdrawalsOf(
  checkpoints: Iterable<readonly [StreamName, Checkpoint]>,
): ReadonlyMap<StreamName, WaitingWithdrawals> {
  const waiting = [...checkpoints].flatMap(([stream, { second }]) =>
    second?.waiting ? [[stream, second.waiting] as const] : [],
  );
  return new Map(waiting);
}

const DIGEST_LENGTH = 32;

/**
 * Identifies the withdrawals that an operator saw, so that nobody confirms other withdrawals by
 * mistake.
 */
export function withdrawalsDigest(checkpoints: Iterable<readonly [StreamName, Checkpoint]>, hash: Hash): string {
  const shown = [...checkpoints]
    .filter(([, { second }]) => second?.waiting)
    .map(([stream, { generation, second }]) => [stream, generation, second!.withdrawn, second!.waiting])
    .sort();
  return hash(JSON.stringify(shown)).slice(0, DIGEST_LENGTH);
}
