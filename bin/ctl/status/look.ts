/** One look at a deployment: everything that `status` tells, each part read by itself. */
import { STREAMS, type StreamName, streamsOn } from '../../../lambda/streams.ts';
import { type Alarms, readAlarms } from '../alarms/read-alarms.ts';
import type { Context } from '../context.ts';
import type { Deployment } from '../deployment/find-deployment.ts';
import type { FunctionEnvironment } from '../deployment/function-environment.ts';
import { readSchedule, type Schedule } from '../schedule/schedule.ts';
import { type ConnectorState, readState } from '../state/read-state.ts';
import { type Activity, readActivity } from './activity.ts';
import { type DeadLetterCount, deadLetterCount } from './dead-letter-count.ts';
import { holdsEvents, type QueueDepth, queueDepth, withoutTestMessages } from './queue-depth.ts';
import { type ReadResult, result } from './reading.ts';

export interface Look {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly deployment: Deployment;
  /** Streams that the settings leave out. */
  readonly off: ReadResult<readonly StreamName[]>;
  readonly state: ReadResult<ConnectorState>;
  readonly activity: ReadResult<Activity>;
  readonly schedule: ReadResult<Schedule>;
  readonly alarms: ReadResult<Alarms>;
  readonly deadLetters: ReadResult<ReadonlyMap<StreamName, DeadLetterCount>>;
  readonly scheduleDeadLetters: ReadResult<QueueDepth>;
  /** Absent where the SIEM has no queue. */
  readonly siem: SiemLook | undefined;
}

export interface SiemLook {
  readonly queue: ReadResult<QueueDepth>;
  readonly deadLetters: ReadResult<QueueDepth>;
}

/** @throws RefusedError or AwsCallError when there is no deployment to look at */
export async function look(context: Context): Promise<Look> {
  const { aws, clock, signal } = context;
  const deployment = await context.deployment();
  const now = clock.now();
  const read = <T>(part: () => Promise<T>) => result(part, signal);
  const depth = (url: string) => read(() => queueDepth(aws, url));
  const announced = (url: string) =>
    read(async () => withoutTestMessages(await queueDepth(aws, url), () => holdsEvents(aws, deployment.bucket)));
  const { connector, table, scheduleName, scheduleDeadLetterQueueUrl, siem } = deployment;
  const [off, state, activity, schedule, alarms, deadLetters, scheduleDeadLetters, ...queues] = await Promise.all([
    read(async () => streamsOff(await context.environment())),
    read(() => readState(aws, table, now)),
    read(() => readActivity(aws, deployment, now)),
    read(() => readSchedule(aws, scheduleName)),
    read(() => readAlarms(aws, connector)),
    read(() => deadLettersOf(context, deployment)),
    depth(scheduleDeadLetterQueueUrl),
    ...(siem ? [announced(siem.queueUrl), depth(siem.deadLetterQueueUrl)] : []),
  ]);
  const [queue, siemDeadLetters] = queues;
  const seen = { now, deployment, off, state, activity, schedule, alarms, deadLetters, scheduleDeadLetters };
  return { ...seen, siem: queue && siemDeadLetters && { queue, deadLetters: siemDeadLetters } };
}

function streamsOff(environment: FunctionEnvironment): StreamName[] {
  const on = streamsOn(({ pathSetting }) => environment[pathSetting]).map(({ name }) => name);
  return STREAMS.map(({ name }) => name).filter(name => !on.includes(name));
}

async function deadLettersOf({ aws }: Context, deployment: Deployment) {
  const counted = STREAMS.map(async ({ name }) => [name, await deadLetterCount(aws, deployment, name)] as const);
  return new Map(await Promise.all(counted));
}
