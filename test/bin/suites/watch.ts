import { createInterface } from 'node:readline';
import { describe, expect, test } from '@jest/globals';
import { type Deployment, deployment } from '../support/deployment.ts';

describe('status --watch', () => {
  test.each([[[] as string[]], [['--json']]])(
    'without a terminal %p prints each change once and exits with 0 at Ctrl-C',
    async more => {
      await using each = await deployment();
      each.connector.platform.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
      const { stdout, interrupt, ended } = each.start(['status', '--watch', '1', ...more]);
      const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
      const first = await lines.next();
      // The output of the second read is complete when the third read starts.
      await reads(each, 2);
      await each.run();
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
    const { stdout, interrupt, ended } = each.start(['status', '--watch', '1']);
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    expect(String((await lines.next()).value)).toContain('never run');
    const refuse = { status: 403, code: 'AccessDenied', message: 'No.' };
    each.connector.aws.faults.next('cloudformation', { refuse });
    each.stack.stacks[0] = { ...each.stack.stacks[0]!, status: 'UPDATE_ROLLBACK_FAILED' };
    expect(String((await lines.next()).value)).toContain('unhealthy: stack UPDATE_ROLLBACK_FAILED');
    interrupt();
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
  });
});

/** Resolves when that many more reads have started. */
function reads({ connector: { aws } }: Deployment, count: number): Promise<void> {
  return new Promise(resolve => {
    let left = count;
    aws.faults.always('scheduler', () => {
      left--;
      if (left === 0) resolve();
      return {};
    });
  });
}
