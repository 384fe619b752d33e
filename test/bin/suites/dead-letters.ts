/** `dead-letters`, as an operator types it. */
import { gzipSync } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventLine } from '../../../bin/ctl/commands/dead-letters/load.ts';
import type { ServiceName } from '../../../local/aws/service.ts';
import { json, list } from '../../../local/incidents/tampered-api.ts';
import { START } from '../../lambda/support/stepped-clock.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { REFUSED_START, sqsQueueName, startLost } from '../support/queues.ts';
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

async function exists({ connector }: Deployment, Key: string): Promise<boolean> {
  const command = new GetObjectCommand({ Bucket: connector.aws.names.bucket, Key });
  return (await connector.clients.s3()).send(command).then(
    () => true,
    () => false,
  );
}

/** Something of each kind is set aside. */
async function withFailures(): Promise<Deployment> {
  const each = await deployment();
  each.connector.platform.populate({ assets: 3, threats: 3, dnsBlocks: 3 });
  await each.run();
  await put(
    each,
    OVERSIZE,
    `{"reason":"oversize","stream":"dns-blocks","connector":"acme","row":{"id":"late","n":"${CANARY}"}}\n`,
  );
  await put(each, STUCK, `{"reason":"no-id","stream":"assets","connector":"acme","row":{"n":"${CANARY}"}}\n`);
  await put(each, ERROR, gzipSync(`${errorRecord('x', 'y')}\n${errorRecord('z')}\n`));
  const queue = { body: `{"Records":["${CANARY}"]}`, sourceArn: each.stack.outputs['SiemQueueArn']! };
  each.stack.queues.send(sqsQueueName(each.stack.outputs['SiemDeadLetterQueueUrl']), queue);
  return each;
}

const newestOf = async (each: Deployment, id: string) =>
  (await each.connector.lines()).map(line => JSON.parse(line)).filter(event => event.id === id);

test('list counts each place with reason and age, and shows no row', async () => {
  await using each = await withFailures();
  const QueueName = sqsQueueName(each.stack.outputs['SiemDeadLetterQueueUrl']);
  const age = { namespace: 'AWS/SQS', name: 'ApproximateAgeOfOldestMessage', dimensions: { QueueName } };
  each.stack.metrics.put({ ...age, value: 7_200, time: Date.now() - 600_000 });
  const { status, stdout } = await each.ctl(['dead-letters', 'list']);
  expect(status).toBe(3);
  expect(stdout).toMatch(/^rows +dns-blocks: oversize +1 +\d{4}-\d\d-\d\dT[\d:]+Z$/m);
  expect(stdout).toMatch(/^rows +assets: no-id +1 /m);
  expect(stdout).toMatch(/^deliveries +http-endpoint-failed +1 /m);
  expect(stdout).toMatch(/^queue +siem-dead-letters +1 +\d{4}-\d\d-\d\dT[\d:]+Z$/m);
  expect(stdout).toMatch(/^queue +schedule-dead-letters +0$/m);
  for (const key of [OVERSIZE, STUCK, ERROR]) expect(stdout).toContain(`\n${key}`);
  expect(stdout).not.toContain(CANARY);
  const narrow = await each.json(['dead-letters', 'list', '--stream', 'assets']);
  expect(narrow.document).toEqual({
    rows: [{ key: STUCK, bytes: expect.any(Number), stream: 'assets', why: 'no-id', since: expect.any(String) }],
    deliveries: [],
    queues: {},
  });
});

describe('show', () => {
  test('says that a row is not UTF-8, shows wrong bytes as escapes, and gives all bytes with --json', async () => {
    await using each = await withFailures();
    const row = Buffer.concat([Buffer.from('{"id":"ü","n":"caf'), Buffer.from([0xe9, 0x22, 0x7d])]);
    const key = 'dead-letter/acme/assets/not-utf-8/0d3e.json';
    const head = '{"reason":"not-utf-8","stream":"assets","connector":"acme","row":';
    await put(each, key, Buffer.concat([Buffer.from(head), row, Buffer.from('}\n')]));
    const shown = async (...args: string[]) => (await each.ctl(['dead-letters', 'show', key, ...args])).stdout;
    expect(await shown()).toMatch(
      /: not-utf-8\. \d+ bytes\.\nThe row is not UTF-8\. --show prints wrong bytes as escapes/,
    );
    expect(await shown('--show')).toContain('{"id":"ü","n":"caf\\xe9"}');
    const { row: text, rowBase64 } = (await each.json(['dead-letters', 'show', key, '--show'])).document;
    expect([text, Buffer.from(rowBase64, 'base64')]).toEqual(['{"id":"ü","n":"caf\\xe9"}', row]);
    const whole = await each.json(['dead-letters', 'show', STUCK, '--show']);
    expect(whole.document).not.toHaveProperty('rowBase64');
  });

  test('says that the content of a row was not stored because of omit, and shows its id only with --show', async () => {
    await using each = await withFailures();
    const key = 'dead-letter/acme/assets/too-deep/0e4f.json';
    const head = { reason: 'too-deep', stream: 'assets' };
    await put(
      each,
      key,
      `${JSON.stringify({ ...head, connector: 'acme', row_hash: '0e4f', bytes: 4711, id: CANARY })}\n`,
    );
    const { stdout } = await each.ctl(['dead-letters', 'show', key]);
    expect(stdout).toMatch(/: too-deep\. 4711 bytes\.\nIts content is not stored: the option omit/);
    expect(stdout).not.toContain(CANARY);
    expect((await each.ctl(['dead-letters', 'show', key, '--show'])).stdout).toContain(`\n${CANARY}\n`);
    const shown = async (...args: string[]) => (await each.json(['dead-letters', 'show', key, ...args])).document;
    expect([await shown(), await shown('--show')]).toEqual([
      { key, ...head, bytes: 4711 },
      { key, ...head, bytes: 4711, id: CANARY },
    ]);
  });

  test('shows the reason, and the content only with --show', async () => {
    await using each = await withFailures();
    const shown = async (...args: string[]) => (await each.ctl(['dead-letters', 'show', ...args])).stdout;
    expect(await shown(OVERSIZE)).toMatch(/^A row of dns-blocks that could not be sent: oversize\. \d+ bytes\.\n$/);
    expect(await shown(OVERSIZE, '--show')).toContain(`{"id":"late","n":"${CANARY}"}`);
    const error = await shown(ERROR);
    expect(error).toMatch(/^HttpEndpoint\.DestinationException +2 +3 +2026-11-20T12:00:00Z$/m);
    expect(error).toContain('HttpEndpoint.DestinationException: It answered 503.');
    expect(error).not.toContain(CANARY);
    const { document } = await each.json(['dead-letters', 'show', ERROR, '--show']);
    expect(document.events).toEqual(['x', 'y', 'z'].map(event));
    const queue = await shown('siem-dead-letters');
    expect([queue.includes('notifications that the SIEM'), queue.includes(CANARY)]).toEqual([true, false]);
    expect(await shown('siem-dead-letters', '--show')).toContain(CANARY);
  });
});

test('show identifies the test message of S3 in the dead-letter queue', async () => {
  await using each = await deployment();
  const queue = sqsQueueName(each.stack.outputs['SiemDeadLetterQueueUrl']);
  each.stack.queues.send(queue, { body: '{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"b"}' });
  const { stdout } = await each.ctl(['dead-letters', 'show', 'siem-dead-letters']);
  expect(stdout).toMatch(/^s3:TestEvent +1 /m);
  expect(stdout).toContain('It names no object');
});

test('show groups failed starts by error, with number and age', async () => {
  await using each = await deployment();
  const [older, newer] = [Date.now() - 7_200_000, Date.now() - 60_000];
  const { ERROR_CODE } = REFUSED_START;
  startLost(each, CANARY, REFUSED_START, newer);
  startLost(each, CANARY, REFUSED_START, older);
  startLost(each, CANARY, { ERROR_CODE, ERROR_MESSAGE: { DataType: 'String', StringValue: 'Another.' } }, newer);
  startLost(each, CANARY, {}, newer);
  const { status, stdout } = await each.ctl(['dead-letters', 'show', 'schedule-dead-letters']);
  expect(status).toBe(0);
  const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;
  expect(stdout).toMatch(new RegExp(`^AccessDeniedException +2 +${time(older)}$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^unknown +1 +${time(newer)}$`, 'm'));
  expect(stdout).toContain(`\n\nAccessDeniedException: ${REFUSED_START.ERROR_MESSAGE.StringValue}\n`);
  expect(stdout).not.toContain(CANARY);
  const { errors, messages } = (await each.json(['dead-letters', 'show', 'schedule-dead-letters', '--show'])).document;
  expect(errors).toEqual([
    { code: 'AccessDeniedException', message: expect.any(String), count: 2, oldest: new Date(older).toISOString() },
    { code: 'AccessDeniedException', message: 'Another.', count: 1, oldest: new Date(newer).toISOString() },
    { code: '', message: '', count: 1, oldest: new Date(newer).toISOString() },
  ]);
  expect(messages.map((each: { body: string }) => each.body)).toEqual([CANARY, CANARY, CANARY, CANARY]);
});

describe('redrive', () => {
  test('does nothing without a terminal or --yes', async () => {
    await using each = await withFailures();
    const { status, stderr } = await each.ctl(['dead-letters', 'redrive', '--all']);
    expect([status, each.stack.invocations]).toEqual([2, []]);
    for (const part of ['The 3 events of 1 object ', 'moves the notifications', 'about 1,', 'Re-run with --yes']) {
      expect(stderr).toContain(part);
    }
    expect(await exists(each, ERROR)).toBe(true);
  });

  test('--all sends failed deliveries and notifications again, deletes what was sent, and leaves rows alone', async () => {
    await using each = await withFailures();
    const { status, document } = await each.json(['dead-letters', 'redrive', '--all', '--yes']);
    expect([status, document.redriven]).toEqual([
      0,
      [
        { key: 'siem-dead-letters', outcome: 'sent', events: 1, reason: expect.stringContaining('completed') },
        { key: ERROR, outcome: 'sent', events: 3 },
      ],
    ]);
    expect([await exists(each, ERROR), await exists(each, OVERSIZE), await exists(each, STUCK)]).toEqual([
      false,
      true,
      true,
    ]);
    for (const id of ['x', 'y', 'z']) expect((await newestOf(each, id))[0]).toEqual(JSON.parse(event(id)));
    expect(each.stack.queues.messages(sqsQueueName(each.stack.outputs['SiemQueueUrl']))).toHaveLength(1);
    expect(each.stack.invocations).toEqual([]);
  });

  test.each([
    ['an object is missing', {}, ['delivery-errors/nothing', ERROR], 'There is no delivery-errors/nothing', 2],
    [
      'the delivery stream is missing',
      { firehose: GONE },
      [ERROR],
      'The delivery stream security-data-connector does',
      2,
    ],
    ['the queue cannot be read', { sqs: DENIED }, ['siem-dead-letters'], 'could not be read', 1],
  ])('promises nothing and does nothing when %s', async (_what, faults, keys, reason, expected) => {
    await using each = await withFailures();
    for (const [service, fault] of Object.entries(faults)) {
      each.connector.aws.faults.always(service as ServiceName, fault);
    }
    const { status, stderr } = await each.ctl(['dead-letters', 'redrive', ...keys, '--yes']);
    expect([status, stderr]).toEqual([expected, expect.stringContaining(reason)]);
    expect(stderr).not.toContain('again');
    expect(await exists(each, ERROR)).toBe(true);
  });

  test('says before it asks which objects cannot be sent, and sends the others', async () => {
    await using each = await withFailures();
    await put(each, `${ERROR}-other`, '{"no":"record"}');
    const { status, stdout, stderr } = await each.ctl(['dead-letters', 'redrive', ERROR, `${ERROR}-other`, '--yes']);
    expect(stderr).toContain(
      `Nothing is done with 1 object that cannot be sent, such as ${ERROR}-other: 1 of its lines`,
    );
    expect([status, stdout]).toEqual([3, expect.stringMatching(/sent again +1\n/)]);
    expect([await exists(each, ERROR), await exists(each, `${ERROR}-other`)]).toEqual([false, true]);
  });

  test('keeps and reports an object if Firehose refuses a record', async () => {
    await using each = await withFailures();
    each.connector.aws.faults.always('firehose', only('PutRecordBatch', DENIED));
    const { status, stderr } = await each.ctl(['dead-letters', 'redrive', ERROR, '--yes']);
    expect([status, await exists(each, ERROR)]).toEqual([1, true]);
    expect(stderr).toContain('You need firehose:PutRecordBatch');
    expect(stderr).not.toContain(CANARY);
  });

  test('leaves each object sent and deleted, or unchanged, at Ctrl-C', async () => {
    await using each = await withFailures();
    const keys = Array.from({ length: 40 }, (_, at) => `${ERROR}-${at}`);
    await Promise.all(keys.map((key, at) => put(each, key, errorRecord(`part-${at}`))));
    const { interrupt, ended } = each.start(['dead-letters', 'redrive', ...keys, '--yes']);
    onCall(each, 'DeleteObject', 3, () => interrupt());
    const { status, stderr } = await ended;
    expect([status, stderr]).toEqual([
      130,
      expect.stringMatching(/Interrupted\. The events of \d+ of 40 objects were sent again/),
    ]);
    const dealtWith = Number(/Interrupted\. The events of (\d+)/.exec(stderr)![1]);
    const left = await Promise.all(keys.map(key => exists(each, key)));
    expect(left.filter(each => !each)).toHaveLength(dealtWith);
    const sent = new Set((await each.connector.lines()).map(line => JSON.parse(line).id));
    expect(left.every((present, at) => present || sent.has(`part-${at}`))).toBe(true);
    expect(dealtWith).toBeLessThan(40);
  });
});

describe('load', () => {
  /** A stack with a row that is too large for Firehose, and the key of its dead letter. */
  async function withOversize(stream: 'assets' | 'dns-blocks') {
    // Row states name the function's time, and for DNS blocks the object has its own.
    const each = await deployment({}, stream === 'assets' ? { aws: { now: () => START } } : {});
    each.connector.platform.put(stream, { id: 'wide', text: CANARY.repeat(100_000) });
    await each.run();
    return { each, key: await newestKey(each), [Symbol.asyncDispose]: () => each[Symbol.asyncDispose]() };
  }
  async function newestKey(each: Deployment, known?: string): Promise<string> {
    const { rows } = (await each.json(['dead-letters', 'list'])).document;
    return rows.map((row: { key: string }) => row.key).find((key: string) => key !== known);
  }
  const load = (each: Deployment, key: string) => each.json(['dead-letters', 'load', key, '--yes']);
  const newestFirst = async (each: Deployment) =>
    (await newestOf(each, 'wide')).toSorted((a, b) => (a.sequence < b.sequence ? 1 : -1));

  test.each([
    ['assets', 'upsert'],
    ['assets', 'tombstone'],
    ['dns-blocks', 'dns_block'],
  ] as const)('puts a whole row of %s where the SIEM reads as %s, the newest event about it', async (stream, kind) => {
    await using made = await withOversize(stream);
    const { each } = made;
    let { key } = made;
    if (kind === 'tombstone') {
      const data = [{ id: 'wide', text: CANARY.repeat(100_000), deleted: true, deleted_at: '2026-11-20T12:00:00Z' }];
      each.connector.api.tamper(
        list('/v1/assets', json(200, { data, pagination: { next_cursor: null, page_size: 1 } })),
      );
      await each.run();
      key = await newestKey(each, key);
    }
    const { status, document } = await load(each, key);
    expect([status, document.loaded]).toEqual([
      0,
      [
        {
          key,
          outcome: 'loaded',
          place: expect.stringMatching(/^s3:\/\/security-data\/events\/\d{4}\/.*\.json\.gz$/),
        },
      ],
    ]);
    const [loaded, notice] = await newestFirst(each);
    expect([notice.kind, loaded.kind, loaded.event_id === notice.event_id]).toEqual(['oversize', kind, false]);
    expect(loaded.row).toMatchObject({ id: 'wide', text: CANARY.repeat(100_000) });
    expect(loaded.row.deleted === true).toBe(kind === 'tombstone');
    expect(loaded).toMatchObject({
      stream,
      connector: 'acme',
      time: notice.time,
      stream_position: notice.stream_position,
    });
    expect(loaded.dead_letter).toBeUndefined();
    // A second load is a repeat, with the same event_id.
    await load(each, key);
    const repeats = (await newestOf(each, 'wide')).filter(event => event.kind === kind);
    expect(new Set(repeats.map(event => event.event_id)).size).toBe(1);
  });

  test('keeps a row of which the SIEM has a newer version', async () => {
    await using made = await withOversize('assets');
    const { each, key } = made;
    each.connector.platform.put('assets', { id: 'wide', text: 'small' });
    await each.run();
    const { status, document } = await load(each, key);
    expect([status, document.loaded]).toEqual([
      3,
      [{ key, outcome: 'kept', reason: expect.stringContaining('the SIEM has a newer version of the row') }],
    ]);
    expect((await newestFirst(each))[0]).toMatchObject({ kind: 'upsert', row: { text: 'small' } });
  });

  test('a row that changes after it was loaded wins', async () => {
    await using made = await withOversize('assets');
    const { each, key } = made;
    await load(each, key);
    each.connector.platform.put('assets', { id: 'wide', text: 'small' });
    await each.run();
    expect((await newestFirst(each))[0]).toMatchObject({ kind: 'upsert', row: { text: 'small' } });
  });

  test('asks first, and shows no row', async () => {
    await using made = await withOversize('assets');
    const { each, key } = made;
    const { status, stdout, stderr } = await each.ctl(['dead-letters', 'load', key]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('1 row is put where the SIEM reads');
    expect(await newestOf(each, 'wide')).toHaveLength(1);
    const loaded = await each.ctl(['dead-letters', 'load', key, '--yes']);
    expect(loaded.stdout + loaded.stderr).not.toContain(CANARY);
  });
});

test('an event that was loaded follows its notice, with every digit of the position and the row as the API sent it', () => {
  const notice = event('wide')
    .replace('"kind":"upsert"', '"kind":"oversize"')
    .replace('"stream_position":null', '"stream_position":12345678901234567890.10')
    .replace(/"row":.*/, '"dead_letter":"dead-letter/acme/assets/oversize/0a.json"}');
  const row = '{"id":"wide", "n":1.50}';
  const line = eventLine(notice, row, { kind: 'upsert', forwardedAt: '2026-11-21T12:00:00.000Z' });
  expect(line).toBe(
    `{"event_id":"${JSON.parse(line).event_id}","sequence":"${'1'.repeat(19)}2","kind":"upsert","stream":"assets","id":"wide","time":null,` +
      `"stream_position":12345678901234567890.10,"connector":"acme","forwarded_at":"2026-11-21T12:00:00.000Z","row":${row}}`,
  );
});

describe('exit status 2 with nothing done, for', () => {
  let each: Deployment;
  beforeAll(async () => {
    each = await deployment();
  });
  afterAll(async () => {
    await each[Symbol.asyncDispose]();
  });

  test.each([
    [['dead-letters', 'redrive', OVERSIZE, '--yes'], 'A row is not sent again'],
    [['dead-letters', 'load', STUCK, '--yes'], 'only the platform can correct it'],
    [['dead-letters', 'load', ERROR, '--yes'], 'is not a dead letter'],
    [['dead-letters', 'redrive', '--yes'], 'Give the keys to send again, or --all'],
    [['dead-letters', 'redrive', 'dead-letter/other/assets/no-id/0a.json', '--yes'], 'is not a dead letter'],
    [['dead-letters', 'redrive', 'schedule-dead-letters', '--yes'], 'the next run does their work'],
    [['dead-letters', 'show', 'delivery-errors/nothing'], 'There is no delivery-errors/nothing in the bucket'],
    [['dead-letters', 'purge'], "unknown command 'purge'"],
  ])('%p: %s', async (args, reason) => {
    const { status, stdout, stderr } = await each.ctl(args);
    expect([status, stdout, stderr, each.stack.invocations]).toEqual([2, '', expect.stringContaining(reason), []]);
  });
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

test.each([
  ['the first list', [0]],
  ['the second list', [1]],
  ['both lists', [0, 1]],
])('when %s of the bucket cannot be read, list says why once', async (_what, refused) => {
  await using each = await deployment();
  let calls = 0;
  each.connector.aws.faults.always('s3', () => (refused.includes(calls++) ? DENIED : undefined));
  const { status, stdout } = await each.ctl(['dead-letters', 'list']);
  expect(status).toBe(3);
  expect(stdout.match(/not readable/g)).toHaveLength(refused.length);
  expect(stdout.match(/could not be listed: Access denied/g)).toHaveLength(1);
});
