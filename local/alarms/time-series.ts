import type { Emf } from './emf.ts';

/** Identifies a time series in CloudWatch. Other dimensions are another series. */
export interface SeriesName {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

interface Sample {
  readonly minute: number;
  readonly value: number;
}

export function seriesKey({ namespace, metric, dimensions }: SeriesName): string {
  const sorted = Object.entries(dimensions).sort(([one], [other]) => (one < other ? -1 : 1));
  return `${namespace} ${metric} ${sorted.map(([name, value]) => `${name}=${value}`).join(',')}`;
}

export interface Periods {
  /** Number of the first period; period 0 begins at minute 0. */
  readonly first: number;
  readonly count: number;
  readonly periodMinutes: number;
}

export type Statistic = 'Average' | 'Maximum' | 'Minimum' | 'Sum';

/** Undefined without values. */
export function statisticOf(statistic: Statistic, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sum = values.reduce((total, value) => total + value, 0);
  switch (statistic) {
    case 'Sum':
      return sum;
    case 'Average':
      return sum / values.length;
    case 'Maximum':
      return Math.max(...values);
    case 'Minimum':
      return Math.min(...values);
  }
}

export type MetricListener = (name: SeriesName, minute: number, value: number) => void;

/** Metrics by minute. */
export class TimeSeries {
  readonly #samples = new Map<string, Sample[]>();
  readonly #listener: MetricListener | undefined;

  /** @param listener called for each data point */
  constructor(listener?: MetricListener) {
    this.#listener = listener;
  }

  add(name: SeriesName, minute: number, value: number): void {
    this.#listener?.(name, minute, value);
    const key = seriesKey(name);
    const samples = this.#samples.get(key);
    if (samples) samples.push({ minute, value });
    else this.#samples.set(key, [{ minute, value }]);
  }

  addEmf(blobs: readonly Emf[], minute: number): void {
    for (const { namespace, dimensions, values } of blobs) {
      for (const [metric, value] of Object.entries(values)) this.add({ namespace, metric, dimensions }, minute, value);
    }
  }

  /** The figures that CloudWatch Logs Insights would find in the same lines, both metrics and properties. */
  addFigures(blobs: readonly Emf[], minute: number): void {
    for (const { namespace, dimensions, figures } of blobs) {
      for (const [metric, value] of Object.entries(figures)) this.add({ namespace, metric, dimensions }, minute, value);
    }
  }

  clear(): void {
    this.#samples.clear();
  }

  /** Values of the minutes from `from` on and before `to`. */
  between(key: string, from: number, to: number): number[] {
    const samples = this.#samples.get(key) ?? [];
    return samples.filter(({ minute }) => minute >= from && minute < to).map(({ value }) => value);
  }

  /** Deletes data of earlier minutes. */
  forget(before: number): void {
    for (const [key, samples] of this.#samples) {
      const first = samples.findIndex(({ minute }) => minute >= before);
      if (first < 0) this.#samples.delete(key);
      else samples.splice(0, first);
    }
  }

  /** A statistic of each of `count` periods; null where a period has no data. */
  statistics(key: string, statistic: Statistic, { first, count, periodMinutes }: Periods): (number | null)[] {
    const periods = Array.from({ length: count }, (): number[] => []);
    for (const { minute, value } of this.#samples.get(key) ?? []) {
      periods[Math.floor(minute / periodMinutes) - first]?.push(value);
    }
    return periods.map(values => statisticOf(statistic, values) ?? null);
  }

  /** Keys of every series with a data point. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#samples.keys());
  }
}
