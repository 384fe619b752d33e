import { expect, test } from '@jest/globals';
import { StreamsFailedError } from '../../lambda/core/errors.ts';
import { checkpointKey } from '../../lambda/store/item.ts';
import { json, list } from '../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { rejection, wordsOf } from '../support/function/rejection.ts';

/** A connector that has read some rows, and has more to read. */
async function withMore(): Promise<Connector> {
  const each = await connector({ simulator: { endOfStream: 'empty-page-null' } });
  const put = (suffix: string) => {
    each.simulator.put('assets', { id: `a${suffix}`, secret: 'canary-row' });
    each.simulator.put('threats', { id: `t${suffix}`, asset_id: 'a' });
    each.simulator.put('dns-blocks', { id: `d${suffix}` });
  };
  put('');
  await each.run();
  put('-late');
  return each;
}

const checkpoint = async (each: Connector) => (await each.table.get([checkpointKey('assets')]))[0];

/** Fails a run. @returns the name of the error that each stream failed with */
async function failuresOf(each: Connector): Promise<Record<string, string>> {
  const error = await rejection(each.run({}, { cold: true }));
  expect(wordsOf(error) + wordsOf(each.logged)).not.toMatch(/canary|Bearer/);
  if (!(error instanceof StreamsFailedError)) throw error;
  return Object.fromEntries([...error.streams].map(([stream, { name }]) => [stream, name]));
}

async function lateIds(each: Connector): Promise<string[]> {
  const ids = (await each.lines()).map(line => JSON.parse(line).id);
  return ids.filter(id => id.endsWith('-late')).toSorted();
}

test('a stream that fails keeps its checkpoint, so the next run sends its rows', async () => {
  await using each = await withMore();
  const before = await checkpoint(each);

  each.api.tamper(list('/v1/assets', json(200, '<html>canary-row</html>')));
  expect(await failuresOf(each)).toEqual({ assets: 'ContractError' });
  expect(await checkpoint(each)).toEqual({ ...before, epoch: before?.['epoch'] });
  expect(await lateIds(each)).toEqual(['d-late', 't-late']);

  each.api.tamper();
  expect((await each.run()).streams['assets']).toMatchObject({ forwarded: 1, caughtUp: true });
  expect(await lateIds(each)).toEqual(['a-late', 'd-late', 't-late']);
});

test('wrong credentials fail every stream after two token requests, the second with a secret read again', async () => {
  await using each = await withMore();
  const { clientId } = each.simulator.account;
  each.aws.secret.put(JSON.stringify({ client_id: clientId, client_secret: 'canary-wrong' }));
  const before = each.simulator.requests.get('token')!;
  each.forget();

  const name = 'CredentialsError';
  expect(await failuresOf(each)).toEqual({ assets: name, threats: name, 'dns-blocks': name });
  expect(each.simulator.requests.get('token')! - before).toBe(2);
  expect(each.count('GetSecretValue')).toBe(2);
});
