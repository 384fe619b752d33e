/** Filters and members that are left out: what is counted, what stays as the API sent it, and what is read again. */
import { describe, expect, test } from '@jest/globals';
import { Harness } from '../support/core/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from '../support/core/rows.ts';

const LOW_OUT = { assets: { filter: "severity != 'low'" }, threats: { filter: "severity != 'low'" } };
const low = (id: string, version = 1): string => asset(id, { version, severity: 'low' });
const high = (id: string, version = 1): string => asset(id, { version, severity: 'high' });

describe('a filter', () => {
  test('an excluded asset is remembered, because its existence decides about its threats', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[low('a')], []]).pages('/t', [[threat('t', 'a', { severity: 'low' })], []]);
    const { results } = await harness.run({ only: ['assets', 'threats'], filters: LOW_OUT });
    const counted = { rows: 1, filtered: 1, forwarded: 0, withdrawn: 0, filterErrors: 0 };
    expect([...results.values()]).toMatchObject([counted, counted]);
    expect(harness.table.state('assets', 'a')).toMatchObject({ status: 'filtered', rowHash: '' });
    expect(harness.table.state('threats', 't')).toBeUndefined();
    expect(harness.journal.begun.filter(step => step.startsWith('threats'))).toEqual([
      'threats look-up t',
      'threats checkpoint',
    ]);
  });

  test('a row that stops matching is withdrawn with the reason', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[high('a')], []]);
    await harness.runStream('assets', { filters: LOW_OUT });
    harness.later().api.next('/a', 'c1', [low('a', 2)]);
    const result = await harness.runStream('assets', { filters: LOW_OUT });
    expect(result).toMatchObject({ filtered: 1, withdrawn: 1, withdrawnByFilter: 1 });
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', stream: 'assets', id: 'a', reason: 'filtered' }]);
  });

  test('a threat that the filter withdrew is not withdrawn once more with its asset', async () => {
    const harness = new Harness();
    const run = () => harness.run({ only: ['assets', 'threats'], filters: LOW_OUT });
    harness.api.pages('/a', [[asset('a')], []]).pages('/t', [[threat('t', 'a', { severity: 'high' })], []]);
    await run();
    harness.later().api.next('/t', 'c1', [threat('t', 'a', { version: 2, severity: 'low' })]);
    await run();
    expect(harness.events).toMatchObject([{ kind: 'withdrawn', id: 't', asset_id: 'a', reason: 'filtered' }]);
    harness.later().api.next('/a', 'c1', [tombstone('a', { version: 2 })]);
    await run();
    expect(harness.sent).toEqual(['tombstone a']);
  });

  test('a row for which the filter gives an error or no boolean is sent and counted', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a', { score: '9' }), asset('b', { score: 9 }), asset('c', { score: 1 })], []]);
    const result = await harness.runStream('assets', { filters: { assets: { filter: 'score > `5`' } } });
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
    expect(result).toMatchObject({ filtered: 1, filterErrors: 1, forwarded: 2 });
  });
});

describe('a changed filter', () => {
  test('DNS blocks are not read again: the filter applies to those that are read from now on', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('x')], []]);
    await harness.runStream('dns-blocks');
    const filters = { 'dns-blocks': { filter: "id != 'y'" } };
    harness.later().api.on('/d', 'c1', answer([dnsBlock('y'), dnsBlock('z')], null));
    expect(await harness.runStream('dns-blocks', { filters })).toMatchObject({ filtered: 1, forwarded: 1 });
    expect(harness.sent).toEqual(['dns_block z']);
    expect(harness.api.sent('/d')).toEqual(['c1']);
  });
});

describe('members that are left out', () => {
  const OMIT = { assets: { omit: ['contact.email', 'secret'] } };
  const row = (email: string, n: string): string =>
    `{"id":"a","stream_position":"p${n}","contact":{"email":"${email}","n":1.0},"secret":[1,2],"big":9007199254740993}`;

  test('a row is sent without them, otherwise as the API sent it', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1')], []]);
    await harness.runStream('assets', { filters: OMIT });
    const whole = '"row":{"id":"a","stream_position":"p1","contact":{"n":1.0},"big":9007199254740993}}';
    expect(harness.lines[0]).toContain(whole);
  });

  test('a change of nothing but a member that is left out is not a change', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1')], [row('c@d', '2')], []]);
    const result = await harness.runStream('assets', { filters: OMIT });
    expect(result).toMatchObject({ forwarded: 1, duplicates: 1 });
  });

  test('the filter still sees them, but a dead letter does not have them', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1'), '{"secret":"x","n":1}'], []]);
    const filters = { assets: { ...OMIT.assets, filter: "contact.email != 'a@b'" } };
    expect(await harness.runStream('assets', { filters })).toMatchObject({ filtered: 1, deadLetters: 1 });
    expect([...harness.deadLetters.values()].join()).not.toContain('secret');
  });
});
