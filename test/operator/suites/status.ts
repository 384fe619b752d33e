/** `status`, as an operator types it. What follows from what it reads is proven in test/operator/ctl/status.test.ts and failures.test.ts. */
import { describe, expect, test } from '@jest/globals';
import { checkpointKey, removalsPartition } from '../../../lambda/store/item.ts';
import { minuteOf } from '../../aws/operator-services.ts';
import { pass } from '../../support/function/aws-scene.ts';
import { raiseAlarm } from '../support/alarms.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';
import { DENIED } from '../support/refusals.ts';
import { cells } from '../support/words.ts';

function putMetric({ account }: Deployment, metric: string, dimensions: Record<string, string>, value: number): void {
  const namespace = metric.startsWith('Delivery') ? 'AWS/Firehose' : 'AWS/SQS';
  account.metrics.add({ namespace, metric, dimensions }, minuteOf(Date.now() - 60_000), value);
}

describe('status', () => {
  test('status of a healthy connector shows the counts of the day, but no cursor', async () => {
    await using each = await deployment({ endOfStream: 'empty-page-null' });
    each.connector.simulator.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
    await each.run();
    // The clock of AWS may be ahead of this machine's.
    await each.run({ replay: ['threats'] }, -2);
    const { SiemQueueUrl = '', SiemDeadLetterQueueUrl = '', DeliveryStreamName = '' } = each.outputs;
    each.account.queues.set(SiemQueueUrl, 2).set(SiemDeadLetterQueueUrl, 1);
    putMetric(each, 'DeliveryToS3.DataFreshness', { DeliveryStreamName }, 45);
    putMetric(each, 'ApproximateAgeOfOldestMessage', { QueueName: sqsQueueName(SiemQueueUrl) }, 600);

    const { status, stdout } = await each.ctl(['status']);
    const [first] = stdout.split('\n');
    expect([status, first]).toEqual([0, 'acme: healthy: every stream is caught up']);
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

  test('status of a failing stream exits with 3 and shows the alarms and the last failure', async () => {
    await using each = await deployment();
    each.connector.simulator.populate({ assets: 30, threats: 0, dnsBlocks: 0 });
    each.connector.aws.faults.always('firehose', DENIED);
    expect(await each.run()).toBe(false);
    const listed = ['=a', '=b'].map(sk => ({ pk: { S: removalsPartition('assets') }, sk: { S: sk } }));
    await each.connector.table.put(listed, pass);
    for (const name of ['dead-letters', 'credentials-refused', 'stream-silent']) raiseAlarm(each, `acme/${name}`);
    each.account.stacks[0]!.StackStatus = 'UPDATE_ROLLBACK_COMPLETE';

    const { status, stdout } = await each.ctl(['status']);
    expect(status).toBe(3);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(
      /^acme: unhealthy: alarm stream-silent; alarm credentials-refused; .*; assets failing; stack UPDATE/,
    );
    const at = lines.findIndex(line => line.includes('critical: credentials-refused'));
    expect(lines.slice(at, at + 5)).toEqual([
      expect.stringMatching(/^ {2}critical: credentials-refused, since \S+Z, \d+ s$/),
      expect.stringMatching(/^ {4}The SIEM receives nothing new: .* Nothing is lost\. Runs continue from the saved/),
      '    → npm run connectorctl -- doctor --connector acme',
      '    It ends with the first good report, or 17 min after the last report of the problem. docs/runbook.md#credentials-refused',
      expect.stringMatching(/^ {2}warning: dead-letters/),
    ]);
    expect(stdout).toContain('    It ends with the first good report. docs/runbook.md#stream-silent\n');
    expect(stdout).toContain('    It ends 17 min after the last report of the problem. docs/runbook.md#dead-letters\n');
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
    expect([status, stdout.split('\n')[0]]).toEqual([
      3,
      'acme: unhealthy: alarm filter-errors; threats unreadable; schedule not readable; log not readable; ' +
        'schedule dead-letter queue not readable; SIEM queue not readable; SIEM dead-letter queue not readable',
    ]);
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
