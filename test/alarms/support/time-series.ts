import type { Emf } from '../../lambda/support/emf.ts';

/** What names one time series in CloudWatch: other dimensions are another series. */
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

/** The metrics of one drill, by minute. */
export class TimeSeries {
  readonly #samples = new Map<string, Sample[]>();

  add(name: SeriesName, minute: number, value: number): void {
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

  clear(): void {
    this.#samples.clear();
  }

  /** Values of the minutes from `from` on and before `to`. */
  between(key: string, from: number, to: number): number[] {
    const samples = this.#samples.get(key) ?? [];
    return samples.filter(({ minute }) => minute >= from && minute < to).map(({ value }) => value);
  }

  /** Keys of every series that got a data point. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#samples.keys());
  }
}
