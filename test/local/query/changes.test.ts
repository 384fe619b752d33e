import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type EventFields, envelope } from './support/event-lines.ts';
import { column, type LinesDatabase, openDuckDbLines } from './support/lines-database.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
});
afterAll(async () => database[Symbol.asyncDispose]());

async function changes(events: readonly EventFields[]): Promise<unknown[]> {
  // Not in the order of their sequences.
  await database.hold(events.map(envelope).reverse());
  return column(database, `select id || ' ' || change from changes order by sequence`);
}

test('each event is named by what it was to its id', async () => {
  expect(
    await changes([
      { sequence: 1, row: '1' },
      { sequence: 2, row: '2' },
      { sequence: 3, kind: 'tombstone', row: '3' },
      { sequence: 4, row: '4' },
      { sequence: 5, kind: 'oversize' },
      { sequence: 6, stream: 'threats', id: 't', row: '1' },
      { sequence: 7, stream: 'threats', id: 't', kind: 'withdrawn' },
      { sequence: 8, stream: 'threats', id: 't', row: '1' },
      { sequence: 9, stream: 'dns-blocks', id: 'd', kind: 'dns_block', row: '1' },
      { sequence: 10, id: 'large', kind: 'oversize' },
    ]),
  ).toEqual([
    'a new',
    'a changed',
    'a removed',
    'a restored',
    'a changed',
    't new',
    't withdrawn',
    't restored',
    'd blocked',
    'large new',
  ]);
});

test('an event that was sent again counts once, at its greatest sequence', async () => {
  const sent = { sequence: 1, row: '1', eventId: 'one' };
  expect(await changes([sent, { ...sent, sequence: 7 }, sent, { sequence: 9, row: '2' }])).toEqual([
    'a new',
    'a changed',
  ]);
  expect(await column(database, 'select sequence from changes order by 1')).toEqual([
    '00000000000000000007',
    '00000000000000000009',
  ]);
});

test('what two connectors sent under one event_id are two events', async () => {
  const sent = { sequence: 1, row: '1', eventId: 'one' };
  expect(await changes([sent, { ...sent, connector: 'other' }])).toEqual(['a new', 'a new']);
});

test('first_forwarded_at distinguishes new events from events that a replay sends again', async () => {
  const old = { sequence: 1, row: '1', eventId: 'one', forwardedAt: '2026-11-01T00:00:00.000Z' };
  const today = '2026-11-20T00:00:00.000Z';
  await changes([
    old,
    { ...old, sequence: 2, forwardedAt: today },
    { sequence: 3, id: 'b', row: '1', forwardedAt: today },
  ]);
  const since = (time: string) =>
    column(database, `select id from changes where ${time} > timestamp '2026-11-19 00:00:00' order by 1`);
  expect(await since('forwarded_at')).toEqual(['a', 'b']);
  expect(await since('first_forwarded_at')).toEqual(['b']);
});

test('the day of delivery is that of the files, not of the event', async () => {
  await database.hold([envelope({ sequence: 1, row: '1', forwardedAt: '2026-11-20T23:59:59.999Z' })], '2026/11/21');
  expect(await column(database, 'select delivery_day from changes')).toEqual(['2026/11/21']);
});
