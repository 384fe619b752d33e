/** `test-event`: does an event reach the SIEM? */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testEventLine } from '../../../lib/test-event.ts';
import { readEvent } from '../../lambda/support/event-schema.ts';
import { START, steppedClock } from '../../lambda/support/stepped-clock.ts';
import { openDuckDbLines } from '../../lib/query/support/duckdb-lines.ts';
import type { LinesDatabase } from '../../lib/query/support/lines-database.ts';
import { deployment } from '../support/deployment.ts';

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
