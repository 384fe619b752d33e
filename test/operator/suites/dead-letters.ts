/** `dead-letters`, as an operator types it. */
import { gzipSync } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import type { ServiceName } from '../../../local/aws/service.ts';
import { minuteOf } from '../../aws/operator-services.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { sqsQueueName } from '../support/queues.ts';
import { DENIED, GONE, only } from '../support/refusals.ts';

const CANARY = 'canary-value';
const OVERSIZE = 'dead-letter/acme/dns-blocks/oversize/0a1b.json';
const STUCK = 'dead-letter/acme/assets/no-id/0c2d.json';
const ERROR = 'delivery-errors/http-endpoint-failed/2026/11/20/12/part-1';

const event = (id: string) =>
  `{"event_id":"e-${id}","sequence":"${'1'.repeat(20)}","kind":"upsert","stream":"assets","id":"${id}","time":null,` +
  `"stream_position":null,"connector":"acme","forwarded_at":"2026-11-20T12:00:00.000Z","row":{"id":"${id}","n":"${CANARY}"}}`;
const errorRecord = (...ids: string[]) =>
  JSON.stringify({
    attemptsMade: 5,
    arrivalTimestamp: Date.parse('2026-11-20T12:00:00Z'),
    errorCode: 'HttpEndpoint.DestinationException',
    errorMessage: 'It answered 503.',
    rawData: Buffer.from(ids.map(id => `${event(id)}\n`).join('')).toString('base64'),
  });

async function put(each: Deployment, Key: string, Body: string | Buffer): Promise<void> {
  const { clients, aws } = each.connector;
  await (await clients.s3()).send(new PutObjectCommand({ Bucket: aws.names.bucket, Key, Body }));
}

/** The keys of which the objects exist. */
async function kept({ connector }: Deployment, ...keys: readonly string[]): Promise<string[]> {
  const s3 = await connector.clients.s3();
  const get = (Key: string) => s3.send(new GetObjectCommand({ Bucket: connector.aws.names.bucket, Key }));
  const found = await Promise.allSettled(keys.map(get));
  return keys.filter((_, at) => found[at]!.status === 'fulfilled');
}

/** Something of each kind is set aside. */
async function withFailures(): Promise<Deployment> {
  const each = await deployment();
  await put(each, OVERSIZE, `{"row":{"id":"late","n":"${CANARY}"}}\n`);
  await put(each, STUCK, `{"row":{"n":"${CANARY}"}}\n`);
  await put(each, ERROR, gzipSync(`${errorRecord('x', 'y')}\n${errorRecord('z')}\n`));
  each.account.queues.set(each.outputs['SiemDeadLetterQueueUrl']!, 1);
  return each;
}

test('dead-letters list counts objects by place, reason and age, and does not show any row', async () => {
  await using each = await withFailures();
  const QueueName = sqsQueueName(each.outputs['SiemDeadLetterQueueUrl']);
  const age = { namespace: 'AWS/SQS', metric: 'ApproximateAgeOfOldestMessage', dimensions: { QueueName } };
  each.account.metrics.add(age, minuteOf(Date.now() - 600_000), 7_200);
  const { status, stdout } = await each.ctl(['dead-letters', 'list']);
  expect(status).toBe(3);
  expect(stdout).toMatch(/^rows +dns-blocks: oversize +1 +\d{4}-\d\d-\d\dT[\d:]+Z$/m);
  expect(stdout).toMatch(/^rows +assets: no-id +1 /m);
  expect(stdout).toMatch(/^deliveries +http-endpoint-failed +1 /m);
  expect(stdout).toMatch(/^queue +siem-dead-letters +1 +\d{4}-\d\d-\d\dT[\d:]+Z$/m);
  expect(stdout).toMatch(/^queue +schedule-dead-letters +0$/m);
  for (const key of [OVERSIZE, STUCK, ERROR]) expect(stdout).toContain(`\ns3://security-data/${key}\n`);
  expect(stdout).not.toContain(CANARY);
  const narrow = await each.json(['dead-letters', 'list', '--stream', 'assets']);
  const [bytes, since] = [expect.any(Number), expect.any(String)];
  const row = { address: `s3://security-data/${STUCK}`, bytes, stream: 'assets', why: 'no-id', since };
  expect(narrow.document).toEqual({ rows: [row], deliveries: [], queues: {} });
});

describe('redrive', () => {
  test('redrive --all sends failed deliveries again, deletes their objects, and keeps dead letters of rows', async () => {
    await using each = await withFailures();
    const { status, document } = await each.json(['dead-letters', 'redrive', '--all', '--yes']);
    expect(status).toBe(0);
    expect(document.redriven).toEqual([{ key: ERROR, outcome: 'sent', events: 3 }]);
    expect(await each.connector.lines()).toEqual(['x', 'y', 'z'].map(event));
    expect(await kept(each, ERROR, OVERSIZE, STUCK)).toEqual([OVERSIZE, STUCK]);
  });

  test.each<[string, Partial<Record<ServiceName, typeof GONE>>, string]>([
    ['an object is missing', {}, 'There is no delivery-errors/nothing'],
    ['the delivery stream is missing', { firehose: GONE }, 'The delivery stream security-data-connector does'],
  ])('redrive neither announces nor does anything when %s', async (_, faults, reason) => {
    await using each = await withFailures();
    for (const [service, fault] of Object.entries(faults))
      each.connector.aws.faults.always(service as ServiceName, fault);
    const keys = 'firehose' in faults ? [ERROR] : ['delivery-errors/nothing', ERROR];
    const { status, stderr } = await each.ctl(['dead-letters', 'redrive', ...keys, '--yes']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(reason) });
    expect(stderr).not.toContain('again');
    expect(await kept(each, ERROR)).toEqual([ERROR]);
  });

  test('redrive asks for confirmation, sends the readable objects, and names the unreadable objects', async () => {
    await using each = await withFailures();
    await put(each, `${ERROR}-other`, '{"no":"record"}');
    const args = ['dead-letters', 'redrive', `s3://security-data/${ERROR}`, `${ERROR}-other`];
    const question = expect.stringMatching(/The 3 events of 1 object .*Re-run with --yes/s);
    expect(await each.ctl(args)).toMatchObject({ status: 2, stderr: question });
    expect(await kept(each, ERROR)).toEqual([ERROR]);
    const { status, stdout, stderr } = await each.ctl([...args, '--yes']);
    expect(stderr).toContain(`Nothing is done with 1 object that cannot be sent, such as ${ERROR}-other: 1 of its`);
    expect({ status, stdout }).toEqual({ status: 3, stdout: expect.stringMatching(/sent again +1\n/) });
    expect(await kept(each, ERROR, `${ERROR}-other`)).toEqual([`${ERROR}-other`]);
  });

  test('redrive keeps an object that Firehose refuses and continues with the next object', async () => {
    await using each = await withFailures();
    each.connector.aws.faults.always('firehose', only('PutRecordBatch', DENIED));
    const alone = await each.ctl(['dead-letters', 'redrive', ERROR, '--yes']);
    expect(alone).toMatchObject({ status: 1, stderr: expect.stringContaining('Its object is unchanged') });
    expect(alone.stderr).not.toContain(CANARY);

    await put(each, `${ERROR}-other`, errorRecord('w'));
    let puts = 0;
    each.connector.aws.faults.always('firehose', ({ action }) =>
      action === 'PutRecordBatch' && puts++ === 0 ? DENIED : {},
    );
    const { status, stdout } = await each.ctl(['dead-letters', 'redrive', '--all', '--yes']);
    expect(status).toBe(3);
    expect(stdout).toContain(
      `${ERROR}\n  The delivery stream security-data-connector did not accept every event: Access`,
    );
    expect(await kept(each, ERROR, `${ERROR}-other`)).toEqual([ERROR]);
  });

  test('redrive at Ctrl-C leaves each object either sent and deleted, or unchanged', async () => {
    await using each = await withFailures();
    const keys = Array.from({ length: 40 }, (_, at) => `${ERROR}-${at}`);
    await Promise.all(keys.map((key, at) => put(each, key, errorRecord(`part-${at}`))));
    const { interrupt, ended } = each.start(['dead-letters', 'redrive', ...keys, '--yes']);
    onCall(each, 'DeleteObject', 3, () => interrupt());
    const { status, stderr } = await ended;
    expect(status).toBe(130);
    const [, dealtWith] = /Interrupted\. The events of (\d+) of 40 objects were sent again/.exec(stderr)!;
    const left = await kept(each, ...keys);
    expect(left).toHaveLength(40 - Number(dealtWith));
    expect(left).not.toEqual([]);
    const sent = new Set((await each.connector.lines()).map(line => JSON.parse(line).id));
    expect(keys.filter((key, at) => !left.includes(key) && !sent.has(`part-${at}`))).toEqual([]);
  });
});

test.each([
  [[OVERSIZE, '--yes'], 'A row is not sent again'],
  [['--yes'], 'Give the addresses to send again, or --all'],
  [['dead-letter/other/assets/no-id/0a.json', '--yes'], 'is not a failed delivery'],
])('redrive %j is refused with exit status 2: %s', async (args, reason) => {
  await using each = await deployment();
  const stderr = expect.stringContaining(reason);
  expect(await each.ctl(['dead-letters', 'redrive', ...args])).toEqual({ status: 2, stdout: '', stderr });
});

/** Calls `act` at the given number of calls of an action. */
function onCall({ connector }: Deployment, action: string, time: number, act: () => void): void {
  const { calls } = connector;
  let seen = 0;
  calls.push = (...added) => {
    if (added.some(each => each.action === action) && ++seen === time) act();
    return Array.prototype.push.apply(calls, added);
  };
}

test('dead-letters list says only once why two parts of the bucket cannot be read', async () => {
  await using each = await deployment();
  each.connector.aws.faults.always('s3', DENIED);
  const { status, stdout } = await each.ctl(['dead-letters', 'list']);
  expect(status).toBe(3);
  expect(stdout.match(/not readable/g)).toHaveLength(2);
  expect(stdout.match(/could not be listed: Access denied/g)).toHaveLength(1);
});
