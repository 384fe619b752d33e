import { expect, test } from '@jest/globals';
import { checkpointKey } from '../../lambda/store/item.ts';
import { json, list } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

const rows = ['canary-1', 'canary-2'].map(id => ({ id, updated_at: '2026-11-20T12:00:00Z' }));

/** The saved checkpoint of the assets. A run that failed raises the fence of the item. */
async function saved(each: Connector): Promise<object> {
  const [item = {}] = await each.table.get([checkpointKey('assets')]);
  const { epoch: _epoch, write_number: _write, ...attributes } = item;
  return attributes;
}

/** A connector that has found `data` to be the row array. */
async function withKnownNames(): Promise<Connector> {
  const each = await connector({ simulator: { endOfStream: 'empty-page-null' } });
  each.simulator.put('assets', { id: 'a' });
  await each.run();
  return each;
}

test('an answer that contradicts the known row array stops the stream before anything is saved or sent', async () => {
  await using each = await withKnownNames();
  const before = await saved(each);
  each.api.tamper(list('/v1/assets', json(200, { data: [], p: { next_cursor: 'canary-cursor', page_size: 2 } })));

  const error = await rejection(each.run());
  expect(error.message).toContain('assets: ContractError');
  expect(wordsOf(error)).not.toContain('canary');
  expect(await saved(each)).toEqual(before);
  expect(await each.lines()).toHaveLength(1);
});

test('a resync forgets the names that were found, so that renamed members are read', async () => {
  await using each = await withKnownNames();
  each.api.tamper(list('/v1/assets', json(200, { assets: rows, meta: { next_cursor: null, page_size: 2 } })));
  expect((await rejection(each.run())).message).toContain('"npx --no -- connectorctl resync <stream>"');
  expect((await each.run({ resync: ['assets'] })).streams['assets']).toMatchObject({ forwarded: 2, caughtUp: true });
});

test('an empty page means that there is nothing new, with or without known names and page_size', async () => {
  await using each = await connector();
  for (const known of [false, true]) {
    for (const page of [{ next_cursor: null, page_size: 0 }, { next_cursor: null }]) {
      each.api.tamper(list('/v1/assets', json(200, { data: [], pagination: page })));
      expect((await each.run()).streams['assets']).toMatchObject({ rows: 0, caughtUp: true });
    }
    each.api.tamper();
    if (!known) each.simulator.put('assets', { id: 'a' });
    await each.run();
  }
});
