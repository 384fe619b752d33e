import { describe, expect, test } from '@jest/globals';
import { raiseAlarm } from '../support/alarms.ts';
import { deployment } from '../support/deployment.ts';
import { processEndpoints } from '../support/process-endpoints.ts';
import { CTRL_C, HAS_TERMINAL, terminal } from '../support/terminal.ts';

// What begins a control sequence.
const ESCAPE = '\u001b';

const TERMINAL = HAS_TERMINAL ? test : () => undefined;

TERMINAL('a command on a real terminal asks first and is executed after "y"', async () => {
  await using each = await deployment();
  await using endpoints = await processEndpoints(each);
  const shown = terminal(['resync', 'assets', '--send-all'], endpoints.environment);
  await shown.shows('Continue? [y/N]');
  expect(each.invocations).toEqual([]);
  shown.type('y\r');
  await shown.shows('A run is in progress.');
  expect(await shown.ended).toBe(0);
  expect(each.invocations).toEqual([{ replay: ['assets'] }]);
});

test('status colours the health on a terminal, but not in a pipe', async () => {
  await using each = await deployment();
  raiseAlarm(each, 'acme/stream-silent');
  expect((await each.ask(['status']).ended).stdout).toContain(`acme: ${ESCAPE}[31munhealthy: `);
  expect((await each.ctl(['status'])).stdout).toContain('acme: unhealthy: ');
});

test('control sequences in a message of AWS are shown as escapes', async () => {
  await using each = await deployment();
  const message = `${ESCAPE}[32mhealthy${ESCAPE}[2K\u009b1A\u202e`;
  each.connector.aws.faults.always('lambda', { refuse: { status: 400, code: 'ValidationException', message } });
  const { stderr } = await each.ctl(['run'], { FORCE_COLOR: '1' });
  expect(stderr).toContain('\\u001b[32mhealthy\\u001b[2K\\u009b1A\\u202e');
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
});

describe('a question at a terminal', () => {
  test.each([
    ['y', 0, [{ resync: ['assets'] }]],
    ['YES ', 0, [{ resync: ['assets'] }]],
    ['no', 2, []],
    [CTRL_C, 130, []],
  ])(
    'the answer %j at a terminal leads to exit status %i and the invocations %j',
    async (answer, expected, invocations) => {
      await using each = await deployment();
      const { stdin, ended } = each.ask(['resync', 'assets']);
      stdin.write(`${answer}\r`);
      expect(await ended).toMatchObject({ status: expected });
      expect(each.invocations).toEqual(invocations);
    },
  );
});
