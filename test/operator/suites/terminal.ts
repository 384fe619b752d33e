import { describe, expect, test } from '@jest/globals';
import { deployment } from '../support/deployment.ts';
import { CTRL_C, HAS_TERMINAL, terminal } from '../support/terminal.ts';

// What begins a control sequence.
const ESCAPE = '\u001b';

const TERMINAL = HAS_TERMINAL ? describe : () => undefined;

TERMINAL('on a terminal', () => {
  test('a command asks first and is carried out after "y"', async () => {
    await using each = await deployment();
    each.connector.simulator.populate({ assets: 3, threats: 0, dnsBlocks: 0 });
    const shown = terminal(['resync', 'assets', '--send-all'], each.environment);
    await shown.shows('Continue? [y/N]');
    expect(each.stack.invocations).toEqual([]);
    shown.type('y\r');
    expect(await shown.ended).toBe(0);
    expect(each.stack.invocations).toEqual([{ replay: ['assets'] }]);
    expect(shown.screen()).toContain('A run is in progress.');
  });

  test('the health is coloured, unless stdout is a pipe', async () => {
    await using each = await deployment();
    each.stack.alarms.set('acme/credentials-refused', 'ALARM');
    const coloured = terminal(['status'], each.environment);
    expect(await coloured.ended).toBe(3);
    expect(coloured.screen()).toContain(`${ESCAPE}[31munhealthy: alarm credentials-refused${ESCAPE}[39m`);
    expect((await each.ctl(['status'])).stdout).not.toContain(ESCAPE);
  });
});

test('control sequences in a message of AWS are shown as escapes', async () => {
  await using each = await deployment();
  const message = `${ESCAPE}[32mhealthy${ESCAPE}[2K\u009b1A\u202e`;
  each.connector.aws.faults.always('lambda', { refuse: { status: 400, code: 'ValidationException', message } });
  const { stderr } = await each.ctl(['run'], { FORCE_COLOR: '1' });
  expect(stderr).toContain('\\u001b[32mhealthy\\u001b[2K\\u009b1A\\u202e');
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
});

describe('where somebody can be asked', () => {
  test.each([
    ['y', 0, [{ resync: ['assets'] }]],
    ['YES ', 0, [{ resync: ['assets'] }]],
    ['no', 2, []],
    [CTRL_C, 130, []],
  ])('the answer %j ends with status %i and these invocations: %j', async (answer, expected, invocations) => {
    await using each = await deployment();
    const { stdin, ended } = each.ask(['resync', 'assets']);
    stdin.write(`${answer}\r`);
    const { status, stderr } = await ended;
    expect([status, each.stack.invocations]).toEqual([expected, invocations]);
    expect(stderr.includes('Not confirmed. Nothing was done.')).toBe(expected === 2);
  });
});
