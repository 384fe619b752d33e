/** What commands say of rows that a filter excludes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { START } from '../../support/function/stepped-clock.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { cells } from '../support/words.ts';

const FILTERS = JSON.stringify({ assets: 'score > `5`', threats: "severity != 'low'" });

describe('with filters', () => {
  let each: Deployment;
  let firstRun: string;

  beforeAll(async () => {
    each = await deployment({}, { environment: { FILTERS }, variables: { FILTERS }, aws: { now: () => START } });
    const { simulator } = each.connector;
    simulator.put('assets', { id: 'a', score: '9' });
    simulator.put('assets', { id: 'b', score: 9 });
    simulator.put('threats', { id: 'low', asset_id: 'a', severity: 'low' });
    simulator.put('threats', { id: 'high', asset_id: 'a', severity: 'high' });
    firstRun = (await each.ctl(['run'])).stdout;
  });

  afterAll(async () => {
    await each[Symbol.asyncDispose]();
  });

  test('run counts filtered rows, in columns that add up, and rows for which a filter gave no boolean', () => {
    const titles = cells(firstRun, 'stream');
    expect(titles).toContain('filtered');
    const threats = cells(firstRun, 'threats');
    const of = (title: string) => threats[titles.indexOf(title)];
    expect([of('read'), of('forwarded'), of('duplicates')]).toEqual(['2', '1', '0']);
    expect(firstRun).toContain('Rows for which a filter gave an error or no boolean, which were sent: 1.');
    expect(firstRun).not.toContain('not committed');
  });

  test('status shows rows filtered, and the errors of filters', async () => {
    const { stdout } = await each.ctl(['status']);
    expect(stdout).toContain('read = forwarded + filtered + other.');
    expect(cells(stdout, 'threats').slice(-6)).toEqual(['2', '1', '1', '0', '0', '0']);
    expect(stdout).toContain('The filter of assets gave an error or no boolean for 1 rows, which were sent.');
    expect((await each.json(['status'])).document.streams[1].last24Hours).toMatchObject({
      filtered: 1,
      filterErrors: 0,
    });
  });

  test('a row that the SIEM has and the filter excludes is a difference until the next run withdraws it', async () => {
    each.connector.simulator.put('threats', { id: 'high', asset_id: 'a', severity: 'low' });
    const before = await each.json(['lookup', 'threats', 'high']);
    expect([before.status, before.document.result]).toEqual([3, 'not withdrawn']);
    const found = (await each.json(['verify', 'threats', '--wait', '0'])).document.streams.threats;
    const differences = [{ id: 'high', kind: 'live at the SIEM, but excluded by the filter' }];
    expect(found).toMatchObject({ rowsFiltered: 2, differences });
    await each.run();
    const after = await each.ctl(['lookup', 'threats', 'high']);
    expect([after.status, after.stdout]).toEqual([0, expect.stringMatching(/^threats "high": filtered\. /)]);
    expect(after.stdout).toMatch(/^API now: {4}present, .*, filtered$/m);
    expect(after.stdout).toMatch(/^Last sent: {2}a withdrawal because of the filter, /m);
    const { stdout } = await each.ctl(['verify', 'threats']);
    expect(stdout).toMatch(/^Complete: 0 ids equal\..*threats: the filter excludes 2 rows of the list/s);
  });
});
