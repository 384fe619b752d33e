import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import {
  mostWithdrawals,
  waitingWithdrawalsOf,
  withdrawalAllowance,
  withdrawalsDigest,
} from '../../lambda/core/guard.ts';
import { confirmWithdrawals } from '../../lambda/core/second-walk.ts';
import type { Checkpoint, SecondWalk } from '../../lambda/ports.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { sha256 } from '../../lambda/system.ts';

const SECOND: SecondWalk = {
  mode: 'differences',
  phase: 'read',
  rows: 0,
  notBefore: 0,
  most: 10,
  withdrawn: { own: 4, children: 0 },
};
const WAITING = { reason: 'not-listed', own: 7, children: 2 } as const;

describe('the limits of the guard', () => {
  test.each([
    [0, 500],
    [1, 500],
    [20, 500],
    [21, 10],
    [400, 200],
    [999, 499],
    [1_000, 500],
    [3_000, 500],
    [5_001, 500],
    [5_010, 501],
    [1_000_000, 100_000],
  ])('the guard of a stream with %d existing rows allows %d withdrawals without a confirmation', (existing, most) => {
    expect(mostWithdrawals(existing)).toBe(most);
  });

  test.each([
    // withdrawn, of how many children that exist, how many more
    [0, 0, 0, 10, 500],
    [4, 0, 21, 6, 10],
    [10, 0, 21, 0, 10],
    [11, 0, 21, 0, 10],
    // Of 800 children 300 were withdrawn, and 400 may be.
    [0, 300, 500, 10, 100],
    [0, 401, 399, 10, 0],
  ])('a walk with %d rows and %d children withdrawn, %d children left, may withdraw %d and %d more', (...of) => {
    const [own, children, existing, ...more] = of;
    const left = withdrawalAllowance({ ...SECOND, withdrawn: { own, children } }, { existing, listed: 0 });
    expect([left.own, left.children]).toEqual(more);
  });

  test('the guard does not limit a walk whose withdrawals an operator has confirmed', () => {
    const unlimited = { own: Number.POSITIVE_INFINITY, children: Number.POSITIVE_INFINITY };
    expect(withdrawalAllowance({ ...SECOND, isConfirmed: true }, undefined)).toEqual(unlimited);
  });
});

describe('a confirmation of withdrawals', () => {
  const saved = (second?: SecondWalk): Checkpoint => ({ ...INITIAL_CHECKPOINT, generation: 3, second });

  test('a confirmation removes the limit of the walk that waits for it, but not of other walks', () => {
    const waiting = { ...SECOND, waiting: WAITING };
    expect(confirmWithdrawals(saved(waiting)).second).toEqual({ ...SECOND, waiting: undefined, isConfirmed: true });
    for (const other of [saved(), saved(SECOND)]) expect(confirmWithdrawals(other)).toBe(other);
  });

  test('the digest of waiting withdrawals changes with every figure that the operator has seen', () => {
    const digest = (second: SecondWalk, generation = 3, stream: StreamName = 'assets') =>
      withdrawalsDigest([[stream, { ...saved(second), generation }]], sha256);
    const shown = { ...SECOND, waiting: WAITING };
    const others = [
      digest({ ...shown, waiting: { ...WAITING, own: 8 } }),
      digest({ ...shown, waiting: { ...WAITING, children: 3 } }),
      digest({ ...shown, waiting: { ...WAITING, reason: 'filtered' } }),
      digest({ ...shown, withdrawn: { own: 5, children: 0 } }),
      digest(shown, 4),
      digest(shown, 3, 'threats'),
      digest(SECOND),
    ];
    expect(new Set([digest(shown), ...others]).size).toBe(8);
    // What else happens meanwhile does not matter.
    expect(digest({ ...shown, cursor: 'c1', rows: 9 })).toBe(digest(shown));
    expect(digest(shown)).toMatch(/^[0-9a-f]{32}$/);
  });

  test('the digest of waiting withdrawals ignores the order of streams and streams without waiting withdrawals', () => {
    const all = [
      ['threats', saved({ ...SECOND, waiting: WAITING })],
      ['assets', saved({ ...SECOND, waiting: { ...WAITING, own: 1 } })],
    ] as const;
    const digest = withdrawalsDigest(all, sha256);
    expect(withdrawalsDigest([...all].reverse(), sha256)).toBe(digest);
    expect(withdrawalsDigest([...all, ['dns-blocks', saved(SECOND)]], sha256)).toBe(digest);
    expect([...waitingWithdrawalsOf([...all, ['dns-blocks', saved(SECOND)]])]).toEqual([
      ['threats', WAITING],
      ['assets', { ...WAITING, own: 1 }],
    ]);
  });
});
