import { expect, test } from '@jest/globals';
import { carryOut } from '../../bin/ctl/carry-out.ts';
import { StillBusyError } from '../../bin/ctl/errors.ts';
import { invokeFunction } from '../../bin/ctl/invoke.ts';
import type { Order } from '../../bin/ctl/order.ts';
import { type Deployment, deployment, FUNCTION } from './support/deployment.ts';
import { FAR, putLease } from './support/lease.ts';

/** Carries the order out with a clock of pauses only; the other run ends during the pause of that number. */
async function carriedOut(each: Deployment, order: Order, endsAt: number) {
  Object.assign(process.env, each.stack.environment);
  const said: string[] = [];
  let now = 0;
  let pauses = 0;
  const clock = {
    now: () => now,
    async sleep(milliseconds: number): Promise<void> {
      now += milliseconds;
      if (++pauses === endsAt) await putLease(each.connector, { expires: 0, ended: 'cleanly' });
    },
  };
  const invoke = (what: Order) => invokeFunction(FUNCTION, what);
  const result = await carryOut(order, { invoke, clock, wait: 12, say: line => said.push(line) }).catch(error => error);
  return { result, said, now };
}

test.each<[Order]>([[{}], [{ resync: ['assets'] }], [{ replay: ['threats'] }]])(
  '%p waits for the run that holds the lease, says so, and is carried out when it has ended',
  async order => {
    await using each = await deployment();
    await putLease(each.connector, { expires: FAR, ended: 'no' });
    const { result, said, now } = await carriedOut(each, order, 2);
    expect(result).toMatchObject({ more: false, streams: { assets: { caughtUp: true } } });
    expect(now).toBe(10_000);
    expect(said).toEqual([
      'Another run holds the lease; trying again, for 12 s at most.',
      'Another run holds the lease; trying again, for 7 s at most.',
    ]);
  },
);

test('gives up when the time to wait is over, after a last try', async () => {
  await using each = await deployment();
  await putLease(each.connector, { expires: FAR, ended: 'no' });
  const { result, said, now } = await carriedOut(each, { resync: ['assets'] }, 99);
  expect(result).toBeInstanceOf(StillBusyError);
  expect([said.length, now, each.stack.invocations.length]).toEqual([3, 12_000, 4]);
});
