import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { LOCAL_NAMES } from '../../../local/aws/endpoints.ts';
import type { Fault } from '../../../local/platform/faults.ts';
import { echo, echoRaw } from '../../lambda/support/echo.ts';
import { type Act, httpHarness } from '../../lambda/support/http-harness.ts';
import { StateFolder, tableRow } from './start-process.ts';
import { SECRET, serveInstead, tenant } from './start-tenants.ts';

/** Every text that a run has left, log and delivered events included. */
async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const texts = files.map(async file => {
    const bytes = await readFile(file);
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  });
  return (await Promise.all(texts)).join('\n');
}

/** Ports on which a process listens, from Linux's tables of sockets. */
function listeningPorts(pid: number): number[] {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map(name => readlinkSync(`/proc/${pid}/fd/${name}`));
  const inodes = new Set(descriptors.map(link => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const sockets = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/));
  const listening = sockets.filter(columns => columns[3] === '0A' && inodes.has(columns[9]));
  return listening.map(columns => Number.parseInt(columns[1]!.split(':')[1]!, 16));
}

async function askForSecret(port: number): Promise<string> {
  const scope = 'local/20260101/us-east-1/secretsmanager/aws4_request';
  const signature = '0'.repeat(64);
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${signature}`;
  const headers = { authorization, 'x-amz-target': 'secretsmanager.GetSecretValue' };
  const body = JSON.stringify({ SecretId: LOCAL_NAMES.secret });
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).text();
}

describe('npm start on a real tenant', () => {
  test('refused credentials cost nothing: with the right secret the next run delivers everything, the one after nothing', async () => {
    await using api = await tenant();
    await using folder = await StateFolder.make();
    const refused = await folder.run(api.options, { secret: 'wrong' });
    const first = await folder.run(api.options, { secret: SECRET });
    const second = await folder.run(api.options, { secret: SECRET });

    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/assets, dns-blocks.*, threats.*: CredentialsError: The token endpoint refused/);
    expect(refused.stderr).toContain('CLIENT_SECRET');
    expect(refused.stderr).not.toMatch(/^\s+at /m);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(tableRow(first, 'all')).toMatchObject({ read: 60, forwarded: 60 });
    expect(second.status).toBe(0);
    expect(tableRow(second, 'all')).toMatchObject({ read: 60, forwarded: 0, suppressed: 60 });
    for (const text of [first.stdout, refused.stdout, refused.stderr, await everythingIn(folder.path)]) {
      expect(text).not.toContain('canary');
    }
  });

  test('another user of the machine cannot read the client secret from the local endpoints with a made-up signature', async () => {
    await using api = await tenant(100);
    await using folder = await StateFolder.make();
    let answers: Promise<string[]> = Promise.resolve([]);
    const onProgress = (child: ChildProcess) => {
      answers = Promise.all(listeningPorts(child.pid!).map(askForSecret));
      // The run ends at once, also where an endpoint does not answer.
      void answers.catch(() => undefined).then(() => child.kill('SIGINT'));
    };
    await folder.run([...api.options, '--page-limit', '1'], { secret: SECRET, onProgress });
    const texts = await answers;
    expect(texts).toHaveLength(4);
    expect(texts.join('\n')).toContain('UnrecognizedClientException');
    expect(texts.join('\n')).not.toContain('canary');
  });

  test('a refusal of the API fails only its stream, says what is safe, and the next run continues', async () => {
    await using api = await tenant();
    await using folder = await StateFolder.make();
    const status = (endpoint: Fault['endpoint'] & string, code: number, typeSuffix = 'x'): Fault => {
      return { kind: 'status', endpoint, status: code, typeSuffix };
    };
    const revoked = status('assets', 401, 'auth/revoked-account');
    api.platform.setFaults([revoked, status('threats', 403, 'auth/insufficient-role'), status('dns-blocks', 302)]);
    const refused = await folder.run(api.options, { secret: SECRET });
    api.platform.setFaults([status('assets', 200)]);
    const strange = await folder.run(api.options, { secret: SECRET });
    api.platform.setFaults([]);
    const repaired = await folder.run(api.options, { secret: SECRET });

    expect([refused.status, strange.status, repaired.status]).toEqual([1, 1, 0]);
    expect(refused.stderr).toContain('assets: AccountRevokedError: The API answered 401 auth/revoked-account');
    expect(refused.stderr).toContain('threats: RoleMissingError: The API answered 403 auth/insufficient-role');
    expect(refused.stderr).toContain('dns-blocks: ApiRefusedError: The API answered 302 for /v1/dns-blocks');
    expect(refused.stderr.match(/nothing is lost/g)).toHaveLength(3);
    expect(strange.stderr).toContain('assets: ContractError: The answer of /v1/assets does not fit the contract');
    expect(strange.stderr).toContain('members seen: "type", "title", "status"');
    expect(tableRow(refused, 'all')).toMatchObject({ read: 0, forwarded: 0 });
    expect(tableRow(strange, 'all')).toMatchObject({ read: 40, forwarded: 40 });
    expect(tableRow(repaired, 'all')).toMatchObject({ forwarded: 20, suppressed: 40 });
  });

  test('a body that is not JSON is a contract error, and none of it is shown', async () => {
    await using web = await serveInstead('<html>Welcome</html>');
    await using folder = await StateFolder.make();
    const options = ['--base-url', web.url, '--auth-url', web.url, '--client-id', 'c'];
    const { status, stderr } = await folder.run(options, { secret: SECRET });
    expect(status).toBe(1);
    expect(stderr).toContain('assets: ContractError: The answer of /v1/assets does not fit the contract: not JSON');
    expect(stderr).not.toContain('Welcome');
  });

  test.each<[string, Act]>([
    ['an answer', echo(404)],
    ['bytes that are no HTTP', echoRaw],
  ])(
    'an API that echoes the request in %s gets neither the token nor the secret to the terminal or into a file',
    async (_what, act) => {
      await using api = await tenant();
      await using web = await httpHarness(act);
      await using folder = await StateFolder.make();
      const options = [...api.options, '--base-url', web.url, '--verbose'];
      const onProgress = (child: { kill(signal: 'SIGINT'): boolean }) =>
        void web.arrived(1).then(() => child.kill('SIGINT'));
      const { status, stdout, stderr } = await folder.run(options, { secret: SECRET, onProgress });
      const texts = [stdout, stderr, await everythingIn(folder.path)].join('\n');
      const tokens = web.seen.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
      expect(status).not.toBe(0);
      expect(tokens.length).toBeGreaterThan(0);
      expect([SECRET, ...new Set(tokens)].filter(word => texts.includes(word))).toEqual([]);
    },
  );

  test('a host that does not exist is reported at once', async () => {
    await using folder = await StateFolder.make();
    const urls = ['--base-url', 'https://api.host.invalid', '--auth-url', 'https://login.host.invalid'];
    const { status, stderr } = await folder.run([...urls, '--client-id', 'c'], { secret: SECRET });
    expect(status).toBe(1);
    expect(stderr).toContain('UnknownHostError: This machine cannot resolve the host api.host.invalid.');
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('Ctrl-C finishes the current page with status 130, and the next run sends the rest once', async () => {
    await using api = await tenant(100);
    await using folder = await StateFolder.make();
    const slowly = [...api.options, '--page-limit', '1'];
    const onProgress = (child: { kill(signal: 'SIGINT'): boolean }) => void child.kill('SIGINT');
    const interrupted = await folder.run(slowly, { secret: SECRET, onProgress });
    const rest = await folder.run(api.options, { secret: SECRET });

    expect(interrupted.status).toBe(130);
    expect(interrupted.stderr).toContain('Nothing is lost');
    expect(rest.status).toBe(0);
    const events = await folder.delivered('acme');
    expect(events.length).toBe(60);
    expect(new Set(events.map(event => event.event_id)).size).toBe(60);
  });

  test('a folder filled from one tenant is refused to another, and to another client', async () => {
    await using api = await tenant();
    await using other = await tenant();
    await using folder = await StateFolder.make();
    await folder.run(api.options, { secret: SECRET });
    const refusals = await Promise.all([
      folder.run(other.options, { secret: SECRET }),
      folder.run([...api.options, '--client-id', 'else'], { secret: SECRET }),
      folder.run(['--name', 'acme']),
    ]);
    for (const refused of refusals) {
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain('"acme" has been filled');
    }
  });
});
