export interface MetricName {
  readonly namespace: string;
  readonly name: string;
  /** A metric is found by all of its dimensions, never by some. @default none */
  readonly dimensions?: Readonly<Record<string, string>>;
}

/** What was observed of a metric in one minute, or at one moment of it. */
export interface MetricDatum extends MetricName {
  /** Milliseconds since 1970; kept to the minute. */
  readonly time: number;
  /** One observation, or the sum of several. */
  readonly value: number;
  /** How many observations the value is the sum of. @default 1 */
  readonly count?: number;
  /** Least and greatest of them. @default their mean */
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Sample {
  readonly time: number;
  readonly sum: number;
  readonly count: number;
  readonly minimum: number;
  readonly maximum: number;
}

export interface MetricStore {
  put(...data: readonly MetricDatum[]): void;
  /** In the order of their times. */
  samples(metric: MetricName): readonly Sample[];
}

export const MINUTE = 60_000;

export function createMetricStore(): MetricStore {
  const metrics = new Map<string, Sample[]>();
  return {
    put(...data) {
      for (const datum of data) {
        const samples = metrics.get(keyOf(datum)) ?? [];
        metrics.set(keyOf(datum), samples);
        samples.push(sampleOf(datum));
        samples.sort((one, other) => one.time - other.time);
      }
    },
    samples: metric => metrics.get(keyOf(metric)) ?? [],
  };
}

function sampleOf({ time, value, count = 1, minimum, maximum }: MetricDatum): Sample {
  const mean = value / count;
  const minute = Math.floor(time / MINUTE) * MINUTE;
  return { time: minute, sum: value, count, minimum: minimum ?? mean, maximum: maximum ?? mean };
}

function keyOf({ namespace, name, dimensions = {} }: MetricName): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
}

/** One statistic of the samples of a period; undefined when they do not tell it. At least one sample. */
export type Statistic = (samples: readonly Sample[]) => number | undefined;

const STATISTICS: Readonly<Record<string, Statistic>> = {
  Sum: samples => total(samples, 'sum'),
  SampleCount: samples => total(samples, 'count'),
  Average: samples => total(samples, 'sum') / total(samples, 'count'),
  Minimum: samples => Math.min(...samples.map(({ minimum }) => minimum)),
  Maximum: samples => Math.max(...samples.map(({ maximum }) => maximum)),
};

/** Undefined for a name that is no statistic, or none of this endpoint. */
export function statisticOf(name: string): Statistic | undefined {
  const percentile = /^p(\d{1,2}(\.\d+)?|100)$/.exec(name)?.[1];
  return percentile === undefined ? STATISTICS[name] : samples => percentileOf(samples, Number(percentile));
}

/** By nearest rank. As in CloudWatch, samples that sum up different values have no percentiles. */
function percentileOf(samples: readonly Sample[], percentile: number): number | undefined {
  if (samples.some(({ minimum, maximum }) => minimum !== maximum)) return undefined;
  const values = samples.flatMap(({ count, minimum }) => Array<number>(count).fill(minimum)).sort((a, b) => a - b);
  return values[Math.max(Math.ceil((percentile / 100) * values.length), 1) - 1];
}

function total(samples: readonly Sample[], member: 'sum' | 'count'): number {
  return samples.reduce((sum, sample) => sum + sample[member], 0);
}
