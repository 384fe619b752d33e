/** `test-event`: does an event reach the SIEM? */
import { expect, test } from '@jest/globals';
import { openDuckDbLines } from '../../local/query/support/lines-database.ts';
import { readEvent } from '../../support/function/event-schema.ts';
import { deployment } from '../support/deployment.ts';

test('test-event sends an event with the lowest sequence, which the views do not count', async () => {
  await using each = await deployment();
  each.connector.simulator.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
  await each.run();
  const before = await each.connector.lines();

  const { status, document } = await each.json(['test-event']);
  expect(status).toBe(0);
  const lines = await each.connector.lines();
  const [added = '', ...others] = lines.filter(line => !before.includes(line));
  expect(others).toEqual([]);
  const sent = { event_id: document.eventId, kind: 'test', stream: 'test', sequence: '0'.repeat(20) };
  expect(readEvent(added)).toMatchObject({ ...sent, connector: 'acme' });

  await using database = await openDuckDbLines();
  await database.hold(lines);
  for (const view of ['events', 'latest_events', 'changes'])
    expect(await database.tuples(`select count(*) from ${view}`)).toEqual([[String(before.length)]]);
});
