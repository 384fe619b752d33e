import { describe, expect, test } from '@jest/globals';
import { billOf, initialLoadDollars, STACK_PARTS, type Tenant, usagePerMinute, WRITE_UNITS } from '../../bench/cost.ts';
import type { Measurement } from '../../bench/figures.ts';
import { resultOf, resultTable } from '../../bench/result.ts';
import { page } from '../documents/pages.ts';
import { templateWith } from '../stack/shared-template.ts';
import { only, resources } from '../stack/template.ts';

describe('the result of several runs', () => {
  const run = (value: number, floor: number): Measurement => ({ subject: 's', unit: 'ms', value, floor, target: 2 });

  test("the benchmark result of several runs is the median of each run's ratio to its floor", () => {
    const result = resultOf('f', [run(30, 10), run(10, 10), run(40, 20)]);
    expect(result).toMatchObject({ value: 30, floor: 10, ratio: 2, spread: 0.5, missed: false });
  });

  test('the benchmark result of several runs misses a target that its median exceeds', () => {
    const missed = (target: number, value: number) =>
      resultOf('f', [{ subject: 's', unit: 'calls', value, target }]).missed;
    expect(missed(4, 4)).toBe(false);
    expect(missed(4, 5)).toBe(true);
    expect(missed(0, 0)).toBe(false);
    expect(missed(0, 1)).toBe(true);
  });

  test('results are printed as a table with one line per result', () => {
    expect(resultTable([resultOf('f', [run(30, 10)])]).split('\n')).toEqual([
      '| figure | of | value | floor | ratio | target     |',
      '| ------ | -- | ----- | ----- | ----- | ---------- |',
      '| f      | s  | 30 ms | 10    | 3.00  | ≤ 2 MISSED |',
    ]);
  });
});

describe('the bill of a tenant', () => {
  const QUIET: Tenant = { name: 'quiet', assets: 0, changes: 0, removals: 0, dnsBlocks: 0 };
  const BUSY: Tenant = { name: 'busy', assets: 1_000, changes: 600, removals: 60, dnsBlocks: 6_000 };

  test('a tenant without changes pays only for runs, polls, alarms, metrics and the secret', () => {
    const alarms = STACK_PARTS.alarms * 0.1 + STACK_PARTS.compositeAlarms * 0.5;
    const bill = Object.entries(billOf(QUIET)).map(([part, dollars]) => [part, dollars.toFixed(2)]);
    expect(Object.fromEntries(bill)).toEqual({
      'CloudWatch metrics': '2.70',
      'CloudWatch alarms': alarms.toFixed(2),
      'CloudWatch dashboard': '0.00',
      'CloudWatch logs': '0.07',
      Lambda: '0.22',
      DynamoDB: '0.11',
      Firehose: '0.00',
      'S3, after a year': '0.00',
      SNS: '0.00',
      SQS: '0.05',
      Scheduler: '0.04',
      'Secrets Manager': '0.45',
      total: (3.64 + alarms).toFixed(2),
    });
    expect(initialLoadDollars(QUIET)).toBe(0);
  });

  test('a busy tenant with 600 asset changes per hour sends 125 lines per minute', () => {
    const { lines, lineBytes, writeUnits, readUnits, logs } = usagePerMinute(BUSY);
    expect(lines).toBe(20 + 5 + 100);
    expect(lineBytes).toBe(20 * 1_260 + 5 * 400 + 100 * 540);
    // Batches of assets and threats, of withdrawals and of their end, each with a log, and one of
    // DNS blocks.
    expect(logs).toBe(4);
    expect(writeUnits).toBeCloseTo(2 + 4 * 1 + 5 * 4.5 + 15 * 1.03 + 5 * 2.03 + 5 * 2 + 100 * 0.046);
    expect(readUnits).toBe(10 + 20 + 5);
  });

  test('the bill of a busier tenant is higher in each part that depends on rows', () => {
    const [quiet, busy] = [billOf(QUIET), billOf(BUSY)];
    const higher = Object.keys(quiet).filter(part => busy[part]! > quiet[part]!);
    expect(higher).toEqual(['Lambda', 'DynamoDB', 'Firehose', 'S3, after a year', 'SNS', 'SQS', 'total']);
  });

  test('the formula of the bill counts the same parts as the template', async () => {
    const template = await templateWith({ dnsBlocksPath: '/v1/dns-blocks' });
    const count = (type: string) => resources(template, type).length;
    expect(STACK_PARTS).toEqual({
      alarms: count('AWS::CloudWatch::Alarm'),
      compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
      dashboards: count('AWS::CloudWatch::Dashboard'),
      secrets: count('AWS::SecretsManager::Secret'),
      memoryMegabytes: only(template, 'AWS::Lambda::Function')['MemorySize'],
    });
  });

  test('the formula of the bill uses the write units of the benchmark in docs/testing.md', () => {
    const { asset, newThreat, dnsBlock } = WRITE_UNITS;
    expect(page('docs/testing.md')).toContain(
      `${asset} for a new or changed asset, ${newThreat} for a new threat, ${dnsBlock} for a new DNS block`,
    );
  });
});
