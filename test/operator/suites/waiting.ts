import { describe, expect, test } from '@jest/globals';
import { type Deployment, deployment } from '../support/deployment.ts';
import { FAR, putLease } from '../support/lease.ts';

/** Runs a command with a clock that advances only in pauses. The other run ends during the given pause. */
async function waited(each: Deployment, args: readonly string[], endsAt: number) {
  await putLease(each.connector, { expires: FAR, ended: 'no' });
  let now = 0;
  let pauses = 0;
  const clock = {
    now: () => now,
    async sleep(milliseconds: number): Promise<void> {
      now += milliseconds;
      if (++pauses === endsAt) await putLease(each.connector, { expires: 0, ended: 'clean' });
    },
  };
  const ended = await each.start([...args, '--wait', '12'], {}, clock).ended;
  return { ...ended, now, said: ended.stderr.match(/Another run holds.*/g) };
}

describe('a command', () => {
  test.each([['run'], ['resync assets --yes']])(
    'the command %s waits for the run that holds the lease',
    async command => {
      await using each = await deployment();
      const { status, stdout, now, said } = await waited(each, command.split(' '), 2);
      expect([status, now]).toEqual([0, 10_000]);
      expect(stdout).toMatch(/^assets .* yes$/m);
      expect(said).toEqual([
        'Another run holds the lease. Trying again for 12 s at most.',
        'Another run holds the lease. Trying again for 7 s at most.',
      ]);
    },
  );

  test('a command fails after a last attempt when the waiting time ends', async () => {
    await using each = await deployment();
    const { status, stderr, now, said } = await waited(each, ['run'], 99);
    expect([status, now, said?.length, each.stack.invocations.length]).toEqual([1, 12_000, 3, 4]);
    expect(stderr).toContain('Another run still holds the lease after 12 s. Nothing was done.');
  });
});
