import {
  DIMENSIONS,
  STREAM_METRICS,
  STREAM_PROPERTIES,
  type StreamMetric,
  type StreamProperty,
} from '../../lambda/metric-names.ts';

type Count = StreamMetric | StreamProperty;
export type StreamCounts = Readonly<Record<Count, number>>;

const COUNTS = Object.keys({ ...STREAM_METRICS, ...STREAM_PROPERTIES }) as Count[];

/**
 * Sums the metrics that the function emits for each stream (CloudWatch embedded metric format). Unlike the handler's
 * result they also tell what was done by an invocation that failed.
 */
export class MetricTally {
  readonly #streams = new Map<string, Record<Count, number>>();

  /** Takes a line of the function's log, whether or not it bears metrics. */
  add(line: string): void {
    const blob = line.includes('"_aws"') ? parse(line) : undefined;
    const stream = blob?.[DIMENSIONS.stream];
    if (!blob || typeof stream !== 'string') return;
    const counts = this.#streams.get(stream) ?? zeros();
    this.#streams.set(stream, counts);
    for (const name of COUNTS) counts[name] += Number(blob[name] ?? 0);
  }

  /** Zero for a stream of which nothing was told. */
  of(stream: string): StreamCounts {
    return this.#streams.get(stream) ?? zeros();
  }
}

function zeros(): Record<Count, number> {
  return Object.fromEntries(COUNTS.map(name => [name, 0])) as Record<Count, number>;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
