/** `test-event`: does an event reach the SIEM? */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testEventLine } from '../../../lib/test-event.ts';
import { type LinesDatabase, openDuckDbLines } from '../../local/query/support/lines-database.ts';
import { readEvent } from '../../support/function/event-schema.ts';
import { START } from '../../support/function/stepped-clock.ts';
import { deployment } from '../support/deployment.ts';

const EVENT = { connector: 'acme', id: 'a'.repeat(32), time: new Date(START) };

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
});
afterAll(async () => database[Symbol.asyncDispose]());

describe('test-event', () => {
  test('test-event sends a line that no view counts', async () => {
    await using each = await deployment();
    each.connector.simulator.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    await each.run();
    const before = await each.connector.lines();
    const { status, document } = await each.json(['test-event']);
    expect(status).toBe(0);
    const lines = await each.connector.lines();
    const [added = ''] = lines.filter(line => !before.includes(line));
    expect(lines.length).toBe(before.length + 1);
    expect(added).toContain(document.eventId);
    expect(readEvent(added)).toMatchObject({ kind: 'test', stream: 'test', connector: 'acme' });
    await database.hold(lines);
    for (const view of ['events', 'latest_events', 'changes'])
      expect(await database.tuples(`select count(*) from ${view}`)).toEqual([[String(before.length)]]);
  });

  test('a test event has a lower sequence than every other event', () => {
    const { sequence } = JSON.parse(testEventLine(EVENT));
    expect(sequence < '00000000010000000000').toBe(true);
  });
});
