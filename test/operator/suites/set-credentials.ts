import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { GetSecretValueCommand, type GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from '@jest/globals';
import { PLACEHOLDER } from '../../../lib/placeholder.ts';
import { problem, tamperList } from '../../../local/incidents/tampered-api.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import { DENIED, only } from '../support/refusals.ts';

const PLACE = 'Credentials of connector acme in account 000000000000, region us-east-1.';

/** A stack with rows, whose secret lacks the credentials. */
async function unset(): Promise<Deployment> {
  const each = await deployment({ clientSecret: 'canary "secret" ü' });
  each.connector.simulator.populate({ assets: 3, threats: 1, dnsBlocks: 1 });
  each.connector.aws.secret.put(JSON.stringify({ client_id: PLACEHOLDER, client_secret: 'generated' }));
  return each;
}

const given = ({ connector: { simulator } }: Deployment) => ({
  CLIENT_ID: simulator.account.clientId,
  CLIENT_SECRET: simulator.account.clientSecret,
});

/** The text of the secret. */
async function stored({ connector: { aws } }: Deployment): Promise<string | undefined> {
  const answer = await aws.clients.secrets.send(new GetSecretValueCommand({ SecretId: aws.secret.arn }));
  return (answer as GetSecretValueCommandOutput).SecretString;
}

const rotateSecret = ({ connector }: Deployment) => connector.simulator.account.rotateSecret();
const dropRole = ({ connector }: Deployment) => connector.simulator.account.roles.delete('threats:read');
const puts = (each: Deployment) => each.asked().filter(({ action }) => action === 'PutSecretValue').length;

describe('set-credentials', () => {
  test('set-credentials stores the credentials of the environment without showing the secret', async () => {
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

  test('set-credentials reads the credentials from a pipe', async () => {
    await using each = await unset();
    const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = given(each);
    const input = `${JSON.stringify({ client_id, client_secret })}\n`;
    const { status, document } = await each.json(['set-credentials'], {}, input);
    expect([status, document]).toMatchObject([0, { clientId: client_id, accepted: true }]);
    expect(JSON.parse((await stored(each))!)).toEqual({ client_id, client_secret });
  });

  test('set-credentials names its connector before it asks, and stores nothing when no secret is entered', async () => {
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

    const again = each.ask(['set-credentials'], { CLIENT_ID: 'x' });
    await said(again.stderr, 'Client secret (not shown): ');
    again.stdin.write('\r');
    const none = await again.ended;
    expect([none.status, puts(each)]).toEqual([2, 1]);
    expect(none.stderr).toContain('No credentials were given. The secret is unchanged.');
  });

  test.each([
    ['are refused', rotateSecret, 'The token endpoint refused the client credentials (401'],
    ['cannot read a stream', dropRole, 'The API answered 403 auth/insufficient-role for /v1/threats.'],
  ])('set-credentials does not store credentials that %s, unless --yes is given', async (_, change, words) => {
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

  test('set-credentials refuses a client of another organization and names the command for a confirmation', async () => {
    await using each = await deployment({ endOfStream: 'empty-page-null' });
    each.connector.simulator.populate({ assets: 3, threats: 1, dnsBlocks: 1 });
    await each.run();
    const cursors: (string | null)[] = [];
    each.connector.api.tamper(request => {
      const cursor = new URL(request.target, 'http://api').searchParams.get('cursor');
      if (request.target.startsWith('/v1/')) cursors.push(cursor);
      return cursor === null ? undefined : tamperList('/v1/assets', problem(400, 'request/invalid-cursor'))(request);
    });
    const { status, stderr } = await each.ctl(['set-credentials'], given(each));
    expect([status, puts(each), cursors]).toEqual([2, 0, [expect.any(String)]]);
    expect(stderr).toContain('they belong to another organization than the rows that the SIEM has');
    expect(stderr).toContain('npm run connectorctl -- confirm organization');
  });

  test.each([
    ['read', 'GetSecretValue'],
    ['written', 'PutSecretValue'],
  ])('set-credentials exits with 1 when the secret cannot be %s, because AWS denies %s', async (done, action) => {
    await using each = await unset();
    each.connector.aws.faults.always('secretsmanager', only(action, DENIED));
    const { status, stdout, stderr } = await each.ctl(['set-credentials'], given(each));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`could not be ${done}: Access denied. (AccessDeniedException: No)`);
    expect(stderr).not.toContain('canary');
    each.connector.aws.faults.always('secretsmanager', {});
    expect(await stored(each)).toContain(PLACEHOLDER);
  });

  test('set-credentials keeps every other member of the secret', async () => {
    await using each = await unset();
    const { CLIENT_ID: id, CLIENT_SECRET: secret } = given(each);
    each.connector.aws.secret.put('{"client_id":"old","big":12345678901234567890}');
    const { status, stdout } = await each.ctl(['set-credentials'], given(each));
    const written = `{"big":12345678901234567890,"client_id":${JSON.stringify(id)},"client_secret":${JSON.stringify(secret)}}`;
    expect([status, await stored(each)]).toEqual([0, written]);
    expect(stdout).toContain('Its other members are unchanged.');

    each.connector.aws.secret.put(undefined);
    expect((await each.ctl(['set-credentials'], given(each))).status).toBe(0);
    expect(JSON.parse((await stored(each))!)).toEqual({ client_id: id, client_secret: secret });
  });

  test('set-credentials asks for confirmation before it replaces a secret that is not a JSON object', async () => {
    await using each = await unset();
    each.connector.aws.secret.put('["canary"]');
    const refused = await each.ctl(['set-credentials'], given(each));
    expect([refused.status, refused.stdout, await stored(each)]).toEqual([2, '', '["canary"]']);
    expect(refused.stderr).toMatch(
      /is not a JSON object, .* AWSPREVIOUS\.\n.*Nothing was done\. Re-run with --yes\.\n$/,
    );
    const { stdin, ended } = each.ask(['set-credentials'], given(each));
    stdin.write('y\r');
    const { status, stderr } = await ended;
    expect([status, JSON.parse((await stored(each))!)]).toMatchObject([0, { client_id: given(each).CLIENT_ID }]);
    expect(refused.stderr + stderr).not.toContain('canary');
  });

  test.each([
    ['', 'Set CLIENT_ID and CLIENT_SECRET, write {"client_id": "…", "client_secret": "…"} to stdin'],
    ['canary', 'The text on stdin is not JSON of the form {"client_id": "…", "client_secret": "…"}'],
    ['{"client_id": "canary"}', 'The text on stdin is not JSON of the form'],
  ])('set-credentials neither writes nor quotes anything when the input from a pipe is %j', async (input, words) => {
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
