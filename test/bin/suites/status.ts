import { describe, expect, test } from '@jest/globals';
import { checkpointKey, removalsPartition } from '../../../lambda/store/item.ts';
import { json, list, problem } from '../../../local/incidents/tampered-api.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import { deployment } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';
import { DENIED, GONE } from '../support/refusals.ts';
import { cells, from } from '../support/words.ts';

const READS = /:(BatchGetItem|Query|Describe\w+|Get\w+|List\w+)$/;
/** A row of the second table, of saved state. */
const saved = (output: string, stream: string) => cells(from(output, 'cursor'), stream);

describe('status', () => {
  test('of a connector that has never run is in progress, exits with 0 and changes nothing', async () => {
    await using each = await deployment();
    const { status, stdout } = await each.ctl(['status']);
    expect([status, stdout.split('\n')[0]]).toEqual([
      0,
      'acme: in progress: assets never run; threats never run; dns-blocks never run',
    ]);
    expect(cells(stdout, 'assets').slice(0, 3)).toEqual(['assets', 'never run', 'none in 24 h']);
    expect(saved(stdout, 'assets')).toEqual(['assets', 'none yet', 'none', '0', '0', '0']);
    expect(stdout).toContain('Lease     never taken');
    expect(each.asked().length).toBeGreaterThan(10);
    expect(each.asked().filter(({ permission }) => !READS.test(permission))).toEqual([]);
  });

  test('shows the counts of the day and the saved state, but no cursor', async () => {
    await using each = await deployment({ endOfStream: 'empty-page-null' });
    each.connector.platform.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
    await each.run();
    await each.run({ replay: ['threats'] });
    const { status, stdout } = await each.ctl(['status']);
    expect([status, stdout.split('\n')[0]]).toEqual([0, 'acme: healthy: every stream is caught up']);
    expect(cells(stdout, 'threats')).toEqual(['threats', 'caught up', 'just now', '40', '40', '0', '0', '0']);
    expect(saved(stdout, 'assets').slice(1)).toEqual([
      'saved',
      expect.stringMatching(/^\d{10}0000000040$/),
      '30',
      '0',
      '0',
    ]);
    expect(saved(stdout, 'threats').slice(1)).toEqual([
      'saved',
      expect.stringMatching(/^\d{10}0000000020$/),
      '20',
      expect.stringMatching(/^[1-9]/),
      '0',
    ]);
    expect(stdout).toMatch(/free, epoch \d+; the last run ended cleanly/);
    const { document } = await each.json(['status']);
    expect(document).toMatchObject({
      health: { status: 'healthy', reasons: [] },
      streams: [{ stream: 'assets', condition: 'caught up', checkpoint: { cursorSaved: true, window: 30 } }, {}, {}],
      lease: { epoch: expect.any(Number), held: false },
    });
    const [item] = await each.connector.table.get([checkpointKey('assets')]);
    expect(stdout + JSON.stringify(document)).not.toContain(item!['cursor']!.S);
  });

  test("of runs dated by a clock ahead of this machine's is healthy", async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    await each.run({}, -2);
    const { status, stdout } = await each.ctl(['status']);
    expect([status, stdout.split('\n')[0]]).toEqual([0, 'acme: healthy: every stream is caught up']);
    expect(cells(stdout, 'threats')).toEqual(['threats', 'caught up', 'just now', '2', '2', '0', '0', '0']);
    const { document } = await each.json(['status']);
    expect(document.streams[1]).toMatchObject({ condition: 'caught up', lastSuccessAgeSeconds: 0 });
  });

  test('of a failing stream is unhealthy, exits with 3 and shows unconfirmed ids and pending withdrawals', async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 30, threats: 0, dnsBlocks: 0 });
    each.connector.aws.faults.always('firehose', DENIED);
    expect(await each.run()).toBe(false);
    const listed = ['=a', '=b'].map(sk => ({ pk: { S: removalsPartition('assets') }, sk: { S: sk } }));
    await each.connector.table.put(listed, pass);
    const { status, stdout } = await each.ctl(['status']);
    const [first, failure, advice, command] = stdout.split('\n');
    expect([status, first, failure, advice, command]).toEqual([
      3,
      'acme: unhealthy: assets failing',
      expect.stringContaining(' ago: assets, DeliveryError: '),
      expect.stringContaining('    → The checkpoint was not moved'),
      '  "npm run connectorctl -- doctor" checks every part, and says what to do.',
    ]);
    expect(saved(stdout, 'assets').at(-1)).toBe('30');
    expect(stdout).toContain('Removed assets with threats to withdraw: 2');
    expect(stdout).toContain('the last run ended with unconfirmed events');
  });

  test('of a checkpoint that another version wrote exits with 3 and shows what to do and every other part', async () => {
    await using each = await deployment();
    await each.connector.table.put([{ ...checkpointKey('threats'), cursor: { S: 'x' } }], pass);
    const { status, stdout } = await each.ctl(['status']);
    expect([status, cells(stdout, 'threats')[1]]).toEqual([3, 'unreadable']);
    expect(stdout).toContain('Deploy the version of the connector that wrote it');
    expect(saved(stdout, 'assets')[1]).toBe('none yet');
  });

  test('of firing alarms exits with 3 and shows each with its duration and runbook section, critical ones first', async () => {
    await using each = await deployment();
    each.stack.alarms.set('acme/dead-letters', 'ALARM');
    each.stack.alarms.set('acme/credentials-refused', 'ALARM');
    const { status, stdout } = await each.ctl(['status']);
    expect(status).toBe(3);
    expect(stdout.split('\n').slice(0, 10)).toEqual([
      'acme: unhealthy: alarm credentials-refused; alarm dead-letters',
      expect.stringMatching(/^ {2}critical: credentials-refused, since \S+Z, \d+ s$/),
      expect.stringMatching(
        /^ {4}The SIEM receives nothing new: .* Nothing is lost\. Runs continue from the saved cursors/,
      ),
      '    → npm run connectorctl -- doctor --connector acme',
      '    It ends with the first good report, or 17 min after the last report of the fault. docs/runbook.md#credentials-refused',
      expect.stringMatching(/^ {2}warning: dead-letters, since \S+Z, \d+ s$/),
      expect.stringMatching(/^ {4}Rows could not be sent as events/),
      '    → npm run connectorctl -- dead-letters list --connector acme',
      '    It ends 17 min after the last report of the fault. docs/runbook.md#dead-letters',
      '  Last failures: none in the log of the last 3 hours',
    ]);
    const { document } = await each.json(['status']);
    expect(document.alarms.inAlarm).toMatchObject([
      { severity: 'critical', ends: { withGoodReport: true, seconds: 1020 } },
      { severity: 'warning', ends: { withGoodReport: false, seconds: 1020 }, first: expect.stringContaining(' list ') },
    ]);
  });

  test('status shows each kind of failure once, and how an alarm on silence ends', async () => {
    await using each = await deployment();
    each.connector.api.tamper(list('/v1/assets', problem(403, 'auth/insufficient-role')));
    await each.run({}, 9);
    await each.run({}, 5);
    each.stack.alarms.set('acme/stream-silent', 'ALARM');
    each.stack.alarms.set('acme/role-missing', 'ALARM');
    const { stdout } = await each.ctl(['status']);
    expect(stdout).toMatch(
      /^ {2}Failed \d+ min ago, 2 times in 3 hours: assets, RoleMissingError: The API answered 403 .*\n {4}→ .* nothing is lost/m,
    );
    expect(stdout.match(/The API answered 403/g)).toHaveLength(1);
    expect(stdout).toContain('    It ends with the first good report. docs/runbook.md#stream-silent');
    expect((await each.json(['status'])).document.failures).toMatchObject([
      { count: 2, stream: 'assets', error: 'RoleMissingError', first: expect.any(String), last: expect.any(String) },
    ]);
  });

  test('status shows the three newest kinds of failures, and how many others the log has', async () => {
    await using each = await deployment();
    const log = (minutesAgo: number, message: string) =>
      each.stack.logs.put(each.stack.outputs['LogGroupName']!, {
        timestamp: Date.now() - minutesAgo * 60_000,
        message,
      });
    each.stack.alarms.set('acme/function-errors', 'ALARM');
    log(
      1,
      '…\tERROR\tInvoke Error \t{"errorType":"SettingsError","errorMessage":"STATE_TABLE is missing.","stack":[]}',
    );
    log(2, '2026-11-20T12:15:00.000Z 5a1c2d3e Task timed out after 900.00 seconds');
    log(3, 'RequestId: 5a1c2d3e Error: Runtime exited with error: signal: killed');
    log(3, 'REPORT RequestId: 5a1c2d3e Duration: 3.00 ms Status: error');
    log(4, '…\tERROR\tInvoke Error \t{"errorType":"TypeError","errorMessage":"undefined","stack":[]}');
    log(200, '…\tERROR\tInvoke Error \t{"errorType":"RangeError","errorMessage":"too early","stack":[]}');
    const { stdout } = await each.ctl(['status']);
    expect(stdout.match(/^ {2}Failed .*: run, .*$/gm)).toEqual([
      expect.stringMatching(/SettingsError: STATE_TABLE is missing\.$/),
      expect.stringMatching(/Lambda: Task timed out after 900\.00 seconds$/),
      expect.stringMatching(/Lambda: Runtime exited with error: signal: killed$/),
    ]);
    expect(stdout).toContain('  1 more kinds of failures: the saved query of the connector');
  });

  test('status names the cause of a failure at AWS', async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 1, threats: 0, dnsBlocks: 0 });
    each.connector.aws.faults.always('firehose', DENIED);
    await each.run();
    each.stack.alarms.set('acme/function-errors', 'ALARM');
    expect((await each.ctl(['status'])).stdout).toMatch(/DeliveryError: .* \(Cause: AccessDeniedException: HTTP 403/);
  });

  test('does not read the log while nothing fails, and names a log that cannot be read', async () => {
    await using each = await deployment();
    await each.run();
    await each.ctl(['status']);
    expect(each.asked().map(({ action }) => action)).not.toContain('FilterLogEvents');
    each.connector.aws.faults.always('logs', DENIED);
    each.stack.alarms.set('acme/filter-faults', 'ALARM');
    const { stdout } = await each.ctl(['status']);
    expect(stdout).toMatch(/^acme: unhealthy: alarm filter-faults; log not readable$/m);
    expect(stdout).toMatch(/^ {2}Last failures: not readable: .*Access denied/m);
  });

  test('shows Firehose, the SIEM’s queues, dead letters and a failed deployment', async () => {
    await using each = await deployment();
    const body = { data: [{ id: '' }, { id: 'valid' }], pagination: { next_cursor: null, page_size: 2 } };
    const [assets, blocks] = ['/v1/assets', '/v1/dns-blocks'].map(path => list(path, json(200, body)));
    each.connector.api.tamper(request => assets!(request) ?? blocks!(request));
    await each.run();
    const { SiemQueueUrl = '', SiemDeadLetterQueueUrl = '', DeliveryStreamName = '' } = each.stack.outputs;
    for (const url of [SiemQueueUrl, SiemQueueUrl, SiemDeadLetterQueueUrl])
      each.stack.queues.send(sqsQueueName(url), { body: 'an object' });
    const put = (namespace: string, name: string, dimensions: Record<string, string>, value: number) =>
      each.stack.metrics.put({ namespace, name, dimensions, value, time: Date.now() - 60_000 });
    put('AWS/Firehose', 'DeliveryToS3.DataFreshness', { DeliveryStreamName }, 45);
    put('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: sqsQueueName(SiemQueueUrl) }, 600);
    Object.assign(each.stack.stacks[0]!, { status: 'UPDATE_ROLLBACK_COMPLETE' });
    const { status, stdout } = await each.ctl(['status']);
    expect([status, stdout.split('\n')[0]]).toEqual([3, 'acme: unhealthy: stack UPDATE_ROLLBACK_COMPLETE']);
    expect(['assets', 'threats', 'dns-blocks'].map(name => cells(stdout, name).at(-1))).toEqual(['1', '0', '1']);
    expect(stdout).toContain('Firehose  the oldest undelivered event is 45 s old');
    expect(stdout).toContain('SIEM      2 objects waiting, the oldest for 10 min, 0 being read, dead letters: 1');
  });

  test('does not count the test message of S3 as a waiting object', async () => {
    await using each = await deployment();
    const { SiemQueueUrl = '' } = each.stack.outputs;
    each.stack.queues.send(sqsQueueName(SiemQueueUrl), { body: '{"Service":"Amazon S3","Event":"s3:TestEvent"}' });
    expect((await each.ctl(['status'])).stdout).toContain('SIEM      no object waiting: ');
    expect((await each.json(['status'])).document.siem.queue).toEqual({ waiting: 0, taken: 0, testMessages: 1 });
  });

  test('has columns that add up to the rows read', async () => {
    await using each = await deployment();
    const rows = [
      { id: 'a', deleted: true, deleted_at: '2026-11-20T12:00:00Z' },
      { id: 'b', v: 1 },
      { id: 'b', v: 2 },
    ];
    each.connector.api.tamper(
      list('/v1/assets', json(200, { data: rows, pagination: { next_cursor: null, page_size: 3 } })),
    );
    await each.run({}, 3);
    const [, ...shown] = cells((await each.ctl(['status'])).stdout, 'assets');
    expect(shown).toEqual(['caught up', expect.stringMatching(/^[34] min ago$/), '3', '1', '2', '0', '0']);
  });

  test('shows every readable part, names the others and exits with 3', async () => {
    await using each = await deployment();
    for (const service of ['sqs', 'scheduler', 'cloudwatch'] as const)
      each.connector.aws.faults.always(service, DENIED);
    const { status, stdout } = await each.ctl(['status']);
    expect([status, stdout.split('\n')[0]]).toEqual([
      3,
      'acme: unhealthy: metrics not readable; schedule not readable; alarms not readable; schedule dead-letter queue not readable; ' +
        'SIEM queue not readable; SIEM dead-letter queue not readable',
    ]);
    expect(stdout).toMatch(/^Schedule {2}not readable: .*Access denied/m);
    expect(saved(stdout, 'assets')[1]).toBe('none yet');
    expect((await each.json(['status'])).document).toMatchObject({
      schedule: { notReadable: expect.stringContaining('AccessDenied') },
      lease: null,
    });
  });

  test('of a table that does not exist says so, and how to restore it, instead of naming a permission', async () => {
    await using each = await deployment();
    each.connector.aws.faults.always('dynamodb', GONE);
    const { status, stdout } = await each.ctl(['status']);
    expect([status, stdout]).toEqual([3, expect.stringContaining('Do not deploy: with an empty table')]);
    expect(stdout.match(/Do not deploy/g)).toHaveLength(1);
    expect(stdout).not.toContain('You need dynamodb');
  });

  test('shows a stream without a path as off', async () => {
    await using each = await deployment({}, { variables: { DNS_BLOCKS_PATH: '' } });
    const { stdout } = await each.ctl(['status']);
    expect(cells(stdout, 'dns-blocks')[1]).toBe('off');
    expect(stdout.split('\n')[0]).not.toContain('dns-blocks');
  });
});
