import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addsUp, type Ended, StateFolder, tableRow } from './start-process.ts';

const SMALL = ['--assets', '40', '--threats', '60', '--dns-blocks', '30'];
const FILTERS = [
  ['--filter', "threats=severity != 'low'"],
  ['--filter', "dnsBlocks=domain == 'nowhere'"],
  ['--filter', 'assets=name > `5`'],
].flat();

describe('npm start with filters', () => {
  let folder: StateFolder;
  let filtered: Ended;
  let changed: Ended;

  beforeAll(async () => {
    folder = await StateFolder.make();
    filtered = await folder.run([...SMALL, ...FILTERS]);
    changed = await folder.run(['--filter', "threats=severity != 'high'"]);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test('counts filtered rows in a separate line, and each column adds up', () => {
    expect([filtered.status, filtered.stderr]).toEqual([0, '']);
    for (const run of [filtered, changed]) {
      for (const stream of ['assets', 'threats', 'dns-blocks', 'all']) expect(addsUp(tableRow(run, stream))).toBe(true);
    }
    const { read = 0, forwarded = 0, filtered: dropped = 0 } = tableRow(filtered, 'threats');
    expect([read, forwarded + dropped]).toEqual([60, 60]);
    expect(dropped).toBeGreaterThan(0);
  });

  test('warns of a filter that drops every row, and of one that gives no boolean', () => {
    expect(tableRow(filtered, 'dns-blocks')['filtered']).toBe(30);
    expect(filtered.stdout).toContain('\nWARNING: the filter of dns-blocks dropped every row of this run.');
    expect(filtered.stdout).toMatch(
      /^WARNING: the filter of assets failed or did not return a boolean for \d+ rows?, sent all/m,
    );
    expect(tableRow(filtered, 'assets')['filtered']).toBe(0);
    expect(changed.stdout).not.toContain('WARNING');
  });

  test('with another filter sends the difference: rows that it excludes are withdrawn, and rows that it keeps are sent', () => {
    const { read = 0, withdrawn = 0, forwarded = 0, filtered: dropped = 0 } = tableRow(changed, 'threats');
    // The walk reads the last page, which has all rows, and the second walk reads the list again.
    expect([read, dropped]).toEqual([120, 2 * withdrawn]);
    expect(forwarded).toBe(tableRow(filtered, 'threats')['filtered']);
    expect(withdrawn).toBeGreaterThan(0);
  });

  test('suggests commands with the same filters', () => {
    expect(changed.stdout).toContain(`--filter 'threats=severity != '\\''high'\\'''`);
  });
});
