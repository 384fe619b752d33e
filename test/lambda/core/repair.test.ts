/** Repair: the API's single read decides row by row, whatever the table says. */
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, ApiUnavailableError, LeaseBusyError } from '../../../lambda/core/errors.ts';
import { Harness, type RunChange } from './support/harness.ts';
import { asset, threat, tombstone } from './support/rows.ts';

const ONLY = { only: ['assets', 'threats'] } as const;
const LOW_OUT = { selections: { assets: { filter: "severity != 'low'" } } };

/** The SIEM has asset `a` with threat `t`, and asset `b` of which the filter withholds `low`. Nothing new comes. */
async function having(change: RunChange = {}): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', [[asset('a'), asset('low', { severity: 'low' })], []]).pages('/t', [[threat('t', 'a')], []]);
  await harness.run({ ...ONLY, ...change });
  harness.later();
  return harness;
}

/** What a command to repair these ids answers, as `<id> <outcome>`. */
async function repaired(harness: Harness, repair: RunChange['repair'], change: RunChange = {}): Promise<string[]> {
  const outcome = await harness.run({ ...ONLY, ...change, repair: repair ?? {} });
  for (const failure of outcome.failures.values()) throw failure;
  return outcome.repaired.map(({ id, outcome: became }) => `${id} ${became}`);
}

describe('a row that the API does not know', () => {
  test.each([404, 410])('is withdrawn, with the reason, when the SIEM has it: %d', async status => {
    const harness = await having();
    harness.api.onSingle('/t', 't', new ApiRefusedError('/t', status));
    expect(await repaired(harness, { threats: ['t'] })).toEqual(['t withdrawn']);
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', id: 't', reason: 'not-found', asset_id: 'a' }]);
    expect(harness.table.state('threats', 't')).toMatchObject({ status: 'removed' });
  });

  test('is left unchanged when the SIEM was never sent it, or knows that it is gone', async () => {
    const harness = await having();
    await repaired(harness, { threats: ['t'] });
    harness.later();
    expect(await repaired(harness, { assets: ['ghost'], threats: ['t'] })).toEqual(['ghost unchanged', 't unchanged']);
    expect([harness.lines, harness.journal.begun.filter(step => !step.includes('look-up'))]).toEqual([[], []]);
  });

  test('is withdrawn when a killed run may have sent it', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[]]).pages('/t', [[threat('t', 'a')], []]);
    harness.journal.fail('threats states');
    await harness.run(ONLY);
    harness.later().api.pages('/t', [[]]);
    expect(await repaired(harness, { threats: ['t'] })).toEqual(['t withdrawn']);
  });

  test('is sent when it comes back as it was, because the window has forgotten it', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[]]);
    await harness.run(ONLY);
    const [first] = harness.events;
    harness.later();
    await repaired(harness, { assets: ['a'] });
    await harness.later().run(ONLY);
    expect(harness.sent).toEqual(['upsert a']);
    expect(harness.events[0]!.event_id).not.toBe(first!.event_id);
  });
});

describe('a row that the API knows', () => {
  test.each<[string, (harness: Harness) => unknown]>([
    ['has', () => undefined],
    ['knows to be gone', harness => repaired(harness, { assets: ['a'] })],
    ['has in another version', ({ api }) => api.onSingle('/a', 'a', asset('a', { version: 7, position: null }))],
  ])('is sent as another revision when the SIEM %s', async (_what, before) => {
    const harness = await having();
    const seen = [harness.table.state('assets', 'a')!.revision];
    await before(harness);
    harness.later();
    if (_what !== 'has in another version') harness.api.onSingle('/a', 'a', asset('a', { position: null }));
    const ids: string[] = [];
    for (let count = 0; count < 2; count++) {
      expect(await repaired(harness.later(), { assets: ['a'] })).toEqual(['a sent']);
      expect(harness.sent).toEqual(['upsert a']);
      ids.push(harness.events[0]!.event_id);
      seen.push(harness.table.state('assets', 'a')!.revision);
    }
    expect([new Set(ids).size, seen]).toEqual([2, seen.toSorted()]);
    expect(harness.table.state('assets', 'a')).toMatchObject({ status: 'live' });
  });

  test('is sent when the SIEM was never sent it, with its place under its parent', async () => {
    const harness = await having();
    harness.api.onSingle('/t', 'new', `{"threat":${threat('new', 'a', { position: null })}}`);
    expect(await repaired(harness, { threats: ['new'] })).toEqual(['new sent']);
    expect(harness.sent).toEqual(['upsert new']);
    expect(harness.table.children('threats')).toEqual(['a new', 'a t']);
  });

  test('is withdrawn when the SIEM has it and the filter withholds it, and is left unchanged when the SIEM has not', async () => {
    const harness = await having(LOW_OUT);
    const low = (id: string) => asset(id, { severity: 'low', position: null });
    harness.api.onSingle('/a', 'a', low('a')).onSingle('/a', 'low', low('low')).onSingle('/a', 'new', low('new'));
    const ids = ['a', 'low', 'new'];
    expect(await repaired(harness, { assets: ids }, LOW_OUT)).toEqual([
      'a withdrawn',
      'low unchanged',
      'new unchanged',
    ]);
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', id: 'a', reason: 'filtered' }]);
  });

  test('is withdrawn as one that the API does not know when it is a threat of a removed asset', async () => {
    const harness = await having();
    harness.api.onSingle('/t', 't', threat('t', 'a'));
    harness.table.putState('assets', 'a', { ...harness.table.state('assets', 'a')!, status: 'removed' });
    expect(await repaired(harness, { threats: ['t'] })).toEqual(['t withdrawn']);
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', id: 't', reason: 'not-found' }]);
  });

  test('is a tombstone: it is sent, and its threats are withdrawn', async () => {
    const harness = await having();
    harness.api.onSingle('/a', 'a', tombstone('a', { version: 2 })).onSingle('/a', 'ghost', tombstone('ghost'));
    expect(await repaired(harness, { assets: ['a', 'ghost'] })).toEqual(['a sent', 'ghost sent']);
    await harness.run(ONLY);
    expect(harness.sent).toEqual(['tombstone a', 'tombstone ghost', 'withdrawn t']);
  });

  test('is not sent again by the walk that follows', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[]]);
    await harness.run(ONLY);
    harness.api.onSingle('/a', 'a', asset('a', { position: null }));
    await repaired(harness.later(), { assets: ['a'] });
    expect(harness.sent).toEqual(['upsert a']);
    await harness.later().run(ONLY);
    expect(harness.lines).toEqual([]);
  });
});

describe('a row that stays as it is, with a reason', () => {
  test.each([
    ['the API refuses it', new ApiRefusedError('/a', 403), /403/],
    ['the API answers with another row', asset('b'), /another row/],
    ['the answer holds no row', '[]', /no such row/],
    ['the API has no address for it', new RangeError('too long'), /no address/],
  ])('when %s', async (_why, given, reason) => {
    const harness = await having();
    harness.api.onSingle('/a', 'a', given);
    const { repaired: outcomes } = await harness.run({ ...ONLY, repair: { assets: ['a'] } });
    expect(outcomes).toEqual([{ stream: 'assets', id: 'a', outcome: 'kept', reason: expect.stringMatching(reason) }]);
    expect([harness.lines, harness.table.state('assets', 'a')!.status]).toEqual([[], 'live']);
  });

  test('when the time ends before the stream is read to its end, because the states may be old', async () => {
    const harness = await having();
    harness.api.next('/a', 'c1', [asset('x')]);
    const outOfTime = () => harness.journal.done.length > 0;
    const { repaired: outcomes } = await harness.run({ ...ONLY, repair: { assets: ['a'], threats: ['t'] }, outOfTime });
    expect(outcomes).toEqual([{ stream: 'assets', id: 'a', outcome: 'kept', reason: expect.stringMatching(/again/) }]);
  });
});

describe('the command', () => {
  test.each(['threats intents', 'threats delivery', 'threats states', 'threats checkpoint'])(
    'that a kill at "%s" interrupted is given again: the row is sent under the same event_id',
    async step => {
      const harness = await having();
      harness.api.onSingle('/t', 't', threat('t', 'a', { version: 2 }));
      harness.journal.fail(step);
      await expect(repaired(harness, { threats: ['t'] })).rejects.toThrow('fault at');
      const before = harness.events;
      harness.later();
      expect(await repaired(harness, { threats: ['t'] })).toEqual(['t sent']);
      if (step === 'threats states') expect(harness.events[0]!.event_id).toBe(before[0]!.event_id);
      expect(harness.table.intents.get('threats')).toHaveLength(1);
    },
  );

  test('passes the writes of a page, once for fifty rows, and names an id that is given twice once', async () => {
    const harness = await having();
    const ids = Array.from({ length: 60 }, (_, index) => `r${index}`);
    for (const id of ids) harness.api.onSingle('/a', id, asset(id));
    expect(await repaired(harness, { assets: [...ids, 'r0'] })).toEqual(ids.map(id => `${id} sent`));
    const steps = harness.journal.done.map(step => step.split(' ')[1]);
    const batch = ['look-up', 'intents', 'delivery', 'states', 'checkpoint'];
    expect(steps).toEqual([...batch, ...batch]);
  });

  test('fails the stream when the API is not to be reached, and reports what was repaired before', async () => {
    const harness = await having();
    const ids = Array.from({ length: 60 }, (_, index) => `r${index}`);
    for (const id of ids) harness.api.onSingle('/a', id, asset(id));
    harness.api.onSingle('/a', 'r55', new ApiUnavailableError('/a', 'it answered 503'));
    const { failures, repaired: outcomes } = await harness.run({ ...ONLY, repair: { assets: ids } });
    expect([failures.get('assets')?.name, outcomes.length]).toEqual(['ApiUnavailableError', 50]);
  });

  test('is refused, not dropped, while another run holds the lease', async () => {
    const harness = await having();
    harness.occupied = true;
    await expect(repaired(harness, { assets: ['a'] })).rejects.toThrow(LeaseBusyError);
  });
});
