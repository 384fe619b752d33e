/** `confirm`, against the function that runs here. */
import { expect, test } from '@jest/globals';
import { becomeAnotherClient } from '../support/another-client.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { cells } from '../support/words.ts';

async function sent(): Promise<Deployment> {
  const each = await deployment();
  each.connector.simulator.put('assets', { id: 'a' });
  each.connector.simulator.put('threats', { id: 't', asset_id: 'a' });
  await each.run();
  return each;
}

/** Another client, and the rows of another organization. */
function becomeAnother(each: Deployment): void {
  becomeAnotherClient(each);
  const { simulator } = each.connector;
  simulator.put('assets', { id: 'a', name: 'foreign' });
  simulator.put('threats', { id: 't', asset_id: 'a', title: 'foreign' });
}

const ORGANIZATION = ['confirm', 'organization'];

test.each([
  ['organization', 'no run has saved an organization yet'],
  ['withdrawals', 'no withdrawal was stopped'],
])('confirm %s says before the first run that nothing waits, because %s', async (subject, reason) => {
  await using each = await deployment();
  const { status, document } = await each.json(['confirm', subject, '--yes']);
  expect([status, document, each.invocations]).toEqual([0, { confirmed: null }, []]);
  const { stdout } = await each.ctl(['confirm', subject]);
  expect(stdout).toContain(`Nothing waits for a confirmation: ${reason}`);
});

test('confirm organization shows what has changed and asks for a confirmation', async () => {
  await using each = await sent();
  becomeAnother(each);
  const { status, stderr } = await each.ctl(ORGANIZATION);
  expect([status, each.invocations]).toEqual([2, []]);
  expect(cells(stderr, 'client')).toEqual(['client', 'changed', 'other-client']);
  expect(cells(stderr, 'base URL')).toEqual(['base URL', 'same', each.connector.environment['API_BASE_URL']]);
  expect(stderr).toContain('Streams of which events were sent: assets, threats. Items in the state table: about ');
  expect(stderr).toContain('the SIEM gets the rows of the other organization under the same name, acme.');
});

test('confirm organization sends the digest of the organization that it has shown', async () => {
  await using each = await sent();
  becomeAnother(each);
  // The token of the client before expires.
  each.connector.clock.advance(300_000);
  const { stderr } = await each.ctl(['run']);
  expect(stderr).toMatch(/OrganizationChangedError.*npm run connectorctl -- confirm organization/s);

  const { status, document } = await each.json([...ORGANIZATION, '--yes']);
  const digest = expect.stringMatching(/^[0-9a-f]{16}(-[0-9a-f]{16}){2}$/);
  expect(status).toBe(0);
  expect(document.confirmed.organization).toMatchObject({ digest, changed: ['client'] });
  expect(each.invocations.at(-1)).toEqual({ confirmOrganization: digest });
  expect((await each.ctl(ORGANIZATION)).stdout).toMatch(/^Nothing waits/);
});

const WITHDRAWALS = ['confirm', 'withdrawals'];

/** Two thirds of 30 assets are excluded by a changed filter. Half of them may be withdrawn, so five wait. */
async function stopped(): Promise<Deployment> {
  const each = await deployment();
  for (let at = 0; at < 30; at++) each.connector.simulator.put('assets', { id: `a${at}`, kept: at < 10 });
  await each.run();
  each.connector.deploy({ FILTERS: JSON.stringify({ assets: 'kept' }) });
  await each.run();
  return each;
}

const withdrawn = async (each: Deployment) =>
  (await each.connector.lines()).filter(line => line.includes('"kind":"withdrawn"')).length;

test('confirm withdrawals shows the counts of each stream before it asks', async () => {
  await using each = await stopped();
  const { status, stderr } = await each.ctl(WITHDRAWALS);
  expect([status, each.invocations, await withdrawn(each)]).toEqual([2, [], 15]);
  expect(cells(stderr, 'assets')).toEqual(['assets', '30', '15', '5', '0', 'the filter excludes them']);
  expect((await each.ctl(['status'])).stdout).toContain(
    'Withdrawals wait: 5 assets, because the filter excludes them. 15 were withdrawn before.',
  );

  const { document } = await each.json([...WITHDRAWALS, '--yes']);
  const digest = expect.stringMatching(/^[0-9a-f]{32}$/);
  const waiting = { assets: { reason: 'filtered', own: 5, children: 0 } };
  expect(document.confirmed.withdrawals).toEqual({ digest, waiting });
  expect([each.invocations, await withdrawn(each)]).toEqual([[{ confirmWithdrawals: digest }], 20]);
  expect((await each.ctl(WITHDRAWALS)).stdout).toMatch(/^Nothing waits/);
});
