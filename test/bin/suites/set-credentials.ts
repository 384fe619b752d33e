import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { list, problem } from '../../../local/incidents/tampered-api.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { DENIED } from '../support/refusals.ts';

const PLACE = 'Credentials of connector acme in account 000000000000, region us-east-1.';

/** A stack with rows, whose secret lacks the credentials. */
async function unset(): Promise<Deployment> {
  const each = await deployment({ clientSecret: 'canary "secret" ü' });
  each.connector.platform.populate({ assets: 3, threats: 1, dnsBlocks: 1 });
  each.connector.aws.secret.put('a placeholder');
  return each;
}

const given = ({ connector: { platform } }: Deployment) => ({
  CLIENT_ID: platform.account.clientId,
  CLIENT_SECRET: platform.account.clientSecret,
});

const puts = (each: Deployment) => each.asked().filter(({ action }) => action === 'PutSecretValue').length;

describe('set-credentials', () => {
  test('stores the credentials of the environment, names the connector and the client, and never shows the secret', async () => {
    await using each = await unset();
    const { status, stdout, stderr } = await each.ctl(['set-credentials'], given(each));
    const { CLIENT_ID: id } = given(each);
    expect([status, stderr]).toEqual([0, `${PLACE}\nTrying the client ${id}.\n`]);
    expect(stdout).toContain(
      `The secret ${each.connector.aws.secret.arn} has the credentials of the client ${id}. The API accepts them.`,
    );
    expect(stdout).not.toContain('canary');
    expect(await each.connector.run()).toMatchObject({ streams: { assets: { forwarded: 3 } } });
  });

  test('reads them from a pipe', async () => {
    await using each = await unset();
    const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = given(each);
    const input = `${JSON.stringify({ client_id, client_secret })}\n`;
    const { status, document } = await each.json(['set-credentials'], {}, input);
    expect([status, document]).toMatchObject([0, { clientId: client_id, accepted: true }]);
    expect(await each.connector.run()).toMatchObject({ streams: { assets: { forwarded: 3 } } });
  });

  test('says which connector, account and region it is about before it asks', async () => {
    await using each = await unset();
    const { stdin, stderr, ended } = each.ask(['set-credentials']);
    const before = await said(stderr, 'Client id: ');
    expect(before.startsWith(PLACE)).toBe(true);
    stdin.write(`${given(each).CLIENT_ID}\r`);
    await said(stderr, 'Client secret (not shown): ');
    stdin.write(`${given(each).CLIENT_SECRET}\r`);
    const { status, stdout, stderr: all } = await ended;
    expect([status, puts(each)]).toEqual([0, 1]);
    expect(stdout + all).not.toContain('canary');
  });

  test.each<[string, (each: Deployment) => unknown, string]>([
    [
      'the token endpoint refuses them',
      each => each.connector.platform.account.rotateSecret(),
      'The token endpoint refused the client credentials (401',
    ],
    [
      'no row of a stream can be read',
      each => each.connector.platform.account.roles.delete('threats:read'),
      'The API answered 403 auth/insufficient-role for /v1/threats.',
    ],
  ])('does not store credentials when %s, unless --yes is given', async (_, change, words) => {
    await using each = await unset();
    const credentials = given(each);
    await change(each);
    const refused = await each.ctl(['set-credentials'], credentials);
    expect([refused.status, refused.stdout, puts(each)]).toEqual([2, '', 0]);
    expect(refused.stderr).toContain(words);
    expect(refused.stderr).toContain('The secret is unchanged. --yes stores the credentials all the same.');
    const stored = await each.ctl(['set-credentials', '--yes'], credentials);
    expect([stored.status, puts(each)]).toEqual([0, 1]);
    expect(stored.stderr).toContain(words);
    expect(stored.stdout).not.toContain('accepts');
    expect(refused.stderr + stored.stdout + stored.stderr).not.toContain('canary');
  });

  test('does not store credentials that the saved cursor is refused to, and names the command for another organization', async () => {
    await using each = await deployment({ endOfStream: 'empty-page-null' });
    each.connector.platform.populate({ assets: 3, threats: 1, dnsBlocks: 1 });
    await each.run();
    const cursors: (string | null)[] = [];
    each.connector.api.tamper(request => {
      const cursor = new URL(request.target, 'http://api').searchParams.get('cursor');
      if (request.target.startsWith('/v1/')) cursors.push(cursor);
      return cursor === null ? undefined : list('/v1/assets', problem(400, 'request/invalid-cursor'))(request);
    });
    const { status, stderr } = await each.ctl(['set-credentials'], given(each));
    expect([status, puts(each), cursors]).toEqual([2, 0, [expect.any(String)]]);
    expect(stderr).toContain('they belong to another organization than the rows that the SIEM has');
    expect(stderr).toContain('npm run connectorctl -- confirm-organization');
  });

  test('exits with 1 when the secret cannot be written, and names the permission', async () => {
    await using each = await unset();
    each.connector.aws.faults.always('secretsmanager', DENIED);
    const { status, stdout, stderr } = await each.ctl(['set-credentials'], given(each));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('could not be written: Access denied. (AccessDeniedException: No)');
    expect(stderr).toContain('secretsmanager:PutSecretValue');
    expect(stderr).not.toContain('canary');
  });

  test.each([
    ['', 'Set CLIENT_ID and CLIENT_SECRET, write {"client_id": "…", "client_secret": "…"} to stdin'],
    ['canary', 'The text on stdin is not JSON of the form {"client_id": "…", "client_secret": "…"}'],
    ['{"client_id": "canary"}', 'The text on stdin is not JSON of the form'],
  ])('writes nothing and quotes nothing when a pipe brings %j', async (input, words) => {
    await using each = await unset();
    const { status, stderr } = await each.ctl(['set-credentials'], { CLIENT_ID: 'x' }, input);
    expect([status, puts(each), stderr]).toEqual([2, 0, expect.stringContaining(words)]);
    expect(stderr).not.toContain('canary');
  });
});

/** Everything that is written until the words are. */
async function said(output: Readable, words: string): Promise<string> {
  let text = '';
  while (!text.includes(words)) text += String((await once(output, 'data'))[0]);
  return text;
}
