/** Metrics in CloudWatch's embedded metric format, one blob per stream and one for the connector. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  AccountRevokedError,
  ClientChangedError,
  ContractError,
  CredentialsError,
  CursorRefusedError,
  OrganizationChangedError,
  RoleMissingError,
} from './core/errors.ts';
import type { StreamResult } from './core/run.ts';
import type { RunOutcome } from './core/run-streams.ts';
import {
  type ConnectorMetric,
  type ConnectorProperty,
  DIMENSIONS,
  LASTING_FAILURES,
  METRIC_NAMESPACE,
  SENT_WHEN_ZERO,
  type StreamMetric,
  type StreamProperty,
  SUMMED_COUNTS,
} from './metric-names.ts';

export interface RunFacts {
  readonly outcome: RunOutcome;
  /** Whether the run was of every stream that is on. */
  readonly complete: boolean;
  /** Milliseconds until Lambda's time-out. */
  readonly timeLeft: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

export interface Telemetry {
  report(facts: RunFacts): void;
}

type Metric = StreamMetric | ConnectorMetric;
type Property = StreamProperty | ConnectorProperty;

export function createTelemetry(connector: string): Telemetry {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: connector });
  /** Lasting failures of the runs of this container that no good run has ended yet. */
  const unended = new Set<string>();
  /** One line, unless it would have no metric. */
  const emit = (
    values: Partial<Record<Metric, number>>,
    properties: Partial<Record<Property, number>>,
    dimensions: Record<string, string> = {},
    ended: ReadonlySet<string> = new Set(),
  ) => {
    const all = Object.entries(values);
    const sent = all.filter(([name, value]) => value !== 0 || SENT_WHEN_ZERO.has(name) || ended.has(name));
    if (sent.length === 0) return;
    for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value);
    for (const [name, value] of [...all.filter(each => !sent.includes(each)), ...Object.entries(properties)])
      metrics.addMetadata(name, String(value));
    for (const [name, value] of sent) metrics.addMetric(name, MetricUnit.Count, value);
    metrics.publishStoredMetrics();
  };
  return {
    report(facts) {
      const { results, failures } = facts.outcome;
      const streams = [...results].map(([stream, result]) => {
        const failure = failures.get(stream);
        return { stream, metrics: streamMetrics(result, failure), properties: streamProperties(result, failure) };
      });
      for (const { stream, metrics: values, properties } of streams)
        emit(values, properties, { [DIMENSIONS.stream]: stream });
      const values = connectorMetrics(
        facts,
        streams.map(each => ({ ...each.metrics, ...each.properties })),
      );
      const isGood = facts.complete && !facts.outcome.leaseHeld && failures.size === 0;
      const properties = {
        MemoryUsedMegabytes: Math.round(facts.memory / 2 ** 20),
        TimeLeftMilliseconds: facts.timeLeft,
      };
      emit(values, properties, {}, isGood ? unended : undefined);
      if (isGood) unended.clear();
      for (const [name, value] of Object.entries(values))
        if (value > 0 && LASTING_FAILURES.has(name)) unended.add(name);
    },
  };
}

function streamMetrics(result: StreamResult, failure: Error | undefined): Record<StreamMetric, number> {
  return {
    RowsRead: result.rows,
    EventsForwarded: result.forwarded + result.withdrawn + result.refreshed,
    ThreatsWithdrawn: result.withdrawn,
    RowsFiltered: result.filtered,
    RowsRefreshed: result.refreshed,
    FilterErrors: result.filterErrors,
    StreamFailed: flag(failure),
    TimeBudgetExceeded: flag(isBehind(result, failure)),
  };
}

function streamProperties(result: StreamResult, failure: Error | undefined): Record<StreamProperty, number> {
  return {
    CaughtUp: flag(result.caughtUp && !failure),
    PagesRead: result.pages,
    PagesReadAgain: result.pagesAgain,
    Duplicates: result.duplicates,
    RowsSuperseded: result.superseded,
    Tombstones: result.tombstones,
    UnknownTombstones: result.unknownTombstones,
    DeadLetters: result.deadLetters,
    OversizeEvents: result.oversize,
    ThreatsWithoutAsset: result.threatsWithoutAsset,
    CursorStalled: result.stalledCursors,
    CursorRefused: result.refusedCursors + flag(failure instanceof CursorRefusedError && result.refusedCursors === 0),
    ContractErrors: flag(failure instanceof ContractError),
    RoleMissing: flag(failure instanceof RoleMissingError),
    UnclearWrites: result.unclearWrites,
    DeliveryThrottledMilliseconds: result.throttledMilliseconds,
  };
}

function connectorMetrics(
  { outcome, complete }: RunFacts,
  streams: readonly Record<StreamMetric | StreamProperty, number>[],
): Partial<Record<ConnectorMetric, number>> {
  const { results, failures, leaseHeld } = outcome;
  const any = (...kinds: (new (...args: never[]) => Error)[]) =>
    flag([...failures.values()].some(failure => kinds.some(kind => failure instanceof kind)));
  const behind = [...results].filter(([stream, result]) => isBehind(result, failures.get(stream)));
  const sums = SUMMED_COUNTS.map(name => [name, streams.reduce((sum, each) => sum + each[name], 0)]);
  return {
    ...(complete && !leaseHeld && { StreamsFailed: failures.size, StreamsBehind: behind.length }),
    ...(Object.fromEntries(sums) as Record<(typeof SUMMED_COUNTS)[number], number>),
    WithdrawalsWaiting: [...results.values()].reduce((sum, { withdrawalsWaiting }) => sum + withdrawalsWaiting, 0),
    CredentialsRefused: any(CredentialsError, AccountRevokedError, OrganizationChangedError, ClientChangedError),
    LeaseHeld: flag(leaseHeld),
  };
}

function isBehind({ caughtUp }: StreamResult, failure: Error | undefined): boolean {
  return !failure && !caughtUp;
}

function flag(condition: unknown): number {
  return condition ? 1 : 0;
}
