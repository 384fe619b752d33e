import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { EventDatabase } from '../../../local/query/event-database.ts';
import { DeliveredFolder } from './files.ts';
import { envelope } from './support/event-lines.ts';

const SMALL = gzipSync(`${envelope({ sequence: 2, id: 'small', row: '2' })}\n`);

const flipped = (bytes: Buffer, at: number) => bytes.with(at, bytes[at]! ^ 1);
const behind = (bytes: Buffer, more: Uint8Array) => Buffer.concat([bytes, more]);
const lines = (...each: (string | Buffer)[]) => gzipSync(Buffer.concat(each.map(text => Buffer.from(text))));

const SKIPPED: readonly (readonly [what: string, bytes: Uint8Array, problem: RegExp])[] = [
  ['of no bytes', Buffer.alloc(0), /^is cut short$/],
  ['of five bytes', SMALL.subarray(0, 5), /^is cut short$/],
  ['that is cut short', SMALL.subarray(0, -9), /^is cut short$/],
  ['that lacks its checksum', SMALL.subarray(0, -8), /^is cut short$/],
  ['with a flipped bit', flipped(SMALL, 40), /^is damaged \(.+\)$/],
  ['with a flipped bit in its checksum', flipped(SMALL, SMALL.length - 6), /^is damaged \(incorrect data check\)$/],
  ['with other bytes after its end', behind(SMALL, gzipSync('more').subarray(0, 9)), /^is cut short$/],
  ['that is not gzipped', Buffer.from('{}\n'), /^is damaged \(incorrect header check\)$/],
  ['that is not UTF-8', lines('{}\n', Buffer.from([0x22, 0xff, 0x22, 0x0a])), /^is not UTF-8$/],
];

test('damaged files are skipped as a whole and named, and the others are queried', async () => {
  await using folder = await DeliveredFolder.make();
  for (const [index, [, bytes]] of SKIPPED.entries()) await folder.bytes(`bad-${index}.gz`, bytes);
  await folder.bytes('good.gz', SMALL);
  using database = await EventDatabase.open(folder.path);
  expect(await (await database.query('select id from events')).getRows()).toEqual([['small']]);
  const expected = SKIPPED.map(([what, , problem], index) => {
    return { what, file: `${folder.path}/bad-${index}.gz`, problem: expect.stringMatching(problem) };
  });
  expect(database.skipped.map((each, index) => ({ what: SKIPPED[index]?.[0], ...each }))).toEqual(expected);
});

test('odd files that are complete are read to the last line', async () => {
  await using folder = await DeliveredFolder.make();
  const odd: readonly (readonly [bytes: Uint8Array, lines: readonly string[]])[] = [
    [lines('{}\n{}'), ['{}', '{}']],
    [lines('{}\r\n\n\u0000\u0001\n'), ['{}\r', '', '\u0000\u0001']],
    [lines(`${'é'.repeat(2_000_000)}\n`), ['é'.repeat(2_000_000)]],
    [behind(gzipSync('1\n'), behind(gzipSync(''), gzipSync('2\n'))), ['1', '2']],
    [behind(gzipSync('1\n'), Buffer.alloc(512)), ['1']],
    [gzipSync(''), []],
  ];
  for (const [index, [bytes]] of odd.entries()) await folder.bytes(`${index}.gz`, bytes);
  using database = await EventDatabase.open(folder.path);
  expect(database.skipped).toEqual([]);
  const found = await (await database.query('select line from lines')).getRows();
  expect(found.flat()).toEqual(odd.flatMap(([, each]) => each));
});
