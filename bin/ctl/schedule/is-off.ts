import type { Context } from '../context.ts';
import { known, result } from '../status/reading.ts';
import { readSchedule } from './schedule.ts';

/** Whether no run begins by itself. Where the schedule may not be read it counts as on. @throws RefusedError, AwsCallError */
export async function scheduleIsOff({ aws, deployment, signal }: Context): Promise<boolean> {
  const { scheduleName } = await deployment();
  return known(await result(() => readSchedule(aws, scheduleName), signal))?.enabled === false;
}
