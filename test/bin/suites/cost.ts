/** `cost`, as an operator types it. */
import { describe, expect, test } from '@jest/globals';
import { monthOf } from '../../../bin/ctl/commands/cost/cost.ts';
import { fixedParts } from '../../../lib/cost/bill.ts';
import { deployment, FUNCTION } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';
import { start } from '../support/shell.ts';

const HOUR = 3_600_000;

describe('cost', () => {
  test('adds up what CloudWatch counted this month, and what of the stack is the connector’s', async () => {
    await using each = await deployment();
    const now = Date.now();
    const month = monthOf(now);
    // The stack of an app may hold other connectors, whose names may begin alike, and other things.
    const others = ['acme-two/lease-lost', 'theirs'].map(physicalId => ({
      logicalId: physicalId,
      physicalId,
      type: 'AWS::CloudWatch::Alarm',
    }));
    const [own] = each.stack.stacks;
    each.stack.stacks[0] = { ...own!, resources: [...own!.resources, ...others] };
    const { StateTableName: TableName = '', DeliveryStreamName = '', SiemQueueUrl } = each.stack.outputs;
    const put =
      (time: number) => (namespace: string, name: string, dimensions: Record<string, string>, value: number) =>
        each.stack.metrics.put({ namespace, name, dimensions, value, time });
    const soon = put(Math.max(month.start, now - HOUR));
    soon('AWS/Lambda', 'Invocations', { FunctionName: FUNCTION }, 60);
    soon('AWS/Lambda', 'Duration', { FunctionName: FUNCTION }, 60_000);
    soon('AWS/DynamoDB', 'ConsumedWriteCapacityUnits', { TableName }, 2_000_000);
    soon('AWS/Firehose', 'IncomingBytes', { DeliveryStreamName }, 2 ** 30);
    soon('AWS/SQS', 'NumberOfMessagesSent', { QueueName: sqsQueueName(SiemQueueUrl) }, 7);
    put(month.start - HOUR)('AWS/Lambda', 'Invocations', { FunctionName: FUNCTION }, 1_000_000);
    const { status, stdout } = await each.ctl(['cost', '--json']);
    const bill = JSON.parse(stdout);
    const line = (per: string) => bill.lines.find((each: { per: string }) => each.per.startsWith(per));
    expect([status, bill.month]).toEqual([0, month.name]);
    expect(line('write unit')).toMatchObject({ quantity: 2_000_000, dollars: 1.25, source: 'aws' });
    expect([line('request').quantity, line('GB,').quantity, line('SQS request').quantity]).toEqual([60, 1, 7]);
    expect(line('GB-second').quantity).toBeCloseTo(60 * (1769 / 1024));
    expect(line('alarm and month').quantity / bill.gathered).toBeCloseTo(fixedParts().alarms);
    expect(bill.gathered).toBeLessThan((2.1 * HOUR) / (month.end - month.start));
    expect(bill.projected).toBeGreaterThanOrEqual(bill.dollars);
    const people = await each.ctl(['cost']);
    expect(people.stdout).toMatch(/^DynamoDB +write unit, on demand +2000000 +1\.25 +\d+\.\d\d$/m);
    expect(people.stdout).toMatch(/object put \*\* .*\n/);
    expect(people.stdout).toContain('** not confirmed');
  });

  test('of given numbers needs no stack and no AWS', async () => {
    const { status, stdout } = await start(['cost', '--assets', '10000', '--changes-per-day', '5000', '--json'], {
      environment: {},
    }).ended;
    const { numbers, dollars, fillingUp } = JSON.parse(stdout);
    expect([status, numbers]).toEqual([
      0,
      { assets: 10_000, threats: 0, dnsBlocksPerDay: 0, changesPerDay: 5_000, rateMinutes: 1 },
    ]);
    expect([dollars > fillingUp, fillingUp > 0]).toEqual([true, true]);
  });

  test.each([
    [['cost', '--assets', 'many'], 'It must be a whole number'],
    [['cost', '--assets', '1', '--rate-minutes', '61'], 'must be from 1 to 60'],
  ])('%p: exit status 2, %s', async (args, reason) => {
    const { status, stdout, stderr } = await start(args, { environment: {} }).ended;
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });
});
