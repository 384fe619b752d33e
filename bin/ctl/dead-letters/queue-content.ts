/** How much a queue holds, and since when. */
import type { Context } from '../context.ts';
import { readMetrics } from '../metrics/read-metrics.ts';
import { queueDepth } from '../status/queue-depth.ts';

export interface QueueContent {
  readonly messages: number;
  /** Milliseconds since 1970 at which the oldest was sent; nothing where CloudWatch has not told lately. */
  readonly oldest: number | undefined;
}

const PERIOD_SECONDS = 300;
/** CloudWatch tells of a queue that nobody uses some minutes late. */
const SPAN_MILLISECONDS = 3_600_000;

/** @throws AwsCallError */
export async function queueContent({ aws, clock }: Context, url: string): Promise<QueueContent> {
  const { waiting, taken } = await queueDepth(aws, url);
  const messages = waiting + taken;
  if (messages === 0) return { messages, oldest: undefined };
  const now = clock.now();
  const age = {
    namespace: 'AWS/SQS',
    metric: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: url.split('/').at(-1) ?? '' },
    statistic: 'Maximum' as const,
    period: PERIOD_SECONDS,
  };
  const [points = []] = await readMetrics(aws, [age], { start: now - SPAN_MILLISECONDS, now });
  const newest = points[0];
  return { messages, oldest: newest && newest.time - newest.value * 1000 };
}
