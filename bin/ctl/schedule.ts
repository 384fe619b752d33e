/** The schedule that starts the function. */
import {
  GetScheduleCommand,
  ScheduleState,
  UpdateScheduleCommand,
  type UpdateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import type { Aws } from './aws.ts';
import type { Context } from './context.ts';
import { awsCall } from './errors.ts';
import { tryRead, valueIfRead } from './read-result.ts';

export type Schedule = Awaited<ReturnType<typeof readSchedule>>;

/** @throws AwsCallError */
export async function readSchedule(aws: Aws, name: string) {
  const answer = await awsCall(
    aws.scheduler().send(new GetScheduleCommand({ Name: name })),
    `The schedule ${name} could not be read`,
  );
  const { $metadata: _, Arn: _arn, CreationDate: _created, LastModificationDate: changed, ...members } = answer;
  return {
    name,
    enabled: answer.State === ScheduleState.ENABLED,
    /** The expression of the schedule, for example `rate(1 minute)`. */
    expression: answer.ScheduleExpression ?? '',
    /** Time of the last change, in milliseconds since 1970. */
    changed: changed?.getTime(),
    /** Every member of the schedule, because `UpdateSchedule` replaces the whole schedule. */
    whole: members as UpdateScheduleCommandInput,
  };
}

const UNIT_MILLISECONDS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Milliseconds between two starts. Undefined if the expression is not a rate. */
export function scheduleInterval({ expression }: Pick<Schedule, 'expression'>): number | undefined {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MILLISECONDS[unit as keyof typeof UNIT_MILLISECONDS];
}

/** Enables or disables the schedule and keeps everything else. @throws AwsCallError */
export async function setScheduleEnabled(aws: Aws, { name, whole }: Schedule, enabled: boolean): Promise<void> {
  const State = enabled ? ScheduleState.ENABLED : ScheduleState.DISABLED;
  await awsCall(
    aws.scheduler().send(new UpdateScheduleCommand({ ...whole, State })),
    `The schedule ${name} could not be changed`,
    'It is unchanged, unless the connection broke.',
  );
}

/**
 * Whether the schedule is off. A schedule that cannot be read counts as on.
 *
 * @throws RefusedError, AwsCallError
 */
export async function scheduleIsOff({ aws, deployment, signal }: Context): Promise<boolean> {
  const { scheduleName } = await deployment();
  return valueIfRead(await tryRead(() => readSchedule(aws, scheduleName), signal))?.enabled === false;
}
