import { describe, expect, test } from '@jest/globals';
import { createLease } from '../../lambda/store/lease.ts';
import { STREAMS } from '../../lambda/streams.ts';
import { parseEvent } from '../../local/aws/delivered.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { schemaViolations } from '../support/function/event-schema.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

const NAMES = STREAMS.map(({ name }) => name);
const COUNTS = { assets: 240, threats: 180, dnsBlocks: 130 };

/** What the SIEM holds by the rule of the greatest sequence, without removals, in the form of the API simulator's truth. */
async function siem(each: Connector) {
  const events = (await each.lines()).map(line => parseEvent(line));
  events.sort((one, other) => (one.sequence < other.sequence ? -1 : 1));
  return Object.fromEntries(
    NAMES.map(stream => {
      const copy = new Map(events.filter(event => event.stream === stream).map(event => [event.id, event]));
      const rows = [...copy].filter(([, event]) => event.kind !== 'withdrawn');
      return [stream, new Map(rows.map(([id, event]) => [id, event.row]))];
    }),
  );
}

function totals(result: { streams: Record<string, { forwarded: number; withdrawn: number; caughtUp: boolean }> }) {
  const all = Object.values(result.streams);
  const sum = (pick: (one: (typeof all)[0]) => number) => all.reduce((total, one) => total + pick(one), 0);
  return { events: sum(one => one.forwarded + one.withdrawn), caughtUp: all.every(one => one.caughtUp) };
}

/** Tombstones of assets never seen are not forwarded. */
function truthOf(each: Connector) {
  const truth = each.simulator.truth('position');
  const seen = [...truth.assets].filter(([, row]) => JSON.parse(row).deleted !== true);
  return { ...truth, assets: new Map(seen) };
}

describe.each(['full-page-null', 'empty-page-null', 'repeat-cursor'] as const)('where a stream ends with %s', end => {
  test('the first run delivers everything as valid events, and a second run without changes sends and writes nothing', async () => {
    await using each = await connector({ simulator: { endOfStream: end }, environment: { PAGE_LIMIT: '100' } });
    each.simulator.populate(COUNTS);
    const first = await each.run();
    expect(first.more).toBe(false);
    expect(Object.keys(first.streams)).toEqual(NAMES);
    expect(await siem(each)).toEqual(truthOf(each));
    const lines = await each.lines();
    expect(schemaViolations(lines)).toEqual([]);
    expect(totals(first).events).toBe(lines.length);
    const requests = new Map(each.simulator.requests);
    each.forget();
    each.clock.advance(60_000);
    const second = await each.run();
    expect(totals(second)).toEqual({ events: 0, caughtUp: true });
    expect(await each.lines()).toEqual(lines);
    const asked = Object.fromEntries([...each.simulator.requests].map(([name, n]) => [name, n - requests.get(name)!]));
    expect(asked).toEqual({ token: 0, ...Object.fromEntries(NAMES.map(name => [name, 1])) });
    expect(each.calls.filter(call => call.service !== 'dynamodb')).toEqual([]);
    expect(each.calls.length).toBeLessThanOrEqual(4);
    expect(each.calls.map(call => call.action).filter(action => /Put|Update|Delete|Write/.test(action))).toEqual([
      'UpdateItem',
      'UpdateItem',
    ]);
  });
});

describe('a run that fails', () => {
  test('the handler rejects with an error that shows nothing of what a service answered', async () => {
    await using each = await connector();
    each.aws.faults.always('dynamodb', { refuse: { status: 400, code: 'AccessDeniedException', message: 'canary' } });
    const error = await rejection(each.run());
    expect(error.cause).toMatchObject({ name: 'AccessDeniedException' });
    expect(wordsOf(error)).not.toContain('canary');
  });
});

describe('changes between runs', () => {
  test('a run sends a change, a removal with its threats, a restore and a new row, and nothing else', async () => {
    await using each = await connector();
    each.simulator.populate(COUNTS);
    await each.run();
    const before = (await each.lines()).length;
    const { simulator } = each;
    simulator.put('assets', { id: 'asset-1', changed: true });
    simulator.redeliver('assets', 'asset-2');
    simulator.remove('assets', 'asset-3');
    simulator.put('dns-blocks', { id: 'dns-new' });
    const left = [...truthThreats(simulator)].length;
    const result = await each.run();
    const gone = COUNTS.threats - left;
    expect(result.streams['threats']!.withdrawn).toBe(gone);
    expect((await each.lines()).length - before).toBe(3 + gone);
    simulator.restore('assets', 'asset-3');
    await each.run();
    expect((await each.lines()).length - before).toBe(3 + gone + 1 + gone);
    expect((await siem(each))['threats']).toEqual(simulator.truth('position').threats);
    expect(schemaViolations(await each.lines())).toEqual([]);
  });

  test('rows arrive to the last digit, with any member names', async () => {
    await using each = await connector();
    const text =
      '"n":9007199254740993,"f":1.0,"e":1e400,"z":-0,"__proto__":{"x":1},"":"\\u0000 ключ🔑","constructor":[]';
    each.simulator.put('assets', `{"id":"a",${text}}`);
    await each.run();
    const [line = ''] = await each.lines();
    expect(parseEvent(line).row).toContain(text);
  });
});

function* truthThreats(simulator: Connector['simulator']) {
  yield* simulator.truth().threats;
}

describe('two runs at the same moment', () => {
  test('of two runs at the same moment, one reads the streams, and the other finds the lease held and does nothing', async () => {
    await using each = await connector();
    each.simulator.populate(COUNTS);
    const both = await Promise.all([each.run(), each.run()]);
    expect(both.filter(result => result.leaseHeld)).toEqual([{ streams: {}, more: false, leaseHeld: true }]);
    expect(await siem(each)).toEqual(truthOf(each));
    const ids = (await each.lines()).map(line => parseEvent(line).event_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a command that finds the lease held is refused, and a scheduled run is not', async () => {
    await using each = await connector();
    const lease = createLease({ table: each.table, clock: each.clock, holder: 'another', seconds: 60 });
    const held = await lease.take();
    expect((await rejection(each.run({ resync: ['assets'] }))).name).toBe('LeaseBusyError');
    expect(await each.run()).toMatchObject({ leaseHeld: true });
    await held?.release({ clean: true });
    expect(await each.run()).toMatchObject({ more: false });
  });
});

describe('a time budget that ends first', () => {
  test('a run that runs out of time saves what was done and reports more, and later runs finish without sending anything twice', async () => {
    await using each = await connector({ environment: { PAGE_LIMIT: '20' }, simulator: { latencyMs: 1_500 } });
    each.simulator.populate(COUNTS);
    const runs = [];
    for (let more = true; more && runs.length < 20; ) {
      const result = await each.run({}, { time: 20_000 });
      runs.push(result);
      more = result.more;
    }
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.map(run => run.more)).toEqual([...Array(runs.length - 1).fill(true), false]);
    expect(await siem(each)).toEqual(truthOf(each));
    const ids = (await each.lines()).map(line => parseEvent(line).event_id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('commands', () => {
  test('a resync reads everything again and sends only what differs, and a replay sends everything again once', async () => {
    await using each = await connector();
    each.simulator.populate(COUNTS);
    await each.run();
    const before = (await each.lines()).length;
    const resync = await each.run({ resync: ['assets', 'threats'] });
    // The walk reads the last page, which has all rows, and the second walk reads the list again.
    expect(resync.streams['assets']!.rows).toBe(2 * COUNTS.assets);
    expect((await each.lines()).length).toBe(before);
    await each.run({ replay: ['threats', 'dns-blocks'] });
    expect((await each.lines()).length).toBe(before + COUNTS.threats + COUNTS.dnsBlocks);
    expect(totals(await each.run()).events).toBe(0);
    expect(await siem(each)).toEqual(truthOf(each));
  });

  test('a run for one stream leaves the others alone', async () => {
    await using each = await connector();
    each.simulator.populate(COUNTS);
    const { streams } = await each.run({ streams: ['dns-blocks'] });
    expect(Object.keys(streams)).toEqual(['dns-blocks']);
    expect(each.simulator.requests.get('assets')).toBeUndefined();
  });

  test.each([
    ['an unknown command', { reset: true }],
    ['a command within an event of EventBridge', { 'detail-type': 'x', resync: ['assets'] }],
  ])('%s is refused before anything is done', async (_what, payload) => {
    await using each = await connector();
    expect((await rejection(each.run(payload))).name).toBe('CommandError');
    expect(each.calls).toEqual([]);
    expect(each.simulator.requests.size).toBe(0);
  });
});

describe('a warm container', () => {
  test('a warm container reuses secret and token over its runs, and a cold one requests them once', async () => {
    await using each = await connector();
    each.simulator.populate({ assets: 3, threats: 3, dnsBlocks: 3 });
    for (let run = 0; run < 3; run++) await each.run();
    expect([each.simulator.requests.get('token'), each.count('GetSecretValue')]).toEqual([1, 1]);
    await each.run({}, { cold: true });
    expect([each.simulator.requests.get('token'), each.count('GetSecretValue')]).toEqual([2, 2]);
  });
});
