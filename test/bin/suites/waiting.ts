import { describe, expect, test } from '@jest/globals';
import { createAws } from '../../../bin/ctl/aws.ts';
import { StillBusyError } from '../../../bin/ctl/errors.ts';
import { carryOut } from '../../../bin/ctl/orders/carry-out.ts';
import { invokeFunction } from '../../../bin/ctl/orders/invoke.ts';
import type { Command } from '../../../bin/ctl/orders/payload.ts';
import { type Deployment, deployment, FUNCTION } from '../support/deployment.ts';
import { FAR, putLease } from '../support/lease.ts';

const { signal } = new AbortController();

/** Carries the order out with a clock of pauses only; the other run ends during the pause of that number. */
async function carriedOut(each: Deployment, command: Command, endsAt: number) {
  // The SDK looks for its endpoints at each client's first call.
  Object.assign(process.env, each.environment);
  const aws = createAws({}, signal);
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
  const invoke = (what: Command) => invokeFunction({ aws, functionName: FUNCTION, signal }, what);
  const say = (line: string) => void said.push(line);
  const result: unknown = await carryOut(command, { invoke, clock, signal, wait: 12, say }).catch(
    (error: unknown) => error,
  );
  return { result, said, now };
}

describe('an order', () => {
  test.each<[Command]>([[{}], [{ resync: ['assets'] }], [{ replay: ['threats'] }]])(
    '%p waits for the run that holds the lease, says so, and is carried out when it has ended',
    async command => {
      await using each = await deployment();
      await putLease(each.connector, { expires: FAR, ended: 'no' });
      const { result, said, now } = await carriedOut(each, command, 2);
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
});
