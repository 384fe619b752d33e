/** The check by the SQL views must notice a broken view. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { VIEWS } from '../../local/query/views.ts';
import { type LinesDatabase, openDuckDbLines } from '../local/query/support/lines-database.ts';
import { check } from './check.ts';
import { generate } from './generate.ts';
import type { Observation } from './oracle/observation.ts';
import { ViewsCheck } from './oracle/views.ts';

/** Small histories in which each broken view shows: events out of order, a block sent twice, refreshed rows. */
const SHOWING = [56, 70, 1099];
/** Only looked at where those show nothing, as after a change of the generator. They take seconds: choose other numbers above then. */
const OTHERS = Array.from({ length: 40 }, (_, index) => index + 1);

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
  let views: ViewsCheck;
  beforeAll(async () => {
    database = await openDuckDbLines({ threads: 1 });
    views = new ViewsCheck(database);
  });
  afterAll(async () => views[Symbol.asyncDispose]());

  /** To open a database with all views takes as long as the check. A view that reads this one reads the new definition. */
  const define = (sql: string) => database.rows(sql);
  const faultsIn = async (seeds: readonly number[]) => (await views.check(await observed(seeds))).flat();

  test('finds no fault where the other check finds none', async () => {
    expect(await faultsIn(SHOWING)).toEqual([]);
  });

  test.each(BROKEN)('notices that in the view %s, "%s" was replaced by "%s"', async (name, right, wrong) => {
    const { sql } = VIEWS.find(view => view.name === name)!;
    const broken = sql.replace(right, wrong);
    expect(broken).not.toBe(sql);
    await define(broken);
    try {
      const faults = await faultsIn(SHOWING);
      expect((faults.length > 0 ? faults : await faultsIn(OTHERS)).length).toBeGreaterThan(0);
    } finally {
      await define(sql);
    }
  });

  // Last: the tests above share the database.
  test('finds no fault once every view is restored', async () => {
    expect(await faultsIn(SHOWING)).toEqual([]);
  });
});

const observations = new Map<number, Promise<Observation>>();

/** The same for every test: to simulate takes longer than to ask. */
function observed(seeds: readonly number[]): Promise<Observation[]> {
  return Promise.all(
    seeds.map(seed => {
      const observation = observations.get(seed) ?? check(generate(seed)).then(result => result.observation);
      observations.set(seed, observation);
      return observation;
    }),
  );
}
