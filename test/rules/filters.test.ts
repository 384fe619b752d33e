/**
 * Filters and members that are left out: what is counted, what stays as the API sent it, and what
 * is read again.
 */
import { describe, expect, test } from '@jest/globals';
import { Harness } from '../support/core/harness.ts';
import { answer, asset, dnsBlock } from '../support/core/rows.ts';

test('a row is sent and counted as a filter error unless its filter returns a boolean', async () => {
  const harness = new Harness();
  harness.api.pages('/a', [[asset('a', { score: '9' }), asset('b', { score: 9 }), asset('c', { score: 1 })], []]);
  const result = await harness.runStream('assets', { filters: { assets: { filter: 'score > `5`' } } });
  expect(harness.sent).toEqual(['upsert a', 'upsert b']);
  expect(result).toMatchObject({ filtered: 1, filterErrors: 1, forwarded: 2 });
});

test('a changed filter applies only to DNS blocks that are read later', async () => {
  const harness = new Harness();
  harness.api.pages('/d', [[dnsBlock('x')], []]);
  await harness.runStream('dns-blocks');
  const filters = { 'dns-blocks': { filter: "id != 'y'" } };
  harness.later().api.on('/d', 'c1', answer([dnsBlock('y'), dnsBlock('z')], null));
  expect(await harness.runStream('dns-blocks', { filters })).toMatchObject({ filtered: 1, forwarded: 1 });
  expect(harness.sent).toEqual(['dns_block z']);
  expect(harness.api.sent('/d')).toEqual(['c1']);
});

describe('omitted members', () => {
  const OMIT = { assets: { omit: ['contact.email', 'secret'] } };
  const row = (email: string, n: string): string =>
    `{"id":"a","stream_position":"p${n}","contact":{"email":"${email}","n":1.0},"secret":[1,2],"big":9007199254740993}`;

  test('a row is sent without the omitted members, but otherwise as the API sent it', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1')], []]);
    await harness.runStream('assets', { filters: OMIT });
    const whole = '"row":{"id":"a","stream_position":"p1","contact":{"n":1.0},"big":9007199254740993}}';
    expect(harness.lines[0]).toContain(whole);
  });

  test('a row is a duplicate when only an omitted member has changed', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1')], [row('c@d', '2')], []]);
    const result = await harness.runStream('assets', { filters: OMIT });
    expect(result).toMatchObject({ forwarded: 1, duplicates: 1 });
  });

  test('the filter can read omitted members, but a dead letter does not contain them', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[row('a@b', '1'), '{"secret":"x","n":1}'], []]);
    const filters = { assets: { ...OMIT.assets, filter: "contact.email != 'a@b'" } };
    expect(await harness.runStream('assets', { filters })).toMatchObject({ filtered: 1, deadLetters: 1 });
    expect([...harness.deadLetters.values()].join()).not.toContain('secret');
  });
});
