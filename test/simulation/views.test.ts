/** The check by the SQL views must notice a broken view. */
import { describe, expect, test } from '@jest/globals';
import { VIEWS } from '../../lib/query/views.ts';
import { check } from './check.ts';
import { generate } from './generate.ts';
import type { Observation } from './oracle/observation.ts';
import { ViewsCheck } from './oracle/views.ts';

/** Each broken view shows in one of these histories: events that overtake one another, OCSF, a block sent twice, refreshed rows. */
const SHOWING = [30, 32, 70, 1099];
/** Only looked at where those show nothing, as after a change of the generator. */
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
  ['events', "'$.raw_data'", "'$.unmapped'"],
  ['events', "20, '0'", "2, '0'"],
  ['events', "activity_id = '4' then 'tombstone'", "activity_id = '4' then 'upsert'"],
  ['events', "'2004' and activity_id = '99' then 'withdrawn'", "'2004' and activity_id = '99' then 'upsert'"],
];

describe('the check by the views', () => {
  test('finds no fault where the other check finds none', async () => {
    await using views = await ViewsCheck.open();
    expect((await views.check(await observed(SHOWING))).flat()).toEqual([]);
  });

  test.each(BROKEN)('notices when %s has not "%s" but "%s"', async (view, right, wrong) => {
    const broken = VIEWS.map(each => (each.name === view ? { ...each, sql: each.sql.replace(right, wrong) } : each));
    expect(broken).not.toEqual(VIEWS);
    await using views = await ViewsCheck.open(broken);
    const faultsIn = async (seeds: readonly number[]) => (await views.check(await observed(seeds))).flat();
    const faults = await faultsIn(SHOWING);
    expect((faults.length > 0 ? faults : await faultsIn(OTHERS)).length).toBeGreaterThan(0);
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
