import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { EventDatabase } from '../../../local/query/event-database.ts';
import { deliveredFolder } from './files.ts';
import { envelope } from './support/event-lines.ts';

const GOOD = gzipSync(`${envelope({ sequence: 2, id: 'small', row: '2' })}\n`);

const flipped = (bytes: Buffer, at: number) => bytes.with(at, bytes[at]! ^ 1);
const joined = (...parts: Uint8Array[]) => Buffer.concat(parts);

const DAMAGED = {
  'cut short': { bytes: GOOD.subarray(0, -9), problem: /^is cut short$/ },
  'flipped bit': { bytes: flipped(GOOD, 40), problem: /^is damaged \(.+\)$/ },
  'bytes after the end': { bytes: joined(GOOD, gzipSync('more').subarray(0, 9)), problem: /^is cut short$/ },
  'not gzipped': { bytes: Buffer.from('{}\n'), problem: /^is damaged \(incorrect header check\)$/ },
  'not UTF-8': { bytes: gzipSync(Buffer.from([0x22, 0xff, 0x22, 0x0a])), problem: /^is not UTF-8$/ },
};

test('damaged files are skipped completely and named, but the other files are queried', async () => {
  await using folder = await deliveredFolder();
  for (const [name, { bytes }] of Object.entries(DAMAGED)) await folder.bytes(`${name}.gz`, bytes);
  await folder.bytes('good.gz', GOOD);
  using database = await EventDatabase.open(folder.path);
  expect(await (await database.query('select id from events')).getRows()).toEqual([['small']]);
  const found = Object.fromEntries(database.skipped.map(({ file, problem }) => [file, problem]));
  const expected = Object.entries(DAMAGED).map(([name, { problem }]) => {
    return [`${folder.path}/${name}.gz`, expect.stringMatching(problem)] as const;
  });
  expect(found).toEqual(Object.fromEntries(expected));
});

test.each([
  ['without a line break at its end', gzipSync('{}\n{}'), ['{}', '{}']],
  ['with a line of 4 MB', gzipSync(`${'é'.repeat(2_000_000)}\n`), ['é'.repeat(2_000_000)]],
  ['of several parts', joined(gzipSync('1\n'), gzipSync(''), gzipSync('2\n')), ['1', '2']],
])('a delivered file %s is read to the last line', async (_, bytes, lines) => {
  await using folder = await deliveredFolder();
  await folder.bytes('a.gz', bytes);
  using database = await EventDatabase.open(folder.path);
  expect(database.skipped).toEqual([]);
  const found = await (await database.query('select line from lines')).getRows();
  expect(found.flat()).toEqual(lines);
});
