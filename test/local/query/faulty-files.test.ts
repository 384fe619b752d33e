/** Files that cannot be read whole: none of them may keep the others from being asked, or pass for whole. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { duckDbError, EventDatabase } from '../../../local/query/event-database.ts';
import { AT_ONCE_BYTES, deliveredFiles, fileFault, LONGEST_LINE_BYTES } from '../../../local/query/files.ts';
import { envelope } from '../../lib/query/support/event-lines.ts';
import { DeliveredFolder } from './files.ts';

const SMALL = gzipSync(`${envelope({ sequence: 2, id: 'small', row: '2' })}\n`);
/** Beyond what is read at once, gzipped too. */
const LARGE = gzipSync(
  Array.from(
    { length: 4_000 },
    (_, index) =>
      `${envelope({ sequence: 100 + index, id: `${index}`, row: `"${randomBytes(200).toString('base64')}"` })}\n`,
  ).join(''),
  { level: 1 },
);

const flipped = (bytes: Buffer, at: number) => bytes.with(at, bytes[at]! ^ 1);
const behind = (bytes: Buffer, more: Uint8Array) => Buffer.concat([bytes, more]);
const lines = (...each: (string | Buffer)[]) => gzipSync(Buffer.concat(each.map(text => Buffer.from(text))));
const pieces = (last: string) => gzipSync('{}\n'.repeat(AT_ONCE_BYTES) + last, { level: 0 });
const TOO_LONG = 'has a line of more than 2,048,000 bytes';

const FAULTY: readonly (readonly [what: string, bytes: Uint8Array, fault: RegExp])[] = [
  ['of no bytes', Buffer.alloc(0), /^is empty$/],
  ['of five bytes', SMALL.subarray(0, 5), /^is cut short$/],
  ['that is cut short', SMALL.subarray(0, -9), /^is cut short$/],
  ['that lacks its checksum', SMALL.subarray(0, -8), /^is cut short$/],
  ['that is large and cut short', LARGE.subarray(0, LARGE.length / 2), /^is cut short$/],
  ['with a flipped bit', flipped(SMALL, 40), /^is damaged \(.+\)$/],
  ['with a flipped bit in its checksum', flipped(SMALL, SMALL.length - 6), /^is damaged \(incorrect data check\)$/],
  ['that is large, with a flipped bit in the middle', flipped(LARGE, LARGE.length >> 1), /^is damaged \(.+\)$/],
  ['with other bytes after its end', behind(SMALL, Buffer.from('more')), /^has other bytes after its end$/],
  ['with zeros after its end', behind(SMALL, Buffer.alloc(512)), /^has other bytes after its end$/],
  ['that is large, with zeros after its end', behind(LARGE, Buffer.alloc(3_000_000)), /^has other bytes after/],
  ['that is not gzipped', Buffer.from(envelope({ sequence: 2, row: '2' })), /^is not gzip$/],
  ['with a header of another kind', SMALL.with(3, 1), /^has a gzip header that DuckDB does not read$/],
  ['with carriage returns', lines('{}\r\n{}\r\n'), /^has carriage returns$/],
  ['with a carriage return within a line', lines('{}\n{}\r{}\n'), /^has carriage returns$/],
  ['that is large, with a carriage return within a line', pieces('{}\r{}\n'), /^has carriage returns$/],
  ['that is large, with a carriage return at its end', pieces('{}\r'), /^has carriage returns$/],
  ['that is not UTF-8', lines('{}\n', Buffer.from([0x22, 0xff, 0x22, 0x0a])), /^is not UTF-8$/],
  ['with a line too long', lines('{}\n', `${'x'.repeat(LONGEST_LINE_BYTES + 1)}\n{}\n`), new RegExp(`^${TOO_LONG}$`)],
  ['with a last line too long', lines('{}\n', 'x'.repeat(LONGEST_LINE_BYTES + 1)), new RegExp(`^${TOO_LONG}$`)],
];

test('the large file of these tests is one that is read in pieces', () => {
  expect(LARGE.length).toBeGreaterThan(AT_ONCE_BYTES);
});

test.each(FAULTY)('a file %s is detected', async (_, bytes, fault) => {
  await using folder = await DeliveredFolder.make();
  await folder.bytes('bad.gz', bytes);
  expect(await fileFault(join(folder.path, 'bad.gz'))).toMatch(fault);
});

test('one that cannot be opened is found out', async () => {
  expect(await fileFault('/nowhere/a.gz')).toBe('cannot be opened (ENOENT)');
});

test('one whose path DuckDB cannot be given is found out', async () => {
  await using folder = await DeliveredFolder.make();
  await folder.bytes('back\\slash*/a.gz', SMALL);
  expect(await fileFault(join(folder.path, 'back\\slash*/a.gz'))).toBe(
    'has a backslash in its path, and one of *, ? and [',
  );
});

test('faulty files are skipped and named, and the others are queried', async () => {
  await using folder = await DeliveredFolder.make();
  await folder.bytes('good.gz', SMALL);
  for (const [index, [, bytes]] of FAULTY.entries()) await folder.bytes(`bad-${index}.gz`, bytes);
  using database = await EventDatabase.open(await deliveredFiles(folder.path));
  const rows = await (await database.query('select id from events')).getRows();
  expect(rows).toEqual([['small']]);
  const named = database.files.faulty.map(({ file }) => basename(file));
  expect(named).toEqual(FAULTY.map((_, index) => `bad-${index}.gz`).sort());
});

test('when every file is faulty, the views are empty and each file is named', async () => {
  await using folder = await DeliveredFolder.make();
  await folder.bytes('a.gz', Buffer.alloc(0));
  await folder.bytes('b.gz', Buffer.from('no gzip'));
  using database = await EventDatabase.open(await deliveredFiles(folder.path));
  expect(await (await database.query('select * from changes')).getRows()).toEqual([]);
  expect(database.files.faulty.map(({ file }) => basename(file))).toEqual(['a.gz', 'b.gz']);
});

test('what is odd and whole is no fault, and DuckDB reads all of it', async () => {
  await using folder = await DeliveredFolder.make();
  const odd: readonly (readonly [bytes: Uint8Array, lines: number])[] = [
    // As long as a line may be.
    [lines(`${'é'.repeat(LONGEST_LINE_BYTES / 2)}\n`), 1],
    [lines('{}\n{}'), 2],
    [behind(SMALL, behind(gzipSync(''), SMALL)), 2],
    // Read in pieces, which part characters.
    [gzipSync('{"x":"é😀"}\n'.repeat(200_000), { level: 0 }), 200_000],
    [gzipSync(''), 0],
  ];
  for (const [index, [bytes]] of odd.entries()) await folder.bytes(`${index}.gz`, bytes);
  using database = await EventDatabase.open(await deliveredFiles(folder.path));
  expect(database.files.faulty).toEqual([]);
  const [count] = await (await database.query('select count(*) from lines')).getRows();
  expect(Number(count![0])).toBe(odd.reduce((sum, [, each]) => sum + each, 0));
});

test('a file that changes after it was looked at fails the query without a word of its content or of options', async () => {
  await using folder = await DeliveredFolder.make();
  await folder.file('a.json.gz', envelope({ sequence: 1, row: '1' }));
  using database = await EventDatabase.open(await deliveredFiles(folder.path));
  await folder.bytes('a.json.gz', lines('"secret"\n', Buffer.from([0x73, 0xff, 0x0a])));
  const failed = database.query('select * from lines').then(
    result => result.getRows(),
    (error: Error) => error.message,
  );
  expect(await failed.catch(error => duckDbError(error).message)).toBe(
    `${folder.path}/a.json.gz cannot be read, because it changed after it was checked. Run the query again.`,
  );
});

test('a file that is gone after it was looked at fails the query in the same words', async () => {
  await using folder = await DeliveredFolder.make();
  await folder.file('a.json.gz', envelope({ sequence: 1, row: '1' }));
  using database = await EventDatabase.open(await deliveredFiles(folder.path));
  await rm(`${folder.path}/a.json.gz`);
  await expect(database.query('select * from lines')).rejects.toThrow(
    `${folder.path}/a.json.gz cannot be read, because it changed after it was checked. Run the query again.`,
  );
});
