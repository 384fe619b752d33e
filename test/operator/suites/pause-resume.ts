import { describe, expect, test } from '@jest/globals';
import type { ServiceName } from '../../../local/aws/service.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { DENIED, only } from '../support/refusals.ts';

const notifies = (each: Deployment) =>
  ['critical', 'warning'].map(name => each.account.alarms.get(`acme/${name}`)!.ActionsEnabled);
const scheduleOf = ({ account, outputs }: Deployment) => {
  const { LastModificationDate: _, State: state, ...rest } = account.schedules.get(outputs['ScheduleName']!)!;
  return { state, rest };
};

describe('pause and resume', () => {
  test.each([
    [['pause'], true, 'The critical alarm stream-silent will fire after a while without a run.'],
    [['pause', '--mute'], false, 'No alarm notifies anybody'],
  ])(
    'the command %j changes only the state of the schedule and whether alarms notify',
    async (args, notified, words) => {
      await using each = await deployment();
      const before = scheduleOf(each);
      expect(await each.ctl(args)).toEqual({ status: 0, stderr: '', stdout: expect.stringContaining(words) });
      expect(scheduleOf(each)).toEqual({ state: 'DISABLED', rest: before.rest });
      expect(notifies(each)).toEqual([notified, notified]);

      expect(await each.ctl(['resume'])).toMatchObject({ status: 0, stderr: '' });
      expect(scheduleOf(each)).toEqual(before);
      expect(notifies(each)).toEqual([true, true]);
    },
  );

  test('a second pause or resume writes nothing and shows the time of the first pause', async () => {
    await using each = await deployment();
    const { document: first } = await each.json(['pause']);
    expect(first).toMatchObject({ changed: true });
    expect(first).not.toHaveProperty('since');
    const { LastModificationDate: changed } = each.account.schedules.get(each.outputs['ScheduleName']!)!;
    const since = `${changed!.toISOString().slice(0, 19)}Z`;
    expect((await each.json(['pause'])).document).toMatchObject({ enabled: false, changed: false, since });
    expect((await each.ctl(['pause'])).stdout).toContain(`was already off, last changed ${since}.`);
    await each.ctl(['resume']);
    expect((await each.json(['resume'])).document).toMatchObject({ enabled: true, changed: false });
    expect(each.asked().filter(({ action }) => action === 'UpdateSchedule')).toHaveLength(2);
  });

  test.each<[string, ServiceName, string, string, string]>([
    ['is off', 'cloudwatch', 'DisableAlarmActions', 'DISABLED', 'The schedule is off, and the alarms are not muted.'],
    ['is on', 'scheduler', 'UpdateSchedule', 'ENABLED', 'It is unchanged, unless the connection broke.'],
  ])('a pause reports that the schedule %s and the alarms notify when AWS denies %s:%s', async (...row) => {
    const [, service, action, state, words] = row;
    await using each = await deployment();
    each.connector.aws.faults.always(service, only(action, DENIED));
    expect(await each.ctl(['pause', '--mute'])).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
    expect(scheduleOf(each)).toMatchObject({ state });
    expect(notifies(each)).toEqual([true, true]);
  });
});
