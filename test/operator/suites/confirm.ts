/** `confirm`, against the function that runs here. */
import { expect, test } from '@jest/globals';
import { becomeAnotherClient } from '../support/another-client.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { cells } from '../support/words.ts';

const ORGANIZATION = ['confirm', 'organization'];

test.each([
  ['organization', 'no run has saved an organization yet'],
  ['withdrawals', 'no withdrawal was stopped'],
])('confirm %s says before the first run that nothing waits, because %s', async (subject, reason) => {
  await using each = await deployment();
  const { status, document } = await each.json(['confirm', subject, '--yes']);
  expect({ status, document }).toEqual({ status: 0, document: { confirmed: null } });
  const { stdout } = await each.ctl(['confirm', subject]);
  expect(stdout).toContain(`Nothing waits for a confirmation: ${reason}`);
  expect(each.invocations).toEqual([]);
});

test('confirm organization shows the changed values, and sends the digest of the organization that it showed', async () => {
  await using each = await deployment();
  each.connector.simulator.put('assets', { id: 'a' });
  await each.run();
  becomeAnotherClient(each);
  each.connector.simulator.put('assets', { id: 'a', name: 'foreign' });
  // The token of the client before expires.
  each.connector.clock.advance(300_000);
  const { stderr: refusal } = await each.ctl(['run']);
  expect(refusal).toMatch(/OrganizationChangedError.*npm run connectorctl -- confirm organization/s);

  const { status, stderr } = await each.ctl(ORGANIZATION);
  expect(status).toBe(2);
  expect(cells(stderr, 'client')).toEqual(['client', 'changed', 'other-client']);
  expect(cells(stderr, 'base URL')).toEqual(['base URL', 'same', each.connector.environment['API_BASE_URL']]);
  expect(stderr).toContain('Streams of which events were sent: assets. Items in the state table: ');

  const { document } = await each.json([...ORGANIZATION, '--yes']);
  const digest = expect.stringMatching(/^[0-9a-f]{16}(-[0-9a-f]{16}){2}$/);
  expect(document.confirmed.organization).toMatchObject({ digest, changed: ['client'] });
  expect(each.invocations).toEqual([{}, { confirmOrganization: digest }]);
  expect((await each.ctl(ORGANIZATION)).stdout).toMatch(/^Nothing waits/);
});

const WITHDRAWALS = ['confirm', 'withdrawals'];

const withdrawn = async (each: Deployment) =>
  (await each.connector.lines()).filter(line => line.includes('"kind":"withdrawn"')).length;

test('confirm withdrawals shows the counts of each stream before it asks', async () => {
  await using each = await deployment();
  for (let at = 0; at < 30; at++) each.connector.simulator.put('assets', { id: `a${at}`, kept: at < 10 });
  await each.run();
  // The filter excludes two thirds of the assets. Half of them may be withdrawn, so five wait.
  each.connector.deploy({ FILTERS: JSON.stringify({ assets: 'kept' }) });
  await each.run();
  const { status, stderr } = await each.ctl(WITHDRAWALS);
  expect(status).toBe(2);
  expect(await withdrawn(each)).toBe(15);
  expect(cells(stderr, 'assets')).toEqual(['assets', '30', '15', '5', '0', 'the filter excludes them']);

  const { document } = await each.json([...WITHDRAWALS, '--yes']);
  const digest = expect.stringMatching(/^[0-9a-f]{32}$/);
  const waiting = { assets: { reason: 'filtered', own: 5, children: 0 } };
  expect(document.confirmed.withdrawals).toEqual({ digest, waiting });
  expect(each.invocations).toEqual([{ confirmWithdrawals: digest }]);
  expect(await withdrawn(each)).toBe(20);
  expect((await each.ctl(WITHDRAWALS)).stdout).toMatch(/^Nothing waits/);
});
