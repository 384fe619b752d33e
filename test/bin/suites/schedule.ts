import { describe, expect, test } from '@jest/globals';
import { type Deployment, deployment } from '../support/deployment.ts';

const told = (each: Deployment) =>
  ['page', 'ticket'].map(name => each.stack.alarms.get(`acme/${name}`)['ActionsEnabled']);
const scheduleOf = ({ stack }: Deployment) => {
  const { LastModificationDate: _, State: state, ...rest } = stack.schedules.get(stack.scheduleName)!;
  return { state, rest };
};

describe('pause and resume', () => {
  test('switch the schedule, and change nothing else of it', async () => {
    await using each = await deployment();
    const before = scheduleOf(each);
    expect(await each.ctl(['pause'])).toMatchObject({ status: 0, stderr: '' });
    expect(scheduleOf(each)).toEqual({ state: 'DISABLED', rest: before.rest });
    expect((await each.ctl(['status'])).stdout.split('\n')[0]).toBe('acme: paused: the schedule is off');
    expect(await each.ctl(['resume'])).toMatchObject({ status: 0, stderr: '' });
    expect(scheduleOf(each)).toEqual(before);
  });

  test('say that stream-silent will page, after how long, unless told to mute; alarms are let alone', async () => {
    await using each = await deployment();
    const { stdout } = await each.ctl(['pause']);
    expect(stdout).toContain(
      'The alarm stream-silent will page after 32 min without a run: --mute spares people that.',
    );
    expect(told(each)).toEqual([true, true]);
  });

  test('--mute silences page and ticket, and resume has them tell people again', async () => {
    await using each = await deployment();
    expect((await each.ctl(['pause', '--mute'])).stdout).toContain('Nobody is told of alarms');
    expect(told(each)).toEqual([false, false]);
    expect((await each.ctl(['pause'])).stdout).toContain('Nobody is told of alarms');
    await each.ctl(['resume']);
    expect(told(each)).toEqual([true, true]);
  });

  test('twice is once: what is so already is said, and nothing is written', async () => {
    await using each = await deployment();
    await each.ctl(['pause']);
    const again = await each.ctl(['pause', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ enabled: false, changed: false, since: expect.any(String) });
    expect((await each.ctl(['pause'])).stdout).toContain('was off already');
    await each.ctl(['resume']);
    expect(JSON.parse((await each.ctl(['resume', '--json'])).stdout)).toMatchObject({ enabled: true, changed: false });
    expect(each.asked().filter(({ action }) => action === 'UpdateSchedule')).toHaveLength(2);
  });

  test('leave nothing half done: a pause that may not mute, or may not be read, has changed nothing', async () => {
    await using each = await deployment();
    const refuse = { status: 400, code: 'AccessDenied', message: 'not authorized' };
    each.connector.aws.faults.always('cloudwatch', ({ action }) =>
      action === 'DisableAlarmActions' ? { refuse } : {},
    );
    const { status, stderr } = await each.ctl(['pause', '--mute']);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('Nothing was changed. You need cloudwatch:DisableAlarmActions'),
    ]);
    expect([scheduleOf(each).state, told(each)]).toEqual(['ENABLED', [true, true]]);
  });

  test('leave nothing half done: a pause that may not switch the schedule has silenced nobody', async () => {
    await using each = await deployment();
    const refuse = { status: 403, code: 'AccessDeniedException', message: 'not authorized' };
    each.connector.aws.faults.always('scheduler', ({ action }) => (action === 'UpdateSchedule' ? { refuse } : {}));
    const { status, stderr } = await each.ctl(['pause', '--mute']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('iam:PassRole on its role')]);
    expect([scheduleOf(each).state, told(each)]).toEqual(['ENABLED', [true, true]]);
  });

  test('exit with 1 when the schedule is gone, and say what brings it back', async () => {
    await using each = await deployment();
    each.stack.schedules.delete(each.stack.scheduleName);
    const { status, stderr } = await each.ctl(['resume']);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('one that is gone comes back by "npx cdk deploy --revert-drift"'),
    ]);
  });
});
