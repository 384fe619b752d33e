import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { titleOf } from './parts.ts';
import { corpus, shuffledTwice } from './support/corpus.ts';
import { kqlQueries, sentinel } from './support/files.ts';
import { diagnostics, transformationDiagnostics } from './support/kusto.ts';
import { truthOf } from './support/truth.ts';
import { openWorkspace } from './support/workspace.ts';

const { table: TABLE, functions: FUNCTIONS } = sentinel();
const QUERIES = kqlQueries();

describe(`the KQL of siem/sentinel, by ${titleOf('kusto')}`, () => {
  test.each([...FUNCTIONS, ...QUERIES].map(({ name, kql }) => [name, kql]))('the KQL query %s is valid', (_, kql) => {
    expect(diagnostics(kql!)).toEqual([]);
  });

  test('the transformation of the data collection rule is valid KQL', () => {
    expect(transformationDiagnostics()).toEqual([]);
  });

  test('an unknown column in a KQL query causes an error', () => {
    expect(diagnostics(`${TABLE.name} | where Kind == "upsert"`).join()).toContain('Kind');
  });
});

/**
 * In the order in which one uses another. Functions that the translator does not support are left
 * out.
 */
const NOT_TRANSLATED = ['SecurityDataChanges', 'NewCriticalThreats', 'AssetsRemoved'];

test(`the queries of siem/sentinel, translated by ${titleOf('duckdb-kql')}, return the same rows as the views`, async () => {
  const { before, after } = await corpus();
  const lines = [...before, ...after];
  const truth = await truthOf(lines);
  // No query here reads the row, and DuckDB refuses some rows.
  await using workspace = await openWorkspace(shuffledTwice(lines, createRandom(11)), { withRows: false });
  const rows = async (sql: string) => (await workspace.rows(sql)).map(row => row.join(' ')).sort();
  for (const { name, kql } of FUNCTIONS.filter(each => each.parameters === '' && !NOT_TRANSLATED.includes(each.name)))
    await workspace.define(name, kql);
  const now = await rows('select "Connector", "Stream", "Sequence" from SecurityDataNow');
  expect(now.length).toBeGreaterThan(10_000);
  expect(now).toEqual(truth.existing);
  expect((await rows('select "Connector", "EventId" from SecurityDataEvents')).length).toBe(truth.changes.length);
  expect((await rows('select * from SecurityDataRepeats')).length).toBe(truth.changes.length);
  const query = async (name: string) => workspace.sqlOf(QUERIES.find(each => each.name === name)!.kql);
  const notUpdated = await rows(`select "Connector", "Stream", "Sequence" from (${await query('NotUpdated')})`);
  expect(notUpdated).toEqual(truth.notUpdated);
  const days = await rows(
    `select "Connector", "Stream", strftime("Day", '%Y-%m-%d'), "Events" from (${await query('EventsByDay')})`,
  );
  expect(days).toEqual(truth.days);
  const newest = await rows(
    `select "Connector", "Stream", strftime("Newest", '%Y-%m-%dT%H:%M:%S.%gZ') from (${await query('Freshness')})`,
  );
  expect(newest).toEqual(truth.newest);
  const threats = truth.existing.filter(each => each.split(' ')[1] === 'threats');
  expect((await rows(`select "ObjectId" from (${await query('ThreatsWithAssets')})`)).length).toBe(threats.length);
});
