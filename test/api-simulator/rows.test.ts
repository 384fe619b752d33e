import { expect, test } from '@jest/globals';
import { generatedMembers } from '../../local/api-simulator/seed.ts';
import { createTenant } from './tenant.ts';

const HARD_MEMBERS =
  '"n":9007199254740993,"f":1.0,"e":1e400,"z":-0,"__proto__":{"x":1},"constructor":null,"":"\\u2028 ü 🛡️ \\ud800"';

test('rows keep their members to the last digit in lists, single reads and the truth', async () => {
  const { simulator, get } = createTenant();
  simulator.put('assets', `{"id":"a",${HARD_MEMBERS}}`);
  simulator.put('threats', `{${HARD_MEMBERS},"id":"t","asset_id":"a"}`);
  simulator.put('dns-blocks', `{"id":"d",${HARD_MEMBERS}}`);
  for (const target of ['/v1/assets', '/v1/assets/a', '/v1/threats', '/v1/threats/t', '/v1/dns-blocks']) {
    expect((await get(target)).text).toContain(`${HARD_MEMBERS}}`);
  }
  const truth = simulator.truth();
  for (const name of ['assets', 'threats', 'dns-blocks'] as const)
    expect([...truth[name].values()][0]).toContain(`${HARD_MEMBERS}}`);
});

test('the truth contains the delivered rows and tombstones, but no hidden threats', async () => {
  const { simulator, get } = createTenant();
  for (const id of ['a', 'b']) simulator.put('assets', { id });
  simulator.put('threats', { id: 't', asset_id: 'a' });
  simulator.put('threats', { id: 'u', asset_id: 'b' });
  simulator.remove('assets', 'a');
  const { assets, threats } = simulator.truth();
  const listed = async (list: string): Promise<string> => (await get(`/v1/${list}`)).text;
  for (const row of assets.values()) expect(await listed('assets')).toContain(row);
  expect([...threats.keys()]).toEqual(['u']);
  expect(await listed('threats')).toContain(threats.get('u'));
  expect(JSON.parse([...simulator.truthText('none')].join('')).assets.a).not.toHaveProperty('stream_position');
});

test('generated rows depend only on seed and index, have realistic sizes, and include edge cases', () => {
  const texts = Array.from({ length: 200 }, (_, index) => `{${generatedMembers('assets', 5, index)}}`);
  expect(texts).toEqual(Array.from({ length: 200 }, (_, index) => `{${generatedMembers('assets', 5, index)}}`));
  for (const text of texts) expect(typeof JSON.parse(text)).toBe('object');
  const mean = texts.join('').length / texts.length;
  expect(mean).toBeGreaterThan(700);
  expect(mean).toBeLessThan(1100);
  for (const hard of ['9007199254740993', '1e400', '"__proto__"', '1.0', '"":']) expect(texts.join('')).toContain(hard);
});

test('the order of members can be shuffled without a change of content', async () => {
  const [plain, shuffled] = [createTenant(), createTenant({ shuffleMembers: true })];
  for (const { simulator } of [plain, shuffled]) simulator.put('assets', `{"id":"a",${HARD_MEMBERS}}`);
  const answers = [];
  for (let time = 0; time < 10; time++) answers.push(await shuffled.get('/v1/assets'));
  expect(new Set(answers.map(({ text }) => text)).size).toBeGreaterThan(5);
  for (const { body } of answers) expect(body).toEqual((await plain.get('/v1/assets')).body);
});

test('two members with the same name keep their order in a shuffle, because the last member counts', async () => {
  const { simulator, get } = createTenant({ shuffleMembers: true });
  simulator.put('assets', '{"id":"a","n":1,"n":2,"n":3}');
  for (let time = 0; time < 5; time++) expect((await get('/v1/assets/a')).body.n).toBe(3);
});
