import { DIMENSIONS, STREAM_METRICS, type StreamMetric } from '../../lambda/metric-names.ts';

export type StreamCounts = Readonly<Record<StreamMetric, number>>;

/**
 * Sums the metrics that the function emits for each stream (CloudWatch embedded metric format). Unlike the handler's
 * result they also tell what was done by an invocation that failed.
 */
export class MetricTally {
  readonly #streams = new Map<string, Record<StreamMetric, number>>();

  /** Takes a line of the function's log, whether or not it bears metrics. */
  add(line: string): void {
    const blob = line.includes('"_aws"') ? parse(line) : undefined;
    const stream = blob?.[DIMENSIONS.stream];
    if (!blob || typeof stream !== 'string') return;
    const counts = this.#streams.get(stream) ?? zeros();
    this.#streams.set(stream, counts);
    for (const name of Object.keys(STREAM_METRICS) as StreamMetric[]) counts[name] += Number(blob[name] ?? 0);
  }

  /** Zero for a stream of which nothing was told. */
  of(stream: string): StreamCounts {
    return this.#streams.get(stream) ?? zeros();
  }
}

function zeros(): Record<StreamMetric, number> {
  return Object.fromEntries(Object.keys(STREAM_METRICS).map(name => [name, 0])) as Record<StreamMetric, number>;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
