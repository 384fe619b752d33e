import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { GetSecretValueCommand, type GetSecretValueCommandOutput } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from '@jest/globals';
import { PLACEHOLDER } from '../../../lib/placeholder.ts';
import { answerProblem, tamperList } from '../../../local/incidents/tampered-api.ts';
import { type Deployment, populated } from '../support/deployment.ts';
import { DENIED, only } from '../support/refusals.ts';

const PLACE = 'Credentials of connector acme in account 000000000000, region us-east-1.';

/** A stack with rows, whose secret lacks the credentials. */
async function unset(): Promise<Deployment> {
  const each = await populated(undefined, { clientSecret: 'canary "secret" ü' });
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
    expect({ status, stderr }).toEqual({ status: 0, stderr: `${PLACE}\nTrying the client ${id}.\n` });
    expect(stdout).toContain(`has the credentials of the client ${id}. The API accepts them.`);
    expect(stdout).not.toContain('canary');
    expect(await each.connector.run()).toMatchObject({ streams: { assets: { forwarded: 3 } } });
  });

  test('set-credentials reads the credentials from a pipe', async () => {
    await using each = await unset();
    const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = given(each);
    const input = JSON.stringify({ client_id, client_secret });
    const { document } = await each.json(['set-credentials'], {}, input);
    expect(document).toMatchObject({ clientId: client_id, accepted: true });
    expect(JSON.parse((await stored(each))!)).toEqual({ client_id, client_secret });
  });

  test('set-credentials names its connector before it asks, and stores nothing when the secret is left empty', async () => {
    await using each = await unset();
    const { stdin, stderr, ended } = each.ask(['set-credentials']);
    expect(await said(stderr, 'Client id: ')).toMatch(`${PLACE}\n`);
    stdin.write(`${given(each).CLIENT_ID}\r`);
    await said(stderr, 'Client secret (not shown): ');
    stdin.write(`${given(each).CLIENT_SECRET}\r`);
    const { status, ...printed } = await ended;
    expect({ status, puts: puts(each) }).toEqual({ status: 0, puts: 1 });
    expect(JSON.stringify(printed)).not.toContain('canary');

    const again = each.ask(['set-credentials'], { CLIENT_ID: 'x' });
    await said(again.stderr, 'Client secret (not shown): ');
    again.stdin.write('\r');
    const unchanged = expect.stringContaining('No credentials were given. The secret is unchanged.');
    expect(await again.ended).toMatchObject({ status: 2, stderr: unchanged });
    expect(puts(each)).toBe(1);
  });

  test.each([
    ['are refused', rotateSecret, 'The token endpoint refused the client credentials (401'],
    ['cannot read a stream', dropRole, 'The API answered 403 auth/insufficient-role for /v1/threats.'],
  ])('set-credentials does not store credentials that %s, unless --yes is given', async (_, change, words) => {
    await using each = await unset();
    const credentials = given(each);
    await change(each);
    const refused = await each.ctl(['set-credentials'], credentials);
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(words) });
    expect(refused.stderr).toContain('The secret is unchanged. --yes stores the credentials all the same.');
    expect(puts(each)).toBe(0);

    const stored = await each.ctl(['set-credentials', '--yes'], credentials);
    expect(stored).toMatchObject({ status: 0, stderr: expect.stringContaining(words) });
    expect(stored.stdout).not.toContain('accepts');
    expect(puts(each)).toBe(1);
    expect(JSON.stringify([refused, stored])).not.toContain('canary');
  });

  test('set-credentials refuses a client of another organization and names the command for a confirmation', async () => {
    await using each = await populated(undefined, { endOfStream: 'empty-page-null' });
    await each.run();
    const cursors: (string | null)[] = [];
    each.connector.api.tamper(request => {
      const cursor = new URL(request.target, 'http://api').searchParams.get('cursor');
      if (request.target.startsWith('/v1/')) cursors.push(cursor);
      return cursor === null
        ? undefined
        : tamperList('/v1/assets', answerProblem(400, 'request/invalid-cursor'))(request);
    });
    const stderr = expect.stringMatching(/belong to another organization .*connectorctl -- confirm organization/s);
    expect(await each.ctl(['set-credentials'], given(each))).toMatchObject({ status: 2, stderr });
    expect(cursors).toEqual([expect.any(String)]);
    expect(puts(each)).toBe(0);
  });

  test.each([
    ['read', 'GetSecretValue'],
    ['written', 'PutSecretValue'],
  ])('set-credentials exits with 1 when the secret cannot be %s, because AWS denies %s', async (done, action) => {
    await using each = await unset();
    each.connector.aws.faults.always('secretsmanager', only(action, DENIED));
    const { status, stdout, stderr } = await each.ctl(['set-credentials'], given(each));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`could not be ${done}: Access denied. (AccessDeniedException: No)`);
    expect(stderr).not.toContain('canary');
    each.connector.aws.faults.clear('secretsmanager');
    expect(await stored(each)).toContain(PLACEHOLDER);
  });

  test('set-credentials keeps every other member of the secret', async () => {
    await using each = await unset();
    const { CLIENT_ID: id, CLIENT_SECRET: secret } = given(each);
    each.connector.aws.secret.put('{"client_id":"old","big":12345678901234567890}');
    const { stdout } = await each.ctl(['set-credentials'], given(each));
    expect(stdout).toContain('Its other members are unchanged.');
    expect(await stored(each)).toMatch('{"big":12345678901234567890,"client_id":');

    each.connector.aws.secret.put(undefined);
    await each.ctl(['set-credentials'], given(each));
    expect(JSON.parse((await stored(each))!)).toEqual({ client_id: id, client_secret: secret });
  });

  test('set-credentials asks for confirmation before it replaces a secret that is not a JSON object', async () => {
    await using each = await unset();
    each.connector.aws.secret.put('["canary"]');
    const refused = await each.ctl(['set-credentials'], given(each));
    const question = expect.stringMatching(/is not a JSON object, .* AWSPREVIOUS\.\n.*Re-run with --yes\.\n$/);
    expect(refused).toMatchObject({ status: 2, stdout: '', stderr: question });
    expect(await stored(each)).toBe('["canary"]');
    const { stdin, ended } = each.ask(['set-credentials'], given(each));
    stdin.write('y\r');
    expect(JSON.stringify([refused, await ended])).not.toContain('canary');
    expect(JSON.parse((await stored(each))!)).toMatchObject({ client_id: given(each).CLIENT_ID });
  });

  test.each([
    ['', 'Set CLIENT_ID and CLIENT_SECRET, write {"client_id": "…", "client_secret": "…"} to stdin'],
    ['canary', 'The text on stdin is not JSON of the form {"client_id": "…", "client_secret": "…"}'],
    ['{"client_id": "canary"}', 'The text on stdin is not JSON of the form'],
  ])('set-credentials neither writes nor quotes anything when the input from a pipe is %j', async (input, words) => {
    await using each = await unset();
    const { status, stderr } = await each.ctl(['set-credentials'], { CLIENT_ID: 'x' }, input);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) });
    expect(stderr).not.toContain('canary');
    expect(puts(each)).toBe(0);
  });
});

/** Everything that is written until the words are. */
async function said(output: Readable, words: string): Promise<string> {
  let text = '';
  while (!text.includes(words)) text += String((await once(output, 'data'))[0]);
  return text;
}
