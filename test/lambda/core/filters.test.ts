/** Filters: the SIEM's copy converges to the rows that the filter keeps. */
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, CursorRefusedError } from '../../../lambda/core/errors.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const LOW_OUT = { assets: { filter: "severity != 'low'" } };
const HIGH_OUT = { assets: { filter: "severity != 'high'" } };
const THREATS_LOW_OUT = { threats: { filter: "severity != 'low'" } };
const low = (id: string, version = 1): string => asset(id, { version, severity: 'low' });
const high = (id: string, version = 1): string => asset(id, { version, severity: 'high' });

/** The SIEM has what this page of assets holds. */
async function having(rows: readonly string[], selections = {}): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', [rows, []]);
  await harness.runStream('assets', { selections });
  return harness.later();
}

function next(harness: Harness, ...rows: string[]): void {
  harness.api.next('/a', 'c1', rows);
}

describe('a filter', () => {
  test('a row for which the filter is false is counted and costs no event and no intent', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[low('a')], []]);
    const result = await harness.runStream('assets', { selections: LOW_OUT });
    expect(result).toMatchObject({ rows: 1, filtered: 1, forwarded: 0, withdrawn: 0, filterFaults: 0 });
    expect(harness.journal.begun.filter(step => !step.includes('look-up'))).toEqual([
      'assets states',
      'assets checkpoint',
    ]);
    // Whether an asset exists decides what becomes of its threats. A threat that is withheld leaves nothing.
    harness.later().api.pages('/t', [[threat('t', 'a', { severity: 'low' })], []]);
    await harness.runStream('threats', { selections: THREATS_LOW_OUT });
    expect(harness.journal.begun.filter(step => !step.includes('look-up'))).toEqual(['threats checkpoint']);
  });

  test('a row that stops matching is withdrawn with the reason, and one that matches again is sent as another revision', async () => {
    const harness = await having([high('a')], LOW_OUT);
    next(harness, low('a', 2));
    expect(await harness.runStream('assets', { selections: LOW_OUT })).toMatchObject({
      filtered: 1,
      withdrawn: 1,
      withdrawnByFilter: 1,
    });
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', stream: 'assets', id: 'a', reason: 'filtered' }]);
    const [withdrawn] = harness.events;
    harness.later().api.next('/a', 'c2', [high('a', 3)]);
    await harness.runStream('assets', { selections: LOW_OUT });
    expect(harness.sent).toEqual(['upsert a']);
    expect(harness.events[0]!.sequence > withdrawn!.sequence).toBe(true);
  });

  test('a row that was withdrawn and sent again under the same content and position has another event_id each time', async () => {
    const harness = new Harness();
    const seen: string[] = [];
    for (const selections of [{}, HIGH_OUT, {}, HIGH_OUT]) {
      harness.later().api.pages('/a', [[high('a')], []]);
      await harness.runStream('assets', { selections });
      seen.push(...harness.events.map(({ kind, event_id }) => `${kind} ${event_id}`));
    }
    expect(seen.map(each => each.split(' ')[0])).toEqual(['upsert', 'withdrawn', 'upsert', 'withdrawn']);
    expect(new Set(seen).size).toBe(4);
  });

  test('a row that the filter withdraws, keeps and withdraws has another event_id each time, though the runs between were killed', async () => {
    const harness = new Harness();
    const seen: string[] = [];
    const run = async (selections: object, killedAt?: string) => {
      harness.later().api.pages('/a', [[high('a')], []]);
      if (killedAt) harness.journal.fail(killedAt);
      await harness.runStream('assets', { selections }).catch(() => undefined);
      seen.push(...harness.events.map(({ kind, event_id }) => `${kind} ${event_id}`));
    };
    await run({});
    await run(HIGH_OUT, 'assets states');
    await run({}, 'assets states');
    await run(HIGH_OUT);
    expect(seen.map(each => each.split(' ')[0])).toEqual(['upsert', 'withdrawn', 'upsert', 'withdrawn']);
    expect(new Set(seen).size).toBe(4);
  });

  test('the threats of a removed asset are withdrawn, whatever the filter says of the asset', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[low('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    const run = () => harness.run({ only: ['assets', 'threats'], selections: LOW_OUT });
    await run();
    expect(harness.sent).toEqual(['upsert t']);
    harness.later().api.next('/a', 'c1', [tombstone('a', { version: 2 })]);
    await run();
    expect(harness.sent).toEqual(['withdrawn t']);
  });

  test.each([
    ['that was sent', {}, LOW_OUT],
    ['that was never sent', LOW_OUT, LOW_OUT],
  ])(
    'the threats of an asset %s, removed and restored while its list could not be read to the end, stay, though the filter withholds it now',
    async (_, before, after) => {
      const harness = new Harness();
      harness.api.pages('/a', [[low('a')], []]).pages('/t', [[threat('t', 'a')], []]);
      const run = (selections: typeof before) => harness.run({ only: ['assets', 'threats'], selections });
      await run(before);
      // The tombstone is listed, and the walk fails before its end. Meanwhile the asset is restored, and its threat is delivered again.
      harness.later();
      harness.api
        .on('/a', undefined, answer([tombstone('a', { version: 2 })], 'r2'))
        .on('/a', 'c1', answer([tombstone('a', { version: 2 })], 'r2'))
        .on('/a', 'r2', new ApiRefusedError('/a', 500, undefined))
        .next('/t', 'c1', [threat('t', 'a', { version: 2 })]);
      await run(after);
      expect(harness.sent).toContain('upsert t');
      harness.later();
      harness.api.on('/a', 'r2', answer([low('a', 3)], 'r3')).on('/a', 'r3', answer([], null));
      await run(after);
      expect(harness.sent).toEqual([]);
      expect(await harness.ports.removals.list('assets')).toEqual([]);
    },
  );

  test('a restored asset whose removal was listed although the checkpoint was not saved keeps its threats', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[high('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    const run = () => harness.run({ only: ['assets', 'threats'], selections: LOW_OUT });
    await run();
    next(harness, low('a', 2));
    await run();
    harness.later();
    harness.api
      .on('/a', 'c2', answer([tombstone('a', { version: 3 })], 'c3'))
      .next('/t', 'c1', [threat('t', 'a', { version: 2 })]);
    harness.journal.fail('assets checkpoint');
    await run();
    harness.later();
    // The API shows the latest version alone.
    harness.api.next('/a', 'c2', [low('a', 4)]);
    await run();
    expect(harness.sent).toEqual([]);
    expect(await harness.ports.removals.list('assets')).toEqual([]);
  });

  test('a restored asset that is read again after its tombstone keeps its threats, though the window knows its version', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[high('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    const run = () => harness.run({ only: ['assets', 'threats'], selections: LOW_OUT });
    await run();
    harness.later();
    next(harness, tombstone('a', { version: 2 }));
    harness.api.on('/t', 'c1', answer([], null));
    await run();
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
    harness.later();
    harness.api.on('/a', 'c2', answer([low('a', 3)], null)).next('/t', 'c1', [threat('t', 'a', { version: 2 })]);
    await run();
    expect(harness.sent).toEqual(['upsert t']);
    harness.later();
    // The walk falls back to the cursor before: the tombstone and the restored asset once more.
    harness.api.on('/a', 'c2', new CursorRefusedError('/a'), answer([low('a', 3)], null));
    await run();
    expect(harness.sent).toEqual([]);
  });

  test('an older version that the window has lost does not keep the threats of a removed asset, though the window knows the tombstone', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[high('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    // Two rows are in the window.
    const run = () => harness.run({ only: ['assets', 'threats'], selections: LOW_OUT, pageLimit: 1 });
    await run();
    harness.later();
    harness.api
      .on('/a', 'c1', answer([low('a', 2)], 'c2'))
      .on('/a', 'c2', answer([asset('x')], 'c3'))
      .on('/a', 'c3', answer([tombstone('a', { version: 3 })], 'c4'))
      .on('/a', 'c4', new ApiRefusedError('/a', 500, undefined))
      .on('/t', 'c1', answer([threat('t', 'a', { version: 2 })], null));
    await run();
    harness.later();
    // The walk starts over, and reads the older version and then the tombstone.
    harness.api
      .on('/a', 'c4', new CursorRefusedError('/a'), answer([], null))
      .on('/a', 'c3', new CursorRefusedError('/a'), answer([tombstone('a', { version: 3 })], 'c4'))
      .on('/a', undefined, answer([low('a', 2)], 'c3'))
      .on('/t', 'c1', answer([], null));
    await run();
    expect(harness.sent).toEqual(['withdrawn t']);
  });

  test('an older version that is read again strikes no removal off for good: its tombstone, read again after it, lists it again', async () => {
    const harness = new Harness();
    const selections = LOW_OUT;
    harness.api.pages('/a', [[high('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    await harness.run({ only: ['assets', 'threats'] });
    harness.later();
    harness.api
      .on('/a', 'c1', answer([tombstone('a', { version: 3 })], 'r2'))
      .on('/a', 'r2', new ApiRefusedError('/a', 500, undefined));
    await harness.run({ only: ['assets', 'threats'] });
    expect(harness.sent).toEqual(['tombstone a']);
    // With a filter the list is read from its beginning, where an API may still show every version.
    harness.later();
    harness.api
      .on('/a', undefined, answer([low('a', 2)], 'v2'))
      .on('/a', 'v2', answer([tombstone('a', { version: 3 })], 'v3'))
      .on('/a', 'v3', answer([], null));
    await harness.run({ only: ['assets', 'threats'], selections });
    expect(harness.sent).toEqual(['withdrawn t']);
  });

  test('a threat that the filter withdrew is not withdrawn once more with its asset', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]).pages('/t', [[threat('t', 'a', { severity: 'high' })], []]);
    const run = () => harness.run({ only: ['assets', 'threats'], selections: THREATS_LOW_OUT });
    await run();
    const lowered = threat('t', 'a', { version: 2, severity: 'low' });
    harness.later().api.next('/t', 'c1', [lowered]);
    await run();
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', id: 't', asset_id: 'a', reason: 'filtered' }]);
    harness.later().api.next('/a', 'c1', [tombstone('a', { version: 2 })]);
    await run();
    expect(harness.sent).toEqual(['tombstone a']);
  });

  test('a threat that a killed run may have sent is withdrawn once, with its asset, and not again because of the filter', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a'), asset('b')], []]).pages('/t', [[threat('t', 'a')], []]);
    harness.journal.fail('threats states', new Error('killed'));
    const run = () => harness.run({ only: ['assets', 'threats'], selections: THREATS_LOW_OUT });
    await run();
    expect(harness.sent.at(-1)).toBe('upsert t');
    harness.later().api.next('/a', 'c1', [tombstone('a', { version: 2 })]);
    harness.api.on('/t', undefined, answer([threat('t', 'b', { version: 2, severity: 'low' })], null));
    await run();
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
  });

  test('a row for which the filter gives an error or no boolean is sent and counted', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a', { score: '9' }), asset('b', { score: 9 }), asset('c', { score: 1 })], []]);
    const result = await harness.runStream('assets', { selections: { assets: { filter: 'score > `5`' } } });
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
    expect(result).toMatchObject({ filtered: 1, filterFaults: 1, forwarded: 2 });
    harness.later().api.pages('/a', [[asset('d', { score: null })], []]);
    const failing = { assets: { filter: 'length(score) > `1`' } };
    expect(await harness.runStream('assets', { selections: failing })).toMatchObject({ filterFaults: 1, forwarded: 1 });
  });

  test.each([
    ['the events', 'assets states'],
    ['the row states', 'assets checkpoint'],
  ])(
    'a withdrawal that a kill after %s interrupted is repeated under the same event_id, or not at all',
    async (_, step) => {
      const harness = await having([high('a')], LOW_OUT);
      next(harness, low('a', 2));
      harness.journal.fail(step, new Error('killed'));
      await expect(harness.runStream('assets', { selections: LOW_OUT })).rejects.toThrow('killed');
      const first = harness.events.map(event => event.event_id);
      harness.journal.hook = () => undefined;
      await harness.later().runStream('assets', { selections: LOW_OUT });
      expect(first).toHaveLength(1);
      expect(new Set([...first, ...harness.events.map(event => event.event_id)]).size).toBe(1);
      expect(harness.table.state('assets', 'a')).toMatchObject({ status: 'withheld', rowHash: '' });
    },
  );

  test('a row that a killed run may have sent is withdrawn when the filter excludes it, although no state knows it', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[high('a')], []]);
    harness.journal.fail('assets states', new Error('killed'));
    await expect(harness.runStream('assets', { selections: LOW_OUT })).rejects.toThrow('killed');
    harness.journal.hook = () => undefined;
    await harness.later().runStream('assets', { selections: HIGH_OUT });
    expect(harness.sent).toEqual(['withdrawn a']);
  });
});

describe('a changed filter', () => {
  test('the stream is read again from the beginning, and exactly the difference is sent', async () => {
    const rows = [low('a'), high('b'), high('c'), asset('d', { severity: 'mid' })];
    const harness = await having(rows, LOW_OUT);
    const result = await harness.runStream('assets', { selections: HIGH_OUT });
    expect(harness.sent).toEqual(['upsert a', 'withdrawn b', 'withdrawn c']);
    expect(result).toMatchObject({ filtered: 2, suppressed: 1, forwarded: 1 });
    expect(await harness.later().runStream('assets', { selections: HIGH_OUT })).toMatchObject({
      rows: 0,
      forwarded: 0,
    });
  });

  test('a filter that is added or removed counts as changed, and one that stays the same does not', async () => {
    const harness = await having([low('a'), high('b')]);
    for (const [selections, sent] of [
      [LOW_OUT, ['withdrawn a']],
      [LOW_OUT, []],
      [{}, ['upsert a']],
      [{}, []],
    ] as const) {
      await harness.later().runStream('assets', { selections });
      expect(harness.sent).toEqual(sent);
    }
  });

  test('a row that the window knows as withheld is sent when the new filter keeps it', async () => {
    const harness = new Harness();
    // Less than a page: there is no cursor, and every poll reads the row again.
    harness.api.pages('/a', [[low('a')]]);
    await harness.runStream('assets', { selections: LOW_OUT });
    await harness.later().runStream('assets', { selections: LOW_OUT });
    expect(harness.journal.begun).toEqual([]);
    await harness.later().runStream('assets');
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('a re-read that a kill interrupted continues with the next run', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[low('a')], [low('b')], []]);
    await harness.runStream('assets', { selections: LOW_OUT });
    harness.later().journal.fail('assets look-up b', new Error('killed'));
    await expect(harness.runStream('assets')).rejects.toThrow('killed');
    harness.journal.hook = () => undefined;
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
  });

  test('DNS blocks are not read again: the filter applies to what is read from now on', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('x')], []]);
    await harness.runStream('dns-blocks');
    const selections = { 'dns-blocks': { filter: "id != 'y'" } };
    harness.later().api.on('/d', 'c1', answer([dnsBlock('y'), dnsBlock('z')], null));
    expect(await harness.runStream('dns-blocks', { selections })).toMatchObject({ filtered: 1, forwarded: 1 });
    expect([harness.sent, harness.api.sent('/d')]).toEqual([['dns_block z'], ['c1']]);
  });
});

describe('members that are left out', () => {
  const OMIT = { assets: { omit: ['contact.email', 'secret'] } };
  const row = (email: string, n: string): string =>
    `{"id":"a","stream_position":"p${n}","contact":{"email":"${email}","n":1.0},"secret":[1,2],"big":9007199254740993}`;

  test('a row is sent without them, and every other value is as the API sent it', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1')], []]);
    await harness.runStream('assets', { selections: OMIT });
    expect(harness.lines[0]).toContain(
      '"row":{"id":"a","stream_position":"p1","contact":{"n":1.0},"big":9007199254740993}}',
    );
  });

  test('a change of nothing but a member that is left out is no change', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1')], [row('c@d', '2')], []]);
    const result = await harness.runStream('assets', { selections: OMIT });
    expect(result).toMatchObject({ forwarded: 1, suppressed: 1 });
  });

  test('the filter still sees them, and a row that cannot be sent is stored without them', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1'), '{"secret":"x","n":1}'], []]);
    const selections = { assets: { ...OMIT.assets, filter: "contact.email != 'a@b'" } };
    expect(await harness.runStream('assets', { selections })).toMatchObject({ filtered: 1, deadLetters: 1 });
    expect([...harness.deadLetters.values()].join()).not.toContain('secret');
  });

  test('a change of what is left out sends every row that it changes, once', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1'), asset('b')], []]);
    await harness.runStream('assets', { selections: OMIT });
    await harness.later().runStream('assets');
    expect(harness.sent).toEqual(['upsert a']);
  });
});
