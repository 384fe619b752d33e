/** The last hour of each stream as sparklines, for a terminal that is watched. */
import type { StreamMetric } from '../../../../lambda/metric-names.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import type { Aws } from '../../aws.ts';
import type { Deployment } from '../../deployment.ts';
import { type Point, readMetrics, streamSeries } from '../../metrics.ts';
import { joined, paint, painted, type Text } from '../../painted.ts';
import { type ReadResult, readResultText } from '../../read-result.ts';

const MINUTE = 60_000;
const MINUTES = 60;

const SHOWN = {
  EventsForwarded: 'sent',
  RowsRead: 'read',
  StreamFailed: 'failed',
} as const satisfies Partial<Record<StreamMetric, string>>;

/** One metric of one stream, by minute, oldest first. A minute without a value has no run, or a zero that is not sent. */
export interface RecentSeries {
  readonly stream: string;
  readonly metric: keyof typeof SHOWN;
  readonly values: readonly (number | undefined)[];
}

/** @throws AwsCallError */
export async function recentActivity(aws: Aws, { connector }: Deployment, now: number): Promise<RecentSeries[]> {
  const metrics = Object.keys(SHOWN) as (keyof typeof SHOWN)[];
  const all = STREAMS.flatMap(({ name }) => metrics.map(metric => ({ stream: name, metric })));
  const series = all.map(({ stream, metric }) => streamSeries({ connector, stream }, metric, 'Sum', 60));
  const points = await readMetrics(aws, series, { start: now - MINUTES * MINUTE, now });
  return all.map((each, place) => ({ ...each, values: byMinute(points[place] ?? [], now) }));
}

function byMinute(points: readonly Point[], now: number): (number | undefined)[] {
  const last = Math.floor(now / MINUTE);
  const values = new Map(points.map(({ time, value }) => [Math.floor(time / MINUTE), value]));
  return Array.from({ length: MINUTES }, (_, index) => values.get(last - MINUTES + 1 + index));
}

/** A line for the events sent by each stream, and one for each other series with a value above zero. */
export function sparklineText(activity: ReadResult<readonly RecentSeries[]>): Text {
  return readResultText<readonly RecentSeries[], Text>(activity, all => {
    const shown = all.filter(({ metric, values }) => metric === 'EventsForwarded' || values.some(Boolean));
    const width = Math.max(...shown.map(({ stream }) => stream.length));
    const title = Math.max(...Object.values(SHOWN).map(({ length }) => length));
    const lines = shown.map(({ stream, metric, values }) => {
      const most = Math.max(0, ...values.map(value => value ?? 0));
      const line = sparkline(values);
      const coloured = metric === 'StreamFailed' ? paint.bad(line) : paint.good(line);
      return painted`${stream.padEnd(width)}  ${SHOWN[metric].padEnd(title)}  ${coloured}  at most ${most} a minute`;
    });
    return joined(['The last hour, by minute', ...lines]);
  });
}

const BARS = '▁▂▃▄▅▆▇█';

/**
 * Values as bars of eight heights, the greatest as high as it goes. A value that is missing is a space, and one above zero is never as low
 * as zero.
 *
 *     [0, 1, 8, undefined, 4]  →  ▁▂█ ▅
 */
export function sparkline(values: readonly (number | undefined)[]): string {
  const most = Math.max(0, ...values.filter(value => value !== undefined));
  return values
    .map(value => {
      if (value === undefined) return ' ';
      const height = most === 0 ? 0 : Math.ceil((value / most) * (BARS.length - 1));
      return BARS[height];
    })
    .join('');
}
