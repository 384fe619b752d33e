import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type DeliveredEvent, parseEvent } from '../../local/aws/delivered.ts';
import { deliveredLines } from '../support/delivered-lines.ts';

const HEAD = { event_id: 'e', sequence: '01', kind: 'upsert', stream: 'assets', connector: 'c', forwarded_at: 'now' };

function line(id: string, row: string): string {
  return `${JSON.stringify({ ...HEAD, id }).slice(0, -1)},"row":${row}}`;
}

async function folderOf(objects: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'delivered-'));
  for (const [name, text] of Object.entries(objects)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), gzipSync(text));
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

async function allOf(folder: string): Promise<DeliveredEvent[]> {
  return (await deliveredLines(folder)).map(parseEvent);
}

describe('a delivered event', () => {
  test('a delivered event contains its row as the delivered text', () => {
    const row =
      '{ "id":"a", "n":9007199254740993, "f":1.0, "e":1e400, "z":-0, "__proto__":{"a":1,"row":1}, "":"\u2028" }';
    expect(parseEvent(line('a', row))).toEqual({ ...HEAD, id: 'a', row });
  });

  test('a delivered event is not cut at an id that looks like a row', () => {
    const id = '","row":{"x":1},"';
    expect(parseEvent(line(id, '{"id":1}'))).toMatchObject({ id, row: '{"id":1}' });
  });

  test('a delivered event without a row is parsed without a member row', () => {
    const event = { ...HEAD, kind: 'withdrawn', id: 'a' };
    expect(parseEvent(JSON.stringify(event))).toEqual(event);
  });
});

describe('a folder of delivered objects', () => {
  test('a folder of delivered objects is read object by object and split only at line feeds', async () => {
    const long = 'x'.repeat(200_000);
    await using delivered = await folderOf({
      '2026/01/01/01/b.json.gz': `${line('3', `{"v":"${long}"}`)}\n`,
      '2026/01/01/00/a.json.gz': `${line('1', '{"v":"\u2028\u2029\u0085"}')}\n${line('2', '{"v":"ü"}')}\n`,
      '2026/01/01/01/note.txt': 'no object',
    });
    const events = await allOf(delivered.folder);
    expect(events.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(events.map(({ row }) => row)).toEqual(['{"v":"\u2028\u2029\u0085"}', '{"v":"ü"}', `{"v":"${long}"}`]);
  });

  test('a missing folder of delivered objects is read as a folder without events', async () => {
    expect(await allOf(join(tmpdir(), 'never-made'))).toEqual([]);
  });

  test('a folder of delivered objects that cannot be read causes an error', async () => {
    await using delivered = await folderOf({ 'a.json.gz': `${line('1', '{}')}\n` });
    await expect(allOf(join(delivered.folder, 'a.json.gz'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
