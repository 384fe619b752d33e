/** The check by the SQL views must notice a broken view. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { VIEWS } from '../../local/query/views.ts';
import { type LinesDatabase, openDuckDbLines } from '../local/query/support/lines-database.ts';
import { type Lines, linesOfRules, viewBreaches } from './views.ts';

/** A view, and one word of it that decides; in its place what a careless author would have written. */
const BROKEN: readonly (readonly [view: string, right: string, wrong: string])[] = [
  ['latest_inventory', 'order by sequence desc', 'order by stream_position desc'],
  ['latest_inventory', 'order by sequence desc', 'order by sequence'],
  ['latest_inventory', 'partition by connector, stream, id', 'partition by connector, id, event_id'],
  ['latest_inventory', 'partition by connector, stream, id', 'partition by stream, id'],
  ['latest_blocks', 'partition by connector, stream, id', 'partition by connector, id, sequence'],
  ['current_assets', "and kind not in ('tombstone', 'withdrawn')", ''],
  ['current_threats', "and kind not in ('tombstone', 'withdrawn')", ''],
  ['removed_assets', 'from latest_inventory', 'from events'],
  ['events', 'row_at + 7', 'row_at + 8'],
  ['events', 'row_text as "row"', 'cast(json(row_text) as varchar) as "row"'],
  ['changes', 'place = 1 and', ''],
  ['changes', 'and refresh is null', ''],
];

describe('the check by the views', () => {
  let database: LinesDatabase;
  let played: Lines[];
  beforeAll(async () => {
    database = await openDuckDbLines({ threads: 1 });
    played = await linesOfRules();
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  test('finds nothing wrong after a history of each rule', async () => {
    expect(await viewBreaches(played, database)).toEqual([]);
  });

  test.each(BROKEN)('notices that in the view %s, "%s" was replaced by "%s"', async (name, right, wrong) => {
    const { sql } = VIEWS.find(view => view.name === name)!;
    const broken = sql.replace(right, wrong);
    expect(broken).not.toBe(sql);
    // A view that reads this one reads the new definition.
    await database.rows(broken);
    try {
      expect((await viewBreaches(played, database)).length).toBeGreaterThan(0);
    } finally {
      await database.rows(sql);
    }
  });
});
