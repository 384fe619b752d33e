import { describe, expect, test } from '@jest/globals';
import { LeaseLostError } from '../../../lambda/core/errors.ts';
import type { Clock, HeldLease } from '../../../lambda/ports.ts';
import { leaseKey } from '../../../lambda/store/item.ts';
import { createLease } from '../../../lambda/store/lease.ts';
import type { Table } from '../../../lambda/store/table.ts';
import { THROTTLING_FAULTS } from '../../../local/aws/faults.ts';
import { awsScene } from '../../support/function/aws-scene.ts';
import { rejection } from '../../support/function/rejection.ts';
import { START } from '../../support/function/stepped-clock.ts';

const SECONDS = 60;
/** Of a lease that is taken when the clock starts: seconds since 2026-01-01. */
const FIRST = (START - Date.UTC(2026, 0, 1)) / 1000;

async function scene() {
  const aws = await awsScene();
  const updates: Promise<unknown>[] = [];
  const update: Table['update'] = (...input) => {
    const updated = aws.table.update(...input);
    updates.push(updated);
    return updated;
  };
  const table = { ...aws.table, update };
  const lease = (holder: string) => createLease({ table, clock: aws.clock, holder, seconds: SECONDS });
  const item = async () => (await aws.table.get([leaseKey]))[0];
  const aborted = (signal: AbortSignal) =>
    new Promise<unknown>(resolve =>
      signal.aborted ? resolve(signal.reason) : signal.addEventListener('abort', () => resolve(signal.reason)),
    );
  /** Resolves once every update so far has returned, not only reached the table. */
  const committed = () => Promise.allSettled(updates);
  return { ...aws, lease, item, aborted, committed };
}

async function held(taking: Promise<HeldLease | undefined>): Promise<HeldLease> {
  const lease = await taking;
  if (!lease) throw new Error('The lease was to be free');
  return lease;
}

describe('the request budget across runs', () => {
  const handed = async (each: Awaited<ReturnType<typeof scene>>) => {
    let continued: unknown = 'nothing';
    const continueFrom = (due: number | undefined) => {
      continued = due;
    };
    const pace = { due: 7_000, continueFrom };
    const lease = await held(createLease({ ...each, holder: 'next', seconds: SECONDS, pace }).take());
    await lease.release({ clean: true });
    return continued;
  };

  test('the requests of a run count towards the budget of the next run unless it was killed', async () => {
    await using each = await scene();
    expect(await handed(each)).toBe('nothing');
    await (await held(each.lease('without a budget').take())).release({ clean: false });
    expect(await handed(each)).toBe(7_000);
    await held(each.lease('killed').take());
    each.clock.advance(SECONDS * 1_000 + 1);
    expect(await handed(each)).toBeUndefined();
  });
});

describe('taking the lease', () => {
  test.each([
    ['taken for the first time', 0],
    ['released within the same second', 1],
  ])('a lease %s is taken by exactly one of many simultaneous runs', async (_which, before) => {
    await using each = await scene();
    if (before > 0) await (await held(each.lease('before').take())).release({ clean: true });
    const taken = await Promise.all(Array.from({ length: 12 }, (_, index) => each.lease(`run-${index}`).take()));
    const winners = taken.filter(lease => lease !== undefined);
    expect(winners.map(lease => lease.epoch)).toEqual([FIRST + before]);
    await winners[0]!.release({ clean: true });
  });

  test('an expired lease can be taken over and counts as dirty', async () => {
    await using each = await scene();
    const first = await held(each.lease('one').take());
    each.aws.faults.always('dynamodb', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } });
    each.clock.advance(SECONDS * 1000);
    expect(await each.aborted(first.signal)).toBeInstanceOf(LeaseLostError);
    each.aws.faults.clear();
    expect(await each.lease('two').take()).toBeUndefined();
    each.clock.advance(1);
    const second = await held(each.lease('two').take());
    expect({ epoch: second.epoch, dirty: second.dirty }).toEqual({ epoch: FIRST + SECONDS, dirty: true });
    await second.release({ clean: true });
  });

  test('a released lease is taken with a later epoch, never earlier than the seconds since 2026', async () => {
    await using each = await scene();
    const epochs: number[] = [];
    let clean = true;
    // Within one second, a second later, with a clock that went back, and after a day.
    for (const milliseconds of [0, 999, 1, -60_000, 0, 86_400_000]) {
      each.clock.advance(milliseconds);
      const lease = await held(each.lease(`run-${epochs.length}`).take());
      epochs.push(lease.epoch - FIRST);
      expect(lease).toMatchObject({ dirty: !clean, tableId: 'run-0' });
      clean = !clean;
      await lease.release({ clean });
    }
    expect(epochs).toEqual([0, 1, 2, 3, 4, 86_341]);
  });
});

describe('a lost answer', () => {
  test('a lease whose answer was lost is taken again and counts as dirty', async () => {
    await using each = await scene();
    each.aws.faults.next('dynamodb', { loseAnswer: true });
    const lease = await held(each.lease('one').take());
    expect({ epoch: lease.epoch, dirty: lease.dirty }).toEqual({ epoch: FIRST, dirty: true });
    expect(await each.item()).toMatchObject({ epoch: { N: String(FIRST) }, holder: { S: 'one' } });
    await lease.assertValid();
    await lease.release({ clean: true });
  });

  test('the release of a lease is repeated when its answer is lost', async () => {
    await using each = await scene();
    const lease = await held(each.lease('one').take());
    each.aws.faults.next('dynamodb', { loseAnswer: true });
    await lease.release({ clean: true });
    expect((await held(each.lease('two').take())).dirty).toBe(false);
  });
});

test('the heartbeat renews the lease after each third of its term, so that the lease does not expire', async () => {
  await using each = await scene();
  const lease = await held(each.lease('one').take());
  for (let heartbeat = 1; heartbeat <= 5; heartbeat++) {
    each.clock.advance(20_000);
    const renewed = each.clock.now() + SECONDS * 1000;
    // The heartbeat does not wait for the renewal's answer, so the table is read until it has
    // arrived.
    let expires = 0;
    for (let asked = 0; expires !== renewed && asked < 500; asked++) {
      expires = Number((await each.item())?.['expires']?.N);
    }
    expect(expires).toBe(renewed);
    await each.committed();
  }
  expect(await each.lease('two').take()).toBeUndefined();
  await lease.release({ clean: true });
});

test('a lease that another run has taken over aborts the run that held it', async () => {
  await using each = await scene();
  const lost = await held(each.lease('one').take());
  await each.table.update({
    Key: leaseKey,
    UpdateExpression: 'SET epoch = :epoch, holder = :holder',
    ExpressionAttributeValues: { ':epoch': { N: String(FIRST + 1) }, ':holder': { S: 'two' } },
  });
  each.clock.advance(45_000);
  expect(await each.aborted(lost.signal)).toBeInstanceOf(LeaseLostError);
  expect(await rejection(lost.assertValid())).toBeInstanceOf(LeaseLostError);
  expect(await rejection(lost.release({ clean: true }))).toBeInstanceOf(LeaseLostError);
  expect(await each.item()).toMatchObject({
    epoch: { N: String(FIRST + 1) },
    holder: { S: 'two' },
    ended: { S: 'no' },
  });
});

test.each([
  ['because the table refuses', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } }],
  ['because the table throttles', THROTTLING_FAULTS.dynamodb],
])('a run whose lease cannot be renewed %s is aborted shortly after the term at the latest', async (_why, fault) => {
  await using each = await scene();
  const lease = await held(each.lease('one').take());
  const taken = each.clock.now();
  each.aws.faults.always('dynamodb', fault);
  const reason = each.aborted(lease.signal);
  while (!lease.signal.aborted) {
    each.clock.advance(20_000);
    await Promise.race([each.clock.holding(), reason]);
  }
  each.aws.faults.clear();
  expect(await reason).toBeInstanceOf(LeaseLostError);
  expect(each.clock.now() - taken).toBeLessThanOrEqual(2 * SECONDS * 1000);
});

describe('assertLeaseValid', () => {
  test('assertLeaseValid renews the lease only when little of its time is left', async () => {
    await using each = await scene();
    const lease = await held(each.lease('one').take());
    each.forget();
    await lease.assertValid();
    expect(each.calls).toEqual([]);
    each.clock.advance(40_000);
    await lease.assertValid();
    expect(each.count('UpdateItem')).toBeGreaterThan(0);
    expect(Number((await each.item())?.['expires']?.N)).toBe(each.clock.now() + SECONDS * 1000);
    await lease.release({ clean: true });
  });

  test('assertLeaseValid rejects when the renewal is answered only after the term, as in a frozen container', async () => {
    await using each = await scene();
    let now = each.clock.now();
    let frozen = 0;
    const clock: Clock = {
      now: () => now,
      // The timers of a container that thaws may come after the answers that wait for it.
      sleep: (_, signal) => new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    };
    const update: Table['update'] = async (...input) => {
      const updated = await each.table.update(...input);
      now += frozen;
      return updated;
    };
    const table = { ...each.table, update };
    const lease = await held(createLease({ table, clock, holder: 'one', seconds: SECONDS }).take());
    now += 45_000;
    frozen = SECONDS * 1000;
    expect(await rejection(lease.assertValid())).toBeInstanceOf(LeaseLostError);
    expect(lease.signal.aborted).toBe(true);
    frozen = 0;
    await lease.release({ clean: false });
  });
});

test('a released lease refuses every later write of its run', async () => {
  await using each = await scene();
  const lease = await held(each.lease('one').take());
  await lease.release({ clean: true });
  expect(await rejection(lease.assertValid())).toBeInstanceOf(LeaseLostError);
  const next = await held(each.lease('two').take());
  expect(await rejection(lease.assertValid())).toBeInstanceOf(LeaseLostError);
  await next.release({ clean: true });
});

describe('a lease released after unclear answers', () => {
  test('a lease released after unclear answers stays occupied a minute, so that late writes land first', async () => {
    await using each = await scene();
    await (await held(each.lease('one').take())).release({ clean: true, unclear: true });
    each.clock.advance(60_000);
    expect(await each.lease('two').take()).toBeUndefined();
    each.clock.advance(1);
    const next = await held(each.lease('two').take());
    expect({ dirty: next.dirty, unclearRuns: next.unclearRuns }).toEqual({ dirty: true, unclearRuns: 1 });
    await next.release({ clean: true });
  });

  test('consecutive runs with unclear answers are counted until a run has only clear answers', async () => {
    await using each = await scene();
    const counts: number[] = [];
    for (const unclear of [true, true, false, true]) {
      const lease = await held(each.lease(`run-${counts.length}`).take());
      counts.push(lease.unclearRuns);
      await lease.release({ clean: true, unclear });
      each.clock.advance(60_001);
    }
    expect(counts).toEqual([0, 1, 2, 0]);
  });
});

test('each write of a run has a higher fence than the previous write', async () => {
  await using each = await scene();
  const lease = await held(each.lease('one').take());
  const { epoch } = lease;
  expect(lease.nextFence()).toEqual({ epoch, write: 1 });
  expect(lease.nextFence()).toEqual({ epoch, write: 2 });
  await lease.release({ clean: true });
});
