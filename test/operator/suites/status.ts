/**
 * `status`, as an operator types it. What follows from what it reads is proven in
 * test/operator/ctl/status.test.ts and failures.test.ts.
 */
import { describe, expect, test } from '@jest/globals';
import { checkpointKey, removalsPartition } from '../../../lambda/store/item.ts';
import { minuteOf } from '../../aws/operator-services.ts';
import { pass } from '../../support/function/aws-scene.ts';
import { raiseAlarm } from '../support/alarms.ts';
import { type Deployment, deployment, populated } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';
import { DENIED } from '../support/refusals.ts';
import { cells } from '../support/words.ts';

function putMetric({ account }: Deployment, metric: string, dimensions: Record<string, string>, value: number): void {
  const namespace = metric.startsWith('Delivery') ? 'AWS/Firehose' : 'AWS/SQS';
  account.metrics.add({ namespace, metric, dimensions }, minuteOf(Date.now() - 60_000), value);
}

describe('status', () => {
  test('the status of a healthy connector shows the counts of the day, but not the cursors', async () => {
    const rows = { assets: 30, threats: 20, dnsBlocks: 10 };
    await using each = await populated(rows, { endOfStream: 'empty-page-null' });
    await each.run();
    // The clock of AWS may be ahead of this machine's.
    await each.run({ replay: ['threats'] }, -2);
    const { SiemQueueUrl = '', SiemDeadLetterQueueUrl = '', DeliveryStreamName = '' } = each.outputs;
    each.account.queues.set(SiemQueueUrl, 2).set(SiemDeadLetterQueueUrl, 1);
    putMetric(each, 'DeliveryToS3.DataFreshness', { DeliveryStreamName }, 45);
    putMetric(each, 'ApproximateAgeOfOldestMessage', { QueueName: sqsQueueName(SiemQueueUrl) }, 600);

    const { status, stdout } = await each.ctl(['status']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^acme: healthy: every stream is caught up\n/);
    expect(cells(stdout, 'threats')).toEqual(['threats', 'caught up', 'just now', '40', '40', '0', '0', '0']);
    expect(stdout).toMatch(/free, epoch \d+; the last run ended cleanly/);
    expect(stdout).toContain('Firehose  the oldest undelivered event is 45 s old');
    expect(stdout).toContain('SIEM      2 objects waiting, the oldest for 10 min, 0 being read, dead letters: 1');
    const { document } = await each.json(['status']);
    expect(document).toMatchObject({
      health: { status: 'healthy', reasons: [] },
      streams: [
        { stream: 'assets', condition: 'caught up', checkpoint: { cursorSaved: true, window: 30, batchOpen: false } },
        {},
        {},
      ],
      lease: { epoch: expect.any(Number), held: false },
    });
    const [item] = await each.connector.table.get([checkpointKey('assets')]);
    expect(stdout + JSON.stringify(document)).not.toContain(JSON.parse(item!['state']!.S!).cursor);
    expect(each.asked().map(({ action }) => action)).not.toContain('FilterLogEvents');
  });

  test('status exits with 3 for a failing stream and shows the alarms and the last failure', async () => {
    await using each = await populated({ assets: 30, threats: 0, dnsBlocks: 0 });
    each.connector.aws.faults.always('firehose', DENIED);
    await each.run();
    const listed = ['=a', '=b'].map(sk => ({ pk: { S: removalsPartition('assets') }, sk: { S: sk } }));
    await each.connector.table.put(listed, pass);
    for (const name of ['dead-letters', 'credentials-refused', 'stream-silent']) raiseAlarm(each, `acme/${name}`);
    each.account.stacks[0]!.StackStatus = 'UPDATE_ROLLBACK_COMPLETE';

    const { status, stdout } = await each.ctl(['status']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/^acme: unhealthy: alarm stream-silent; alarm credentials-refused; .*; stack UPDATE/);
    const [, silent, refused, dead] = stdout.split(/^ {2}(?:critical|warning): /m);
    expect(refused).toMatch(/^credentials-refused, since \S+Z, \d+ s\n {4}The SIEM receives nothing new: /);
    expect(refused).toContain('\n    → npm run connectorctl -- doctor --connector acme\n');
    expect(refused).toContain(
      'It ends with the first good report, or 17 min after the last report of the problem. docs/',
    );
    expect(silent).toContain('It ends with the first good report. docs/runbook.md#stream-silent\n');
    expect(dead).toContain('It ends 17 min after the last report of the problem. docs/runbook.md#dead-letters\n');
    expect(stdout).toMatch(
      /^ {2}Failed \d+ s ago: assets, DeliveryError: .* \(Cause: AccessDeniedException: HTTP 403/m,
    );
    expect(stdout).toContain('Removed assets with threats to withdraw: 2');
    expect(stdout).toContain('the last run ended within a batch, which the next run finishes');
    const { document } = await each.json(['status']);
    expect(document).toMatchObject({
      alarms: { inAlarm: [{}, { severity: 'critical', ends: { withGoodReport: true, seconds: 1020 } }, {}] },
      failures: [{ count: 1, stream: 'assets', error: 'DeliveryError', last: expect.any(String) }],
      streams: [{ checkpoint: { batchOpen: true, secondWalk: null, withdrawalsWaiting: null } }, {}, {}],
    });
  });

  test('status shows every readable part, names the other parts and exits with 3', async () => {
    await using each = await deployment();
    await each.connector.table.put([{ ...checkpointKey('threats'), cursor: { S: 'x' } }], pass);
    raiseAlarm(each, 'acme/filter-errors');
    for (const service of ['sqs', 'scheduler', 'logs'] as const) each.connector.aws.faults.always(service, DENIED);
    const { status, stdout } = await each.ctl(['status']);
    expect(status).toBe(3);
    expect(stdout).toMatch(/^acme: .* threats unreadable; schedule not readable; log not readable; .*SIEM queue not/);
    expect(stdout).toMatch(/^Schedule {2}not readable: .*Access denied/m);
    expect(stdout).toMatch(/^ {2}Last failures: not readable: .*Access denied/m);
    expect(stdout).toContain('Deploy the version of the connector that wrote it');
    expect(cells(stdout, 'assets')[1]).toBe('never run');
    expect((await each.json(['status'])).document).toMatchObject({
      schedule: { notReadable: expect.stringContaining('AccessDenied') },
      lease: null,
    });
  });
});
