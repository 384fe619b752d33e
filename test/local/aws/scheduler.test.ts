import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { describe, expect, test } from '@jest/globals';
import { createScheduler, type SchedulerControls } from '../../../local/aws/scheduler.ts';
import { PLACE, type Served, served } from './served.ts';

const Name = 'tick';
const ARN = 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/tick';
const TARGET = {
  Arn: 'arn:aws:lambda:us-east-1:000000000000:function:poller',
  RoleArn: 'arn:aws:iam::000000000000:role/tick',
  Input: '{}',
  RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
};
const MEMBERS = {
  Description: 'Starts a run.',
  ScheduleExpression: 'rate(1 minute)',
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  State: 'ENABLED' as const,
  Target: TARGET,
};

interface Scene extends Served {
  readonly client: SchedulerClient;
  readonly controls: SchedulerControls;
}

async function scene(now = () => 1_000_000): Promise<Scene> {
  const { service, controls } = createScheduler({ ...PLACE, now });
  controls.put(Name, MEMBERS);
  const each = await served(service);
  return { ...each, controls, client: new SchedulerClient(each.config) };
}

describe('GetSchedule', () => {
  test('returns every member of a schedule', async () => {
    await using each = await scene();
    expect(await each.client.send(new GetScheduleCommand({ Name }))).toMatchObject({
      ...MEMBERS,
      Arn: ARN,
      GroupName: 'default',
      Name,
      ScheduleExpressionTimezone: 'UTC',
      ActionAfterCompletion: 'NONE',
      CreationDate: new Date(1_000_000),
      LastModificationDate: new Date(1_000_000),
    });
    expect(each.permissions).toEqual([['scheduler:GetSchedule', ARN]]);
  });

  test.each([
    [{ Name: 'other' }, 'Schedule other does not exist.'],
    [{ Name, GroupName: 'group' }, 'Schedule group group does not exist.'],
  ])('of %p is refused', async (input, message) => {
    await using each = await scene();
    const refusal = { name: 'ResourceNotFoundException', message, $metadata: { httpStatusCode: 404 } };
    await expect(each.client.send(new GetScheduleCommand(input))).rejects.toMatchObject(refusal);
    await expect(each.client.send(new UpdateScheduleCommand({ ...MEMBERS, ...input }))).rejects.toMatchObject(refusal);
  });
});

describe('UpdateSchedule', () => {
  test('changes the members that differ and keeps those that are sent unchanged', async () => {
    let time = 1_000_000;
    await using each = await scene(() => time);
    time = 2_000_000;
    const { ScheduleArn } = await each.client.send(new UpdateScheduleCommand({ Name, ...MEMBERS, State: 'DISABLED' }));
    expect(ScheduleArn).toBe(ARN);
    expect(each.controls.get(Name)).toMatchObject({
      ...MEMBERS,
      State: 'DISABLED',
      CreationDate: 1000,
      LastModificationDate: 2000,
    });
    expect(each.permissions).toEqual([['scheduler:UpdateSchedule', ARN]]);
  });

  test('replaces members that are not sent by their defaults: description, retries, and a paused state', async () => {
    await using each = await scene();
    each.controls.put(Name, { ...MEMBERS, State: 'DISABLED' });
    const {
      Description: _description,
      State: _state,
      Target: { RetryPolicy: _retries, ...Target },
      ...rest
    } = MEMBERS;
    await each.client.send(new UpdateScheduleCommand({ Name, ...rest, Target }));
    const found = await each.client.send(new GetScheduleCommand({ Name }));
    expect(found.Description).toBeUndefined();
    expect(found).toMatchObject({
      State: 'ENABLED',
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 } },
    });
  });
});
