import { createInterface } from 'node:readline';
import { describe, expect, test } from '@jest/globals';
import type { Clock } from '../../../lambda/ports.ts';
import { systemClock } from '../../../lambda/system.ts';
import { deployment } from '../support/deployment.ts';
import { DENIED } from '../support/refusals.ts';

/** A clock whose pauses end when the test says so. */
function pausedClock() {
  let begun = Promise.withResolvers<void>();
  let ended = Promise.withResolvers<void>();
  const clock: Clock = {
    ...systemClock,
    async sleep(_, signal) {
      begun.resolve();
      const aborted = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => aborted.reject(signal.reason));
      await Promise.race([ended.promise, aborted.promise]);
    },
  };
  return {
    clock,
    /** Ends the current pause, or else the next, and waits until another begins: what was read in between is printed then. */
    async endPause(): Promise<void> {
      await begun.promise;
      const { resolve } = ended;
      begun = Promise.withResolvers();
      ended = Promise.withResolvers();
      resolve();
      await begun.promise;
    },
  };
}

describe('status --watch', () => {
  test.each([[[] as string[]], [['--json']]])(
    'without a terminal %p prints each change once and exits with 0 at Ctrl-C',
    async more => {
      await using each = await deployment();
      each.connector.platform.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
      const { clock, endPause } = pausedClock();
      const { stdout, interrupt, ended } = each.start(['status', '--watch', '1', ...more], {}, clock);
      const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
      const first = await lines.next();
      await endPause();
      await endPause();
      await each.run();
      await endPause();
      const second = await lines.next();
      interrupt();
      expect(await ended).toMatchObject({ status: 0, stderr: '' });
      expect(await lines.next()).toMatchObject({ done: true });
      expect(String(first.value)).toContain('never run');
      expect(String(second.value)).toContain('caught up');
      const parsed = more.length > 0 ? [first, second].map(({ value }) => JSON.parse(String(value)).health.status) : [];
      expect(parsed).toEqual(more.length > 0 ? ['in progress', 'healthy'] : []);
    },
  );

  test('reports a deployment that fails meanwhile, even if the stack is unreadable for a while', async () => {
    await using each = await deployment();
    const { clock, endPause } = pausedClock();
    const { stdout, interrupt, ended } = each.start(['status', '--watch', '1'], {}, clock);
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    expect(String((await lines.next()).value)).toContain('never run');
    each.connector.aws.faults.next('cloudformation', DENIED);
    each.stack.stacks[0] = { ...each.stack.stacks[0]!, status: 'UPDATE_ROLLBACK_FAILED' };
    await endPause();
    await endPause();
    expect(String((await lines.next()).value)).toContain('unhealthy: stack UPDATE_ROLLBACK_FAILED');
    interrupt();
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
  });
});
