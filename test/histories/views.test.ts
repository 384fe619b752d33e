import { expect, test } from '@jest/globals';
import { openDuckDbLines } from '../local/query/support/lines-database.ts';
import { viewBreaches } from './views.ts';

test('the views show the rows of the API after the history of each rule', async () => {
  await using database = await openDuckDbLines({ threads: 1 });
  expect(await viewBreaches(database)).toEqual([]);
});
