import { describe, expect, test } from '@jest/globals';
import { STREAMS } from '../../lambda/streams.ts';
import { parseEvent } from '../../local/aws/delivered.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { schemaViolations } from '../support/function/event-schema.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

const NAMES = STREAMS.map(({ name }) => name);
const COUNTS = { assets: 240, threats: 180, dnsBlocks: 130 };

/** What the SIEM holds by the rule of the greatest sequence, without removals, in the form of the simulator's truth. */
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
  test('the first run delivers everything as valid events, so a second one sends nothing', async () => {
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
  test('a run sends nothing but what has changed', async () => {
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
});

function* truthThreats(simulator: Connector['simulator']) {
  yield* simulator.truth().threats;
}

describe('commands', () => {
  test('a run for one stream leaves the others alone', async () => {
    await using each = await connector();
    each.simulator.populate(COUNTS);
    const { streams } = await each.run({ streams: ['dns-blocks'] });
    expect(Object.keys(streams)).toEqual(['dns-blocks']);
    expect(each.simulator.requests.get('assets')).toBeUndefined();
  });

  test('an unknown command is refused before anything is done', async () => {
    await using each = await connector();
    expect((await rejection(each.run({ reset: true }))).name).toBe('CommandError');
    expect(each.calls).toEqual([]);
    expect(each.simulator.requests.size).toBe(0);
  });
});

describe('a warm container', () => {
  test('a warm container requests secret and token once for all of its runs', async () => {
    await using each = await connector();
    each.simulator.populate({ assets: 3, threats: 3, dnsBlocks: 3 });
    const requests = () => ({ token: each.simulator.requests.get('token'), secret: each.count('GetSecretValue') });
    for (let run = 0; run < 3; run++) await each.run();
    expect(requests()).toEqual({ token: 1, secret: 1 });
    await each.run({}, { cold: true });
    expect(requests()).toEqual({ token: 2, secret: 2 });
  });
});
