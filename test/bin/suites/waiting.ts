import { describe, expect, test } from '@jest/globals';
import { createAws } from '../../../bin/ctl/aws.ts';
import { StillBusyError } from '../../../bin/ctl/errors.ts';
import { carryOut, type FunctionCommand, invokeFunction } from '../../../bin/ctl/invoke.ts';
import { type Deployment, deployment, FUNCTION } from '../support/deployment.ts';
import { FAR, putLease } from '../support/lease.ts';
import { clientOptions } from '../support/shell.ts';

const { signal } = new AbortController();

/** Sends a command with a clock that advances only in pauses. The other run ends during the given pause. */
async function carriedOut(each: Deployment, command: FunctionCommand, endsAt: number) {
  const aws = createAws({}, signal, service => clientOptions(each.environment, service));
  const said: string[] = [];
  let now = 0;
  let pauses = 0;
  const clock = {
    now: () => now,
    async sleep(milliseconds: number): Promise<void> {
      now += milliseconds;
      if (++pauses === endsAt) await putLease(each.connector, { expires: 0, ended: 'clean' });
    },
  };
  const invoke = (what: FunctionCommand) => invokeFunction({ aws, functionName: FUNCTION, signal }, what);
  const say = (line: string) => void said.push(line);
  const result: unknown = await carryOut(command, { invoke, clock, signal, wait: 12, say }).catch(
    (error: unknown) => error,
  );
  return { result, said, now };
}

describe('a command', () => {
  test.each<[FunctionCommand]>([[{}], [{ resync: ['assets'] }]])(
    '%p waits for the run that holds the lease and is then carried out',
    async command => {
      await using each = await deployment();
      await putLease(each.connector, { expires: FAR, ended: 'no' });
      const { result, said, now } = await carriedOut(each, command, 2);
      expect(result).toMatchObject({ more: false, streams: { assets: { caughtUp: true } } });
      expect(now).toBe(10_000);
      expect(said).toEqual([
        'Another run holds the lease. Trying again for 12 s at most.',
        'Another run holds the lease. Trying again for 7 s at most.',
      ]);
    },
  );

  test('fails after a last attempt when the waiting time ends', async () => {
    await using each = await deployment();
    await putLease(each.connector, { expires: FAR, ended: 'no' });
    const { result, said, now } = await carriedOut(each, { resync: ['assets'] }, 99);
    expect(result).toBeInstanceOf(StillBusyError);
    expect([said.length, now, each.stack.invocations.length]).toEqual([3, 12_000, 4]);
  });
});
