import { describe, expect, test } from '@jest/globals';
import * as errors from '../../lambda/core/errors.ts';
import { EMPTY_RESULT, type StreamResult } from '../../lambda/core/run.ts';
import type { RunMeasurements } from '../../lambda/metrics.ts';
import { CONNECTOR_METRICS, CONNECTOR_PROPERTIES, STREAM_METRICS, STREAM_PROPERTIES } from '../../lambda/metrics.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { createTelemetry } from '../../lambda/telemetry.ts';
import { type EmbeddedMetrics, parseEmf } from '../../local/alarms/emf.ts';
import { captureOutput } from '../../local/incidents/written.ts';
import { emfViolations } from '../support/function/emf-violations.ts';

type Outcome = RunMeasurements['outcome'];

/** The outcome of a run whose streams have caught up, except where a result says otherwise. */
function ran(results: Readonly<Partial<Record<StreamName, Partial<StreamResult>>>>): Pick<Outcome, 'results'> {
  const entries = Object.entries(results) as [StreamName, Partial<StreamResult>][];
  return { results: new Map(entries.map(([name, change]) => [name, { ...EMPTY_RESULT, caughtUp: true, ...change }])) };
}

/** The outcome of a run in which a stream failed. */
function failing(stream: StreamName, error: Error, result: Partial<StreamResult> = {}): Partial<Outcome> {
  return { ...ran({ [stream]: { caughtUp: false, ...result } }), failures: new Map([[stream, error]]) };
}

const MEGABYTE = 2 ** 20;

/** What one report writes to stdout. */
function reportOf(
  outcome: Partial<Outcome>,
  facts: Partial<RunMeasurements> = {},
  telemetry = createTelemetry('acme'),
): string {
  const empty = { leaseHeld: false, results: new Map(), failures: new Map(), interrupted: false };
  const usual = { complete: true, timeLeft: 12_345, memory: 100 * MEGABYTE };
  return captureOutput(() => telemetry.report({ outcome: { ...empty, ...outcome }, ...usual, ...facts }));
}

function reported(outcome: Partial<Outcome>, facts: Partial<RunMeasurements> = {}): EmbeddedMetrics[] {
  return parseEmf(reportOf(outcome, facts));
}

/** The lines of a report, with metrics and properties alike. */
function linesOf(...of: Parameters<typeof reportOf>): Record<string, unknown>[] {
  return reportOf(...of)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

describe('the metrics of a run', () => {
  test('the metrics of a run are one blob per stream and one blob for the connector', () => {
    const blobs = reported(ran({ assets: {}, threats: { caughtUp: false } }));
    expect(emfViolations(blobs, 'acme', ['assets', 'threats'])).toEqual([]);
  });

  test('a healthy run without changes sends one metric per stream and two metrics for the connector', () => {
    const outcome = ran({ assets: { rows: 5, duplicates: 5 }, threats: {} });
    expect(reported(outcome).map(({ values }) => values)).toEqual([
      { RowsRead: 5 },
      { RowsRead: 0 },
      { StreamsFailed: 0, StreamsBehind: 0 },
    ]);
  });

  test('a metric that is zero is a property of the log line, so that no figure is missing', () => {
    const [assets, connector] = linesOf(ran({ assets: {} }));
    expect(Object.keys(assets!)).toEqual(
      expect.arrayContaining(Object.keys({ ...STREAM_METRICS, ...STREAM_PROPERTIES })),
    );
    expect(Object.keys(connector!)).toEqual(
      expect.arrayContaining(Object.keys({ ...CONNECTOR_METRICS, ...CONNECTOR_PROPERTIES })),
    );
    expect(assets).toMatchObject({ EventsForwarded: '0', StreamFailed: '0', CaughtUp: '1' });
    expect(connector).toMatchObject({ LeaseHeld: '0', MemoryUsedMegabytes: '100', TimeLeftMilliseconds: '12345' });
  });

  test('the metrics count each kind of outcome under its own name', () => {
    const result = {
      pages: 1,
      rows: 2,
      forwarded: 3,
      duplicates: 4,
      tombstones: 5,
      unknownTombstones: 6,
      withdrawn: 7,
      withdrawnByFilter: 6,
      withdrawalsWaiting: 17,
      unclearWrites: 1,
      pagesAgain: 16,
      filtered: 13,
      filterErrors: 14,
      refreshed: 15,
      deadLetters: 8,
      oversize: 18,
      superseded: 19,
      threatsWithoutAsset: 9,
      stalledCursors: 10,
      refusedCursors: 11,
    };
    const [{ values } = { values: {} }, connector] = reported(ran({ threats: result }));
    expect(values).toEqual({
      RowsRead: 2,
      EventsForwarded: 25,
      ThreatsWithdrawn: 7,
      RowsFiltered: 13,
      RowsRefreshed: 15,
      FilterErrors: 14,
    });
    expect(connector?.values).toEqual({
      StreamsFailed: 0,
      StreamsBehind: 0,
      FilterErrors: 14,
      DeadLetters: 8,
      ThreatsWithoutAsset: 9,
      WithdrawalsWaiting: 17,
    });
    expect(linesOf(ran({ threats: result }))[0]).toMatchObject({
      CaughtUp: '1',
      PagesRead: '1',
      PagesReadAgain: '16',
      Duplicates: '4',
      Tombstones: '5',
      UnknownTombstones: '6',
      UnclearWrites: '1',
      OversizeEvents: '18',
      RowsSuperseded: '19',
      DeadLetters: '8',
      ThreatsWithoutAsset: '9',
      CursorStalled: '10',
      CursorRefused: '11',
      ContractErrors: '0',
      RoleMissing: '0',
    });
  });

  test('the metrics of the connector are the sums over its streams', () => {
    const outcome = ran({ assets: { deadLetters: 2 }, threats: { deadLetters: 3, filterErrors: 1 } });
    expect(reported(outcome).at(-1)?.values).toMatchObject({ DeadLetters: 5, FilterErrors: 1 });
  });

  test('TimeBudgetExceeded is set for a stream that neither failed nor caught up', () => {
    const results = ran({ assets: {}, threats: { caughtUp: false }, 'dns-blocks': {} });
    const outcome = { ...results, failures: new Map([['dns-blocks', new Error('x')]] as const) };
    const of = (name: string) => linesOf(outcome).map(line => Number(line[name]));
    expect(of('CaughtUp').slice(0, 3)).toEqual([1, 0, 0]);
    expect(of('TimeBudgetExceeded').slice(0, 3)).toEqual([0, 1, 0]);
    expect(of('StreamFailed').slice(0, 3)).toEqual([0, 0, 1]);
    expect(reported(outcome).at(-1)?.values).toEqual({ StreamsFailed: 1, StreamsBehind: 1 });
  });

  test('a run of some streams does not report StreamsFailed, because the metric covers all streams', () => {
    const blobs = reported(ran({ assets: {} }), { complete: false });
    expect(blobs.map(({ values }) => values)).toEqual([{ RowsRead: 0 }]);
  });

  test('the first complete run after a resolved failure sends the metric of the failure as zero', () => {
    const telemetry = createTelemetry('acme');
    const run = (outcome: Partial<Outcome>, facts: Partial<RunMeasurements> = {}) =>
      parseEmf(reportOf(outcome, facts, telemetry)).at(-1)?.values['ContractErrors'];
    const good = ran({ assets: {} });
    expect(run(good)).toBeUndefined();
    expect(run(failing('assets', new errors.ContractError('/v1/assets', 'x')))).toBe(1);
    expect(run(good, { complete: false })).toBeUndefined();
    expect(run({ leaseHeld: true })).toBeUndefined();
    expect(run(failing('assets', new Error('x')))).toBeUndefined();
    expect(run(good)).toBe(0);
    expect(run(good)).toBeUndefined();
  });

  test('the properties of a log line without metrics do not appear in the next line', () => {
    const telemetry = createTelemetry('acme');
    reportOf(ran({ assets: {} }), { complete: false }, telemetry);
    const [next] = linesOf(ran({ assets: {} }), {}, telemetry);
    expect(next).not.toHaveProperty('MemoryUsedMegabytes');
  });

  test.each<readonly [string, Error]>([
    ['CredentialsRefused', new errors.CredentialsError('x')],
    ['CredentialsRefused', new errors.AccountRevokedError()],
    ['CredentialsRefused', new errors.OrganizationChangedError('the API refuses the cursor that was saved')],
    ['CredentialsRefused', new errors.ClientChangedError()],
    ['RoleMissing', new errors.RoleMissingError('/v1/assets')],
    ['ContractErrors', new errors.ContractError('/v1/assets', 'x')],
  ])('the metrics count %s separately from other failures', (name, error) => {
    const kinds = ['CredentialsRefused', 'RoleMissing', 'ContractErrors'];
    const [stream, connector] = reported(failing('assets', error));
    expect(kinds.filter(kind => connector!.values[kind] === 1)).toEqual([name]);
    expect(stream!.values['StreamFailed']).toBe(1);
  });

  test('a refused cursor is counted once, even when it makes the stream fail', () => {
    const error = new errors.CursorRefusedError('/v1/assets');
    const lines = [0, 3].map(refusedCursors => linesOf(failing('assets', error, { refusedCursors }))[0]!);
    expect(lines.map(line => line['CursorRefused'])).toEqual(['1', '3']);
  });

  test('a run that found the lease held emits only the metrics of the connector', () => {
    const blobs = reported({ leaseHeld: true });
    expect(blobs.map(({ dimensions, values }) => ({ dimensions, values }))).toEqual([
      { dimensions: { service: 'acme' }, values: { LeaseHeld: 1 } },
    ]);
  });
});
