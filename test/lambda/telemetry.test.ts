import { describe, expect, test } from '@jest/globals';
import * as errors from '../../lambda/core/errors.ts';
import { EMPTY_RESULT, type StreamResult } from '../../lambda/core/run.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { createTelemetry, type RunFacts } from '../../lambda/telemetry.ts';
import { type Emf, emfOf } from '../../local/alarms/emf.ts';
import { written } from '../../local/incidents/written.ts';
import { emfFaults } from './support/emf-faults.ts';

type Outcome = RunFacts['outcome'];

const quiet = (result: Partial<StreamResult> = {}): StreamResult => ({ ...EMPTY_RESULT, caughtUp: true, ...result });

/** What one report writes to stdout. */
function reportOf(outcome: Partial<Outcome>): string {
  const empty = { leaseHeld: false, results: new Map(), failures: new Map(), letters: [], interrupted: false };
  const facts = { outcome: { ...empty, ...outcome }, timeLeft: 12_345, memory: 100 * 2 ** 20 };
  return written(() => createTelemetry('acme').report(facts));
}

function reported(outcome: Partial<Outcome>): Emf[] {
  return emfOf(reportOf(outcome));
}

function failed(stream: StreamName, error: Error, result: Partial<StreamResult> = {}) {
  const results = new Map([[stream, quiet({ caughtUp: false, ...result })]]);
  const [ofStream, ofConnector] = reported({ results, failures: new Map([[stream, error]]) });
  return { ...ofStream!.values, ...ofConnector!.values };
}

describe('the metrics of a run', () => {
  test('the metrics are one blob per stream and one for the connector, with the declared names and dimensions, zeros included where they are not left out', () => {
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet()],
      ['threats', quiet({ caughtUp: false })],
    ]);
    const blobs = reported({ results });
    expect(emfFaults(blobs, 'acme', ['assets', 'threats'])).toEqual([]);
    expect(blobs[2]?.units).toMatchObject({ TimeLeftMilliseconds: 'Milliseconds', MemoryUsedMegabytes: 'Megabytes' });
    expect(blobs[2]?.values).toMatchObject({ TimeLeftMilliseconds: 12_345, MemoryUsedMegabytes: 100, LeaseHeld: 0 });
  });

  test('the metrics have unbilled properties that make the rows add up, per stream', () => {
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet({ superseded: 3, oversize: 2 })],
      ['threats', quiet({ superseded: 1 })],
    ]);
    const lines = reportOf({ results }).trim().split('\n');
    const [assets, threats, connector] = lines.map(line => JSON.parse(line));
    expect(assets).toMatchObject({ stream: 'assets', RowsSuperseded: '3', OversizeEvents: '2' });
    expect(threats).toMatchObject({ stream: 'threats', RowsSuperseded: '1', OversizeEvents: '0' });
    expect(connector).not.toHaveProperty('RowsSuperseded');
    expect(emfOf(lines.join('\n')).map(({ values }) => 'RowsSuperseded' in values)).toEqual([false, false, false]);
  });

  test('the metrics count what happened, each under its name', () => {
    const result = quiet({
      pages: 1,
      rows: 2,
      forwarded: 3,
      suppressed: 4,
      tombstones: 5,
      unseenTombstones: 6,
      withdrawn: 7,
      filtered: 13,
      filterFaults: 14,
      deadLetters: 8,
      withoutOwner: 9,
      stalledCursors: 10,
      refusedCursors: 11,
      throttledMilliseconds: 12,
    });
    const [{ values } = { values: {} }] = reported({ results: new Map([['threats', result]]) });
    expect(values).toEqual({
      CaughtUp: 1,
      StreamFailed: 0,
      TimeBudgetExceeded: 0,
      PagesRead: 1,
      RowsRead: 2,
      EventsForwarded: 10,
      RowsDeduplicated: 4,
      Tombstones: 5,
      TombstonesIgnored: 6,
      RowsFiltered: 13,
      FilterFaults: 14,
      ThreatsWithdrawn: 7,
      DeadLetters: 8,
      ThreatsWithoutAsset: 9,
      CursorStalled: 10,
      CursorRefused: 11,
      ContractErrors: 0,
      RoleMissing: 0,
      DeliveryThrottledMilliseconds: 12,
    });
  });

  test('CaughtUp is emitted only for a stream that reached its end without failure, and TimeBudgetExceeded for one that did neither', () => {
    const results = new Map<StreamName, StreamResult>([
      ['assets', quiet()],
      ['threats', quiet({ caughtUp: false })],
      ['dns-blocks', quiet()],
    ]);
    const blobs = reported({ results, failures: new Map([['dns-blocks', new Error('x')]]) });
    const [assets, threats, dns] = blobs.map(blob => blob.values);
    expect([assets?.['CaughtUp'], threats?.['CaughtUp'], dns?.['CaughtUp']]).toEqual([1, undefined, undefined]);
    expect([assets?.['TimeBudgetExceeded'], threats?.['TimeBudgetExceeded'], dns?.['TimeBudgetExceeded']]).toEqual([
      0, 1, 0,
    ]);
    expect([assets?.['StreamFailed'], threats?.['StreamFailed'], dns?.['StreamFailed']]).toEqual([0, 0, 1]);
  });

  test.each<readonly [string, Error]>([
    ['CredentialsRefused', new errors.CredentialsError('x')],
    ['CredentialsRefused', new errors.AccountRevokedError()],
    ['RoleMissing', new errors.RoleMissingError('/v1/assets')],
    ['ContractErrors', new errors.ContractError('/v1/assets', 'x')],
    ['CursorRefused', new errors.CursorRefusedError('/v1/assets')],
    ['LeaseLost', new errors.LeaseLostError('x')],
  ])('the metrics count %s apart from every other failure', (name, error) => {
    const kinds = ['CredentialsRefused', 'RoleMissing', 'ContractErrors', 'CursorRefused', 'LeaseLost'];
    const values: Record<string, number> = failed('assets', error);
    expect(kinds.filter(kind => values[kind] === 1)).toEqual([name]);
    expect(values['StreamFailed']).toBe(1);
  });

  test('each refused cursor is counted once, also when the last of them failed the stream', () => {
    const refused = failed('assets', new errors.CursorRefusedError('/v1/assets'), { refusedCursors: 3 });
    expect(refused['CursorRefused']).toBe(3);
  });

  test('a run that found the lease held emits the metrics of the connector alone', () => {
    const blobs = reported({ leaseHeld: true });
    expect(emfFaults(blobs, 'acme', [])).toEqual([]);
    expect(blobs[0]?.values['LeaseHeld']).toBe(1);
  });
});
