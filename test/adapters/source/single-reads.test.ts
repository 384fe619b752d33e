import { expect, test } from '@jest/globals';
import { ApiRefusedError } from '../../../lambda/core/errors.ts';
import { createApi } from '../../../lambda/source/api.ts';
import { createTokenSource } from '../../../lambda/source/token.ts';
import { startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { createSimulator } from '../../../local/api-simulator/simulator.ts';
import { rejection } from '../../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../../support/function/stepped-clock.ts';

const ID = 'a/b ü%?#';

async function scene() {
  const clock = steppedClock();
  const simulator = createSimulator({ clock: clock.now, random: () => 0.5 });
  const { baseUrl, authUrl, close } = await startSimulatorServer({ simulator });
  const { clientId, clientSecret } = simulator.account;
  const tokens = createTokenSource({ authUrl, fetch, credentials: { read: async () => ({ clientId, clientSecret }) } });
  const api = createApi({ baseUrl, tokens, fetch, retryBudget: retryBudget(clock) });
  return { simulator, api, [Symbol.asyncDispose]: close };
}

test('a single read returns the resource as the API sent it, whatever characters its id contains', async () => {
  await using each = await scene();
  each.simulator.put('assets', `{"id":"${ID}","big":9007199254740993}`);
  each.simulator.put('threats', `{"id":"threat ${ID}","asset_id":"${ID}","n":1.0}`);

  const asset = await each.api.single({ path: '/v1/assets', id: ID });
  expect(JSON.parse(asset)).toMatchObject({ id: ID, stream_position: null });
  expect(asset).toContain('9007199254740993');

  const threat = await each.api.single({ path: '/v1/threats', id: `threat ${ID}` });
  expect(JSON.parse(threat)).toMatchObject({ id: `threat ${ID}`, stream_position: null });
  expect(threat).toContain('1.0');

  const related = await each.api.single({ path: '/v1/assets', id: ID, below: '/related' });
  expect(JSON.parse(related)).toEqual(expect.anything());
});

test('a single read of an unknown id fails with the status that the API returned', async () => {
  await using each = await scene();
  const error = await rejection(each.api.single({ path: '/v1/threats', id: 'nobody' }));
  expect(error).toBeInstanceOf(ApiRefusedError);
  expect((error as ApiRefusedError).status).toBe(404);
});

test.each(['', '.', '..', '\ud800'])('a single read refuses an id that a path cannot contain (%j)', async id => {
  await using each = await scene();
  expect(await rejection(each.api.single({ path: '/v1/assets', id }))).toBeInstanceOf(RangeError);
  expect(each.simulator.requests.size).toBe(0);
});
