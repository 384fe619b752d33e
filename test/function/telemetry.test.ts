import { describe, expect, test } from '@jest/globals';
import * as errors from '../../lambda/core/errors.ts';
import { EMPTY_RESULT, type StreamResult } from '../../lambda/core/run.ts';
import type { RunFacts } from '../../lambda/metrics.ts';
import { CONNECTOR_METRICS, CONNECTOR_PROPERTIES, STREAM_METRICS, STREAM_PROPERTIES } from '../../lambda/metrics.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { createTelemetry } from '../../lambda/telemetry.ts';
import { type Emf, emfOf } from '../../local/alarms/emf.ts';
import { written } from '../../local/incidents/written.ts';
import { emfViolations } from '../support/function/emf-violations.ts';

type Outcome = RunFacts['outcome'];

const quiet = (result: Partial<StreamResult> = {}): StreamResult => ({ ...EMPTY_RESULT, caughtUp: true, ...result });

const MEGABYTE = 2 ** 20;

/** What one report writes to stdout. */
function reportOf(
  outcome: Partial<Outcome>,
  facts: Partial<RunFacts> = {},
  telemetry = createTelemetry('acme'),
): string {
  const empty = { leaseHeld: false, results: new Map(), failures: new Map(), interrupted: false };
  const usual = { complete: true, timeLeft: 12_345, memory: 100 * MEGABYTE };
  return written(() => telemetry.report({ outcome: { ...empty, ...outcome }, ...usual, ...facts }));
}

function reported(outcome: Partial<Outcome>, facts: Partial<RunFacts> = {}): Emf[] {
  return emfOf(reportOf(outcome, facts));
}

/** The lines of a report, with metrics and properties alike. */
function linesOf(...of: Parameters<typeof reportOf>): Record<string, unknown>[] {
  return reportOf(...of)
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

function failed(stream: StreamName, error: Error, result: Partial<StreamResult> = {}) {
  const results = new Map([[stream, quiet({ caughtUp: false, ...result })]]);
  const [ofStream, ofConnector] = reported({ results, failures: new Map([[stream, error]]) });
  return { ...ofStream!.values, ...ofConnector!.values };
}

describe('the metrics of a run', () => {
  test('the metrics are one blob per stream and one for the connector, with the declared names and dimensions', () => {
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet()],
      ['threats', quiet({ caughtUp: false })],
    ]);
    const blobs = reported({ results });
    expect(emfViolations(blobs, 'acme', ['assets', 'threats'])).toEqual([]);
  });

  test('a healthy run with nothing new sends one metric per stream and two for the connector', () => {
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet({ rows: 5, duplicates: 5 })],
      ['threats', quiet()],
    ]);
    expect(reported({ results }).map(({ values }) => values)).toEqual([
      { RowsRead: 5 },
      { RowsRead: 0 },
      { StreamsFailed: 0, StreamsBehind: 0 },
    ]);
  });

  test('a metric that is zero is a property of the same line, so that the log has every figure of every run', () => {
    const results = new Map<StreamName, StreamResult>([['assets', quiet()]]);
    const [assets, connector] = linesOf({ results });
    expect(Object.keys(assets!)).toEqual(
      expect.arrayContaining(Object.keys({ ...STREAM_METRICS, ...STREAM_PROPERTIES })),
    );
    expect(Object.keys(connector!)).toEqual(
      expect.arrayContaining(Object.keys({ ...CONNECTOR_METRICS, ...CONNECTOR_PROPERTIES })),
    );
    expect(assets).toMatchObject({ EventsForwarded: '0', StreamFailed: '0', CaughtUp: '1' });
    expect(connector).toMatchObject({ LeaseHeld: '0', MemoryUsedMegabytes: '100', TimeLeftMilliseconds: '12345' });
  });

  test('the metrics count what happened, each under its name', () => {
    const result = quiet({
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
    });
    const results = new Map<StreamName, StreamResult>([['threats', result]]);
    const [{ values } = { values: {} }, connector] = reported({ results });
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
    expect(linesOf({ results })[0]).toMatchObject({
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
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet({ deadLetters: 2 })],
      ['threats', quiet({ deadLetters: 3, filterErrors: 1 })],
    ]);
    expect(reported({ results }).at(-1)?.values).toMatchObject({ DeadLetters: 5, FilterErrors: 1 });
  });

  test('TimeBudgetExceeded is set for a stream that neither failed nor caught up', () => {
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet()],
      ['threats', quiet({ caughtUp: false })],
      ['dns-blocks', quiet()],
    ]);
    const outcome = { results, failures: new Map([['dns-blocks', new Error('x')]] as const) };
    const of = (name: string) => linesOf(outcome).map(line => Number(line[name]));
    expect(of('CaughtUp').slice(0, 3)).toEqual([1, 0, 0]);
    expect(of('TimeBudgetExceeded').slice(0, 3)).toEqual([0, 1, 0]);
    expect(of('StreamFailed').slice(0, 3)).toEqual([0, 0, 1]);
    expect(reported(outcome).at(-1)?.values).toEqual({ StreamsFailed: 1, StreamsBehind: 1 });
  });

  test('a run of some streams does not report StreamsFailed, because the alarm on silence covers every stream', () => {
    const results = new Map<StreamName, StreamResult>([['assets', quiet()]]);
    const blobs = reported({ results }, { complete: false });
    expect(blobs.map(({ values }) => values)).toEqual([{ RowsRead: 0 }]);
  });

  test('a lasting failure is sent as zero once, by the first run of every stream without a failure, whatever ran between', () => {
    const telemetry = createTelemetry('acme');
    const run = (outcome: Partial<Outcome>, facts: Partial<RunFacts> = {}) =>
      emfOf(reportOf(outcome, facts, telemetry)).at(-1)?.values['ContractErrors'];
    const failing = (error: Error) => ({
      results: new Map([['assets', quiet({ caughtUp: false })]] as const),
      failures: new Map([['assets', error]] as const),
    });
    const good = { results: new Map([['assets', quiet()]] as const) };
    expect(run(good)).toBeUndefined();
    expect(run(failing(new errors.ContractError('/v1/assets', 'x')))).toBe(1);
    expect(run(good, { complete: false })).toBeUndefined();
    expect(run({ leaseHeld: true })).toBeUndefined();
    expect(run(failing(new Error('x')))).toBeUndefined();
    expect(run(good)).toBe(0);
    expect(run(good)).toBeUndefined();
  });

  test('properties of a line without metrics do not get into the next line', () => {
    const results = new Map<StreamName, StreamResult>([['assets', quiet()]]);
    const telemetry = createTelemetry('acme');
    const outcome = { leaseHeld: false, results, failures: new Map(), interrupted: false };
    const facts = { outcome, timeLeft: 12_345, memory: 0 };
    const lines = written(() => {
      telemetry.report({ ...facts, complete: false });
      telemetry.report({ ...facts, complete: true });
    });
    const [, next] = lines
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(next).not.toHaveProperty('MemoryUsedMegabytes');
  });

  test.each<readonly [string, Error]>([
    ['CredentialsRefused', new errors.CredentialsError('x')],
    ['CredentialsRefused', new errors.AccountRevokedError()],
    ['CredentialsRefused', new errors.OrganizationChangedError('the API refuses the cursor that was saved')],
    ['CredentialsRefused', new errors.ClientChangedError()],
    ['RoleMissing', new errors.RoleMissingError('/v1/assets')],
    ['ContractErrors', new errors.ContractError('/v1/assets', 'x')],
  ])('the metrics count %s apart from every other failure', (name, error) => {
    const kinds = ['CredentialsRefused', 'RoleMissing', 'ContractErrors'];
    const values: Record<string, number> = failed('assets', error);
    expect(kinds.filter(kind => values[kind] === 1)).toEqual([name]);
    expect(values['StreamFailed']).toBe(1);
  });

  test('each refused cursor is counted once, also when the last of them failed the stream', () => {
    const failures = new Map<StreamName, Error>([['assets', new errors.CursorRefusedError('/v1/assets')]]);
    const counted = [0, 3].map(refusedCursors => {
      const results = new Map<StreamName, StreamResult>([['assets', quiet({ caughtUp: false, refusedCursors })]]);
      return linesOf({ results, failures })[0]!['CursorRefused'];
    });
    expect(counted).toEqual(['1', '3']);
  });

  test('a run that found the lease held emits the metrics of the connector alone', () => {
    const blobs = reported({ leaseHeld: true });
    expect(blobs.map(({ dimensions, values }) => ({ dimensions, values }))).toEqual([
      { dimensions: { service: 'acme' }, values: { LeaseHeld: 1 } },
    ]);
  });
});
