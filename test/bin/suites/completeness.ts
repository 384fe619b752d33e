/** `test-event` and `counts`: is everything there? */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DistinctIds } from '../../../bin/ctl/commands/counts.ts';
import { testEventLine } from '../../../lib/test-event.ts';
import { readEvent } from '../../lambda/support/event-schema.ts';
import { START, steppedClock } from '../../lambda/support/stepped-clock.ts';
import { type LinesDatabase, openDuckDbLines } from '../../local/query/support/lines-database.ts';
import { type Deployment, deployment } from '../support/deployment.ts';

const EVENT = { connector: 'acme', id: 'a'.repeat(32), time: new Date(START) };

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
});
afterAll(async () => database[Symbol.asyncDispose]());

describe('test-event', () => {
  test('sends a line that no view counts', async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    await each.run();
    const before = await each.connector.lines();
    const { status, document } = await each.json(['test-event']);
    expect(status).toBe(0);
    expect(document.place).toMatch(/^s3:\/\/security-data\/events\/.*\.json\.gz$/);
    const lines = await each.connector.lines();
    const [added = ''] = lines.filter(line => !before.includes(line));
    expect(lines.length).toBe(before.length + 1);
    expect(added).toContain(document.eventId);
    expect(readEvent(added)).toMatchObject({ kind: 'test', stream: 'test', connector: 'acme' });
    await database.hold(lines);
    for (const view of ['events', 'latest_events', 'changes'])
      expect(await database.tuples(`select count(*) from ${view}`)).toEqual([[String(before.length)]]);
  });

  test('ends with status 3 when the bucket does not have it in time, and says that it was sent', async () => {
    await using each = await deployment({}, { aws: { now: () => START } });
    // A day ahead of S3, whose object is in another hour.
    const clock = steppedClock([]);
    clock.advance(86_400_000);
    const { status, stdout } = await each.start(['test-event', '--wait', '15'], {}, clock).ended;
    expect(status).toBe(3);
    expect(stdout).toMatch(/^Test event [0-9a-f]{32} was sent at .* After 15 s it is in none of the 0 objects/);
  });

  test('does not read the bucket with --wait 0', async () => {
    await using each = await deployment();
    const { status } = await each.ctl(['test-event', '--wait', '0']);
    expect(status).toBe(0);
    expect(each.asked().map(({ action }) => action)).toContain('PutRecord');
    expect(each.asked().map(({ action }) => action)).not.toContain('ListObjectsV2');
  });

  test('has a sequence below that of every event', () => {
    const { sequence } = JSON.parse(testEventLine(EVENT));
    expect(sequence < '00000000010000000000').toBe(true);
  });
});

describe('counts', () => {
  let each: Deployment;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'counts-'));
    each = await deployment({}, { aws: { now: () => START } });
    each.connector.platform.populate({ assets: 6, threats: 4, dnsBlocks: 3 });
    await each.run();
    await each.run({ replay: ['threats'] });
    await each.ctl(['test-event', '--wait', '0']);
  });
  afterAll(async () => {
    await each[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const counted = (...args: string[]) => each.json(['counts', '--from', '2026-11-20', ...args]);
  const compared = async (text: string) => {
    const file = join(folder, 'siem.csv');
    await writeFile(file, text);
    return counted('--compare', file);
  };

  test('count each event of a stream and day once, as the views do', async () => {
    const { document } = await counted();
    await database.hold(await each.connector.lines());
    const sql = `select stream, count(distinct event_id) as events, count(*) - count(distinct event_id) as repeats
      from events group by stream order by stream`;
    const expected = (await database.rows(sql)).map(({ stream, events, repeats }) => [
      stream,
      Number(events),
      Number(repeats),
    ]);
    const found = document.counts.map((row: Record<string, unknown>) => [row['stream'], row['events'], row['repeats']]);
    expect(found).toEqual(expected);
    expect(document.counts[0]).toMatchObject({
      day: '2026-11-20',
      newest: expect.stringContaining('2026-11-20T12:00'),
    });
  });

  test('agree with a SIEM that has the same, whatever else its file has', async () => {
    const { document } = await counted();
    const rows = document.counts.map(
      (row: Record<string, unknown>) => `acme,"${row['stream']}",${row['day']}T00:00:00Z,${row['events']}`,
    );
    const text = ['connector,Stream,Day,Events', ...rows, 'other,assets,2026-11-20,7', 'acme,assets,2026-11-01,9'].join(
      '\r\n',
    );
    const result = await compared(`\ufeff${text}\r\n`);
    expect(result.status).toBe(0);
    expect(result.document.equal).toBe(true);
  });

  test('end with status 3 when the SIEM lacks events, and show the difference', async () => {
    const result = await compared('stream,day,events\nassets,2026-11-20,5\nusers,2026-11-20,1\n');
    expect(result.status).toBe(3);
    expect(result.document.equal).toBe(false);
    expect(result.document.counts.find((row: { stream: string }) => row.stream === 'users')).toMatchObject({
      events: 0,
      siem: 1,
    });
    const { stdout } = await each.ctl(['counts', '--from', '2026-11-20', '--compare', join(folder, 'siem.csv')]);
    expect(stdout).toMatch(/assets +2026-11-20 .* 5 +−\d/);
    expect(stdout).toContain('The SIEM has other counts.');
  });

  test('take a day as the day of UTC on a machine in another time zone', async () => {
    const TZ = 'Pacific/Kiritimati';
    const s3 = await each.connector.clients.s3();
    const line = (hour: string) =>
      `{"event_id":"e-${hour}","sequence":"${'1'.repeat(20)}","kind":"upsert","stream":"assets","id":"a","connector":"acme",` +
      `"forwarded_at":"2026-10-07T${hour}:00:00.000Z","row":{"id":"a"}}\n`;
    for (const hour of ['00', '23']) {
      const Key = `events/2026/10/07/${hour}/one.json.gz`;
      await s3.send(new PutObjectCommand({ Bucket: each.connector.aws.names.bucket, Key, Body: gzipSync(line(hour)) }));
    }
    const { stdout } = await each.startProcess(['counts', '--from', '2026-10-07', '--json'], { TZ }).ended;
    expect(JSON.parse(stdout).counts).toMatchObject([{ stream: 'assets', day: '2026-10-07', events: 2 }]);
  });

  test('say so when nothing was delivered, and refuse invalid days', async () => {
    const nothing = await each.ctl(['counts', '--from', '2026-10-01']);
    expect([nothing.status, nothing.stdout]).toEqual([0, 'No events were delivered from 2026-10-01 to 2026-10-01.\n']);
    expect((await each.ctl(['counts', '--from', '2026-02-30'])).status).toBe(2);
    expect((await counted('--to', '2026-11-19')).stderr).toContain('is before --from');
  });

  test('refuse a file that has no counts', async () => {
    expect((await compared('a,b\n1,2\n')).stderr).toContain('no column stream, day, events');
    expect((await counted('--compare', join(folder, 'none.csv'))).stderr).toContain('ENOENT');
    expect((await compared('stream,day,events\nassets,2026-11-20,many')).stderr).toContain('siem.csv, line 2');
  });

  test('count distinct ids beyond the first size of their array', () => {
    const ids = new DistinctIds();
    for (let n = 0; n < 5_000; n++) ids.add(String(n % 3_000));
    expect([ids.added, ids.count()]).toEqual([5_000, 3_000]);
  });
});
