/** The schedule that starts the function. */
import {
  GetScheduleCommand,
  type GetScheduleCommandOutput,
  ScheduleState,
  UpdateScheduleCommand,
  type UpdateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

export interface Schedule {
  readonly name: string;
  readonly enabled: boolean;
  /** For example `rate(1 minute)`. */
  readonly expression: string;
  /** Milliseconds since 1970: the schedule is as it is since then. */
  readonly changed: number | undefined;
  /** All of it, as `UpdateSchedule` wants it back. */
  readonly whole: UpdateScheduleCommandInput;
}

/** @throws AwsCallError */
export async function readSchedule(aws: Aws, name: string): Promise<Schedule> {
  try {
    return scheduleOf(name, await aws.scheduler().send(new GetScheduleCommand({ Name: name })));
  } catch (cause) {
    const advice =
      'Nothing was changed. You need scheduler:GetSchedule on it; one that is gone comes back by "npx cdk deploy --revert-drift" with the stack’s name.';
    throw new AwsCallError(`The schedule ${name} could not be read`, advice, cause);
  }
}

/** An update replaces the schedule as a whole: all that it has must be sent again. */
function scheduleOf(name: string, answer: GetScheduleCommandOutput): Schedule {
  const { $metadata: _, Arn: _arn, CreationDate: _created, LastModificationDate: changed, ...members } = answer;
  return {
    name,
    enabled: answer.State === ScheduleState.ENABLED,
    expression: answer.ScheduleExpression ?? '',
    changed: changed?.getTime(),
    whole: members as UpdateScheduleCommandInput,
  };
}

/** Switches it on or off, and leaves everything else as it was. @throws AwsCallError */
export async function switchSchedule(aws: Aws, { name, whole }: Schedule, enabled: boolean): Promise<void> {
  const State = enabled ? ScheduleState.ENABLED : ScheduleState.DISABLED;
  try {
    await aws.scheduler().send(new UpdateScheduleCommand({ ...whole, State }));
  } catch (cause) {
    const advice =
      'It is as it was, unless the connection broke. You need scheduler:UpdateSchedule on it, and iam:PassRole on its role.';
    throw new AwsCallError(`The schedule ${name} could not be changed`, advice, cause);
  }
}
