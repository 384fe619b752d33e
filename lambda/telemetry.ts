/** Metrics in CloudWatch's embedded metric format, one blob per stream and one for the connector. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  AccountRevokedError,
  ContractError,
  CredentialsError,
  CursorRefusedError,
  LeaseLostError,
  RoleMissingError,
} from './core/errors.ts';
import type { StreamResult } from './core/run.ts';
import type { RunOutcome } from './core/run-streams.ts';
import {
  type ConnectorMetric,
  DIMENSIONS,
  METRIC_NAMESPACE,
  OMITTED_WHEN_ZERO,
  type StreamMetric,
  type StreamProperty,
} from './metric-names.ts';

export interface RunFacts {
  readonly outcome: RunOutcome;
  /** Milliseconds until Lambda's time-out. */
  readonly timeLeft: number;
  /** Resident memory in bytes. */
  readonly memory: number;
}

export interface Telemetry {
  report(facts: RunFacts): void;
}

export function createTelemetry(connector: string): Telemetry {
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: connector });
  const emit = (values: Partial<Record<StreamMetric | ConnectorMetric, number>>) => {
    for (const [name, value] of Object.entries(values))
      if (value !== 0 || !OMITTED_WHEN_ZERO.has(name)) metrics.addMetric(name, unitOf(name), value);
    metrics.publishStoredMetrics();
  };
  return {
    report(facts) {
      const { results, failures } = facts.outcome;
      for (const [stream, result] of results) {
        metrics.addDimension(DIMENSIONS.stream, stream);
        for (const [name, value] of Object.entries(streamProperties(result))) metrics.addMetadata(name, String(value));
        emit(streamMetrics(result, failures.get(stream)));
      }
      emit(connectorMetrics(facts));
    },
  };
}

function streamMetrics(result: StreamResult, failure: Error | undefined): Record<StreamMetric, number> {
  return {
    CaughtUp: flag(result.caughtUp && !failure),
    StreamFailed: flag(failure),
    TimeBudgetExceeded: flag(!failure && !result.caughtUp),
    PagesRead: result.pages,
    RowsRead: result.rows,
    EventsForwarded: result.forwarded + result.withdrawn + result.refreshed,
    RowsDeduplicated: result.suppressed,
    Tombstones: result.tombstones,
    TombstonesIgnored: result.unseenTombstones,
    ThreatsWithdrawn: result.withdrawn,
    RowsFiltered: result.filtered,
    RowsRefreshed: result.refreshed,
    FilterFaults: result.filterFaults,
    DeadLetters: result.deadLetters,
    ThreatsWithoutAsset: result.withoutOwner,
    CursorStalled: result.stalledCursors,
    CursorRefused: result.refusedCursors + flag(failure instanceof CursorRefusedError && result.refusedCursors === 0),
    ContractErrors: flag(failure instanceof ContractError),
    RoleMissing: flag(failure instanceof RoleMissingError),
    DeliveryThrottledMilliseconds: result.throttledMilliseconds,
  };
}

function streamProperties(result: StreamResult): Record<StreamProperty, number> {
  return { RowsSuperseded: result.superseded, OversizeEvents: result.oversize };
}

function connectorMetrics({ outcome, timeLeft, memory }: RunFacts): Record<ConnectorMetric, number> {
  const failures = [...outcome.failures.values()];
  const any = (...kinds: (new (...args: never[]) => Error)[]) =>
    flag(failures.some(failure => kinds.some(kind => failure instanceof kind)));
  return {
    CredentialsRefused: any(CredentialsError, AccountRevokedError),
    LeaseHeld: flag(outcome.leaseHeld),
    LeaseLost: any(LeaseLostError),
    MemoryUsedMegabytes: memory / 2 ** 20,
    TimeLeftMilliseconds: timeLeft,
  };
}

function flag(condition: unknown): number {
  return condition ? 1 : 0;
}

function unitOf(name: string): (typeof MetricUnit)[keyof typeof MetricUnit] {
  if (name.endsWith('Milliseconds')) return MetricUnit.Milliseconds;
  return name.endsWith('Megabytes') ? MetricUnit.Megabytes : MetricUnit.Count;
}
