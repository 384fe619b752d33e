import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type DeliveredEvent, deliveredEvents, latest, parseEvent } from '../../../local/aws/delivered.ts';

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
  const events: DeliveredEvent[] = [];
  for await (const event of deliveredEvents(folder)) events.push(event);
  return events;
}

describe('a delivered event', () => {
  test('keeps its row as the text that was delivered', () => {
    const row =
      '{ "id":"a", "n":9007199254740993, "f":1.0, "e":1e400, "z":-0, "__proto__":{"a":1,"row":1}, "":"\u2028" }';
    expect(parseEvent(line('a', row), 'here')).toEqual({ ...HEAD, id: 'a', row });
  });

  test('whose id looks like a row is not cut there', () => {
    const id = '","row":{"x":1},"';
    expect(parseEvent(line(id, '{"id":1}'), 'here')).toMatchObject({ id, row: '{"id":1}' });
  });

  test('without a row has none', () => {
    const event = { ...HEAD, kind: 'withdrawn', id: 'a' };
    expect(parseEvent(JSON.stringify(event), 'here')).toEqual(event);
  });

  test.each(['{', '[1]', '"text"', '{"id":"canary-text"}', 'canary-text'])(
    'that is not one is refused by its place, without its text: %s',
    text => {
      expect(() => parseEvent(text, 'file:7')).toThrow(/^file:7: (?!.*canary)/);
    },
  );
});

describe('a folder of delivered objects', () => {
  test('is read object by object, line by line, and only at line feeds', async () => {
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

  test('that is not there has no events', async () => {
    expect(await allOf(join(tmpdir(), 'never-made'))).toEqual([]);
  });

  test('that cannot be read is a fault, and not an empty folder', async () => {
    await using delivered = await folderOf({ 'a.json.gz': `${line('1', '{}')}\n` });
    await expect(allOf(join(delivered.folder, 'a.json.gz'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test('with an object that ends in the middle of a line is refused', async () => {
    await using delivered = await folderOf({ 'a.json.gz': `${line('1', '{}')}\n${line('2', '{}')}` });
    await expect(allOf(delivered.folder)).rejects.toThrow(/the last line has no line feed/);
  });

  test('with an object that is cut short is refused', async () => {
    await using delivered = await folderOf({});
    await writeFile(join(delivered.folder, 'a.json.gz'), gzipSync(`${line('1', '{}')}\n`).subarray(0, -9));
    await expect(allOf(delivered.folder)).rejects.toThrow(/unexpected end of file/);
  });
});

describe('the latest of each id', () => {
  test('is the event with the greatest sequence, in whatever order they arrive, by stream', async () => {
    const events = [
      { stream: 'assets', id: 'a', sequence: '02', kind: 'tombstone' },
      { stream: 'assets', id: 'a', sequence: '10', kind: 'upsert' },
      { stream: 'assets', id: 'a', sequence: '09', kind: 'upsert' },
      { stream: 'threats', id: 'a', sequence: '01', kind: 'upsert' },
      { stream: 'assets', id: '__proto__', sequence: '03', kind: 'upsert' },
    ];
    const expected = new Map([
      [
        'assets',
        new Map([
          ['a', events[1]],
          ['__proto__', events[4]],
        ]),
      ],
      ['threats', new Map([['a', events[3]]])],
    ]);
    expect(await latest(events)).toEqual(expected);
    expect(await latest(events.toReversed())).toEqual(expected);
  });
});
