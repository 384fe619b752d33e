import { execFile } from 'node:child_process';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { entriesOf, type TruthEntry } from '../../bench/truth-entries.ts';

const SCRIPT = path.join(import.meta.dirname, '..', '..', 'bench', 'backfill.ts');

test('a backfill through the embedded platform delivers its truth', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '--rows', '2000']);
  expect(stdout).toMatch(/^truth +equal$/m);
  expect(stdout).toMatch(/^events +\d+, of which 0 repeats$/m);
});

test('the truth is read entry by entry, wherever its pieces are cut', async () => {
  const rows = ['{"id":"a","x":{"y":["}","\\"{\\\\"]}}', '{"id":"é😀"}', '{}'];
  const truth = `{"assets":{"a":${rows[0]},"\\u00e9\\ud83d":${rows[1]}},"threats":{},"dns-blocks":{"":${rows[2]}}}`;
  const bytes = Buffer.from(truth);
  const expected = [
    { stream: 'assets', id: 'a', row: rows[0] },
    { stream: 'assets', id: '\u00e9\ud83d', row: rows[1] },
    { stream: 'dns-blocks', id: '', row: rows[2] },
  ];
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await entries([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
  }
  await expect(entries([bytes.subarray(0, -1)])).rejects.toThrow(/before its end/);
});

async function entries(pieces: readonly Uint8Array[]): Promise<TruthEntry[]> {
  const all: TruthEntry[] = [];
  for await (const entry of entriesOf(Readable.from(pieces))) all.push(entry);
  return all;
}
