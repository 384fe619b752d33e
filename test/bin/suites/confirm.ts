/** `confirm`, against the function that runs here. */
import { expect, test } from '@jest/globals';
import { becomeAnotherClient } from '../support/another-client.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { cells } from '../support/words.ts';

async function sent(): Promise<Deployment> {
  const each = await deployment();
  each.connector.platform.put('assets', { id: 'a' });
  each.connector.platform.put('threats', { id: 't', asset_id: 'a' });
  await each.run();
  return each;
}

/** Another client, and the rows of another organization. */
function becomeAnother(each: Deployment): void {
  becomeAnotherClient(each);
  const { platform } = each.connector;
  platform.put('assets', { id: 'a', name: 'foreign' });
  platform.put('threats', { id: 't', asset_id: 'a', title: 'foreign' });
}

const ORGANIZATION = ['confirm', 'organization'];

test('confirm organization says that nothing waits, before the first run and while nothing has changed', async () => {
  await using each = await deployment();
  expect((await each.ctl(ORGANIZATION)).stdout).toContain('no run has saved an organization yet');
  await each.run();
  expect(await each.json([...ORGANIZATION, '--yes'])).toMatchObject({ status: 0, document: { confirmed: null } });
  expect(each.stack.invocations).toEqual([]);
});

test('confirm organization shows which part has changed and what was sent, and asks before it confirms', async () => {
  await using each = await sent();
  becomeAnother(each);
  const { status, stderr } = await each.ctl(ORGANIZATION);
  expect([status, each.stack.invocations]).toEqual([2, []]);
  expect(cells(stderr, 'client')).toEqual(['client', 'changed', 'other-client']);
  expect(cells(stderr, 'base URL')).toEqual(['base URL', 'same', each.connector.environment['API_BASE_URL']]);
  expect(stderr).toContain('Streams of which events were sent: assets, threats. Items in the state table: about ');
  expect(stderr).toContain('the SIEM gets the rows of the other organization under the same name, acme.');
});

test('confirm organization sends the digest of what it shows, and the function refuses any other', async () => {
  await using each = await sent();
  becomeAnother(each);
  // The container still has a token of the client before.
  const refused = await each.ctl([...ORGANIZATION, '--yes']);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/OutdatedConfirmationError: .* again\./)]);
  expect(refused.stderr).toContain('Nothing was sent');

  each.connector.clock.advance(300_000);
  expect((await each.json(['run'])).stderr).toContain('OrganizationChangedError');
  const { status, document } = await each.json([...ORGANIZATION, '--yes']);
  const digest = expect.stringMatching(/^[0-9a-f]{16}(-[0-9a-f]{16}){2}$/);
  expect(status).toBe(0);
  expect(document.confirmed.organization).toMatchObject({ digest, changed: ['client'] });
  expect(each.stack.invocations.at(-1)).toEqual({ confirmOrganization: digest });
  expect((await each.ctl(ORGANIZATION)).stdout).toMatch(/^Nothing waits/);
});
