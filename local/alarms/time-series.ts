import type { EmbeddedMetrics } from './emf.ts';

/**
 * Identifies a time series in CloudWatch. The same metric with other dimensions is another time
 * series.
 */
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

export type Statistic = 'Average' | 'Maximum' | 'Minimum' | 'Sum';

/** Computes a statistic. Undefined if there are no values. */
export function computeStatistic(statistic: Statistic, values: readonly number[]): number | undefined {
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

/** Stores the values of metrics, by time series and minute. */
export class RecordedMetrics {
  readonly #samples = new Map<string, Sample[]>();

  add(name: SeriesName, minute: number, value: number): void {
    const key = seriesKey(name);
    const samples = this.#samples.get(key);
    if (samples) samples.push({ minute, value });
    else this.#samples.set(key, [{ minute, value }]);
  }

  addEmf(blobs: readonly EmbeddedMetrics[], minute: number): void {
    for (const { namespace, dimensions, values } of blobs) {
      for (const [metric, value] of Object.entries(values)) this.add({ namespace, metric, dimensions }, minute, value);
    }
  }

  clear(): void {
    this.#samples.clear();
  }

  /** Values of the minutes from `from` (inclusive) to `to` (exclusive). */
  between(key: string, from: number, to: number): number[] {
    const samples = this.#samples.get(key) ?? [];
    return samples.filter(({ minute }) => minute >= from && minute < to).map(({ value }) => value);
  }

  /** Deletes the data of minutes before `before`. */
  forget(before: number): void {
    for (const [key, samples] of this.#samples) {
      const first = samples.findIndex(({ minute }) => minute >= before);
      if (first < 0) this.#samples.delete(key);
      else samples.splice(0, first);
    }
  }

  /** Keys of every series with a data point. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#samples.keys());
  }
}
