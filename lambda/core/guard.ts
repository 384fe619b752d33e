/**
 * Stops a second walk before it empties the SIEM. A filter that excludes everything, or an API that lists nothing for an hour, would withdraw
 * every row; what is withdrawn because the API says "deleted" is not concerned.
 *
 *     rows that exist    withdrawn without a confirmation
 *     20                 20
 *     400                200     never more than half
 *     3,000              500
 *     1,000,000          100,000
 */
import type { Checkpoint, Hash, RowCounts, SecondWalk, WaitingWithdrawals, Withdrawals } from '../ports.ts';
import type { StreamName } from '../streams.ts';

const ALWAYS = 500;
const SHARE = 0.1;
const MOST_SHARE = 0.5;
/** A stream of so few rows may be withdrawn whole. */
const FEW = 20;

/** Rows that one second walk may withdraw of a stream in which so many rows exist. */
export function mostWithdrawals(existing: number): number {
  const most = Math.max(ALWAYS, Math.floor(existing * SHARE));
  return existing > FEW ? Math.min(most, Math.floor(existing * MOST_SHARE)) : most;
}

/** How many more rows the walk may withdraw. @param children counts of the stream whose rows disappear with these */
export function allowance({ withdrawn, most, isConfirmed }: SecondWalk, children?: RowCounts): Withdrawals {
  if (isConfirmed) return { own: Number.POSITIVE_INFINITY, children: Number.POSITIVE_INFINITY };
  const mostChildren = mostWithdrawals((children?.existing ?? 0) + withdrawn.children);
  return { own: Math.max(0, most - withdrawn.own), children: Math.max(0, mostChildren - withdrawn.children) };
}

export function added(one: Withdrawals, other: Withdrawals): Withdrawals {
  return { own: one.own + other.own, children: one.children + other.children };
}

/** The withdrawals that wait for a confirmation, by stream. */
export function waitingOf(
  checkpoints: Iterable<readonly [StreamName, Checkpoint]>,
): ReadonlyMap<StreamName, WaitingWithdrawals> {
  const waiting = [...checkpoints].flatMap(([stream, { second }]) =>
    second?.waiting ? [[stream, second.waiting] as const] : [],
  );
  return new Map(waiting);
}

const DIGEST_LENGTH = 32;

/** Identifies the withdrawals that an operator saw, so that nobody confirms other withdrawals by mistake. */
export function withdrawalsDigest(checkpoints: Iterable<readonly [StreamName, Checkpoint]>, hash: Hash): string {
  const shown = [...checkpoints]
    .filter(([, { second }]) => second?.waiting)
    .map(([stream, { generation, second }]) => [stream, generation, second!.withdrawn, second!.waiting])
    .sort();
  return hash(JSON.stringify(shown)).slice(0, DIGEST_LENGTH);
}
