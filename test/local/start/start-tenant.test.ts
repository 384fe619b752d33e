import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../../local/api-simulator/simulator.ts';
import { readRequest } from '../../../local/start/options.ts';
import { runConnector } from '../../../local/start/run.ts';
import { echo } from '../../support/function/echo.ts';
import { httpHarness } from '../../support/function/http-harness.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { check } from '../../support/promise.ts';
import { StateFolder } from './start-process.ts';

const SECRET = 'canary +%2F/: ü&= secret';

interface Tenant extends AsyncDisposable {
  readonly simulator: ApiSimulator;
  readonly options: readonly string[];
}

/** A tenant with an API simulator of 60 rows, and the options for it. */
async function tenant(latencyMs = 0): Promise<Tenant> {
  const simulator = createSimulator({ clock: Date.now, random: createRandom(1), clientSecret: SECRET, latencyMs });
  simulator.populate({ assets: 20, threats: 30, dnsBlocks: 10 });
  const server = await startSimulatorServer({ simulator });
  const urls = ['--base-url', server.baseUrl, '--auth-url', server.authUrl];
  const others = ['--client-id', simulator.account.clientId, '--dns-blocks-path', '/v1/dns-blocks', '--name', 'acme'];
  return { simulator, options: [...urls, ...others], [Symbol.asyncDispose]: () => server.close() };
}

/** Every text that a run left behind, including log and delivered events. */
async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const texts = files.map(async file => {
    const bytes = await readFile(file);
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  });
  return (await Promise.all(texts)).join('\n');
}

/**
 * Whether a process, or one that it has started, listens on a port, from Linux's tables of sockets.
 */
function isListening(pid: number): boolean {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map(name => readlinkSync(`/proc/${pid}/fd/${name}`));
  const inodes = new Set(descriptors.map(link => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const tables = ['tcp', 'tcp6'].map(name => readFileSync(`/proc/net/${name}`, 'utf8'));
  const sockets = tables.flatMap(table => table.split('\n')).map(line => line.trim().split(/\s+/));
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const listens = sockets.some(columns => columns[3] === '0A' && inodes.has(columns[9]));
  return listens || children.map(Number).some(isListening);
}

describe('npm start on a real tenant', () => {
  test('Ctrl-C ends a run with status 130 after its page, and the next run delivers the rest once', async () => {
    await using api = await tenant(100);
    await using folder = await StateFolder.make();
    const listening: boolean[] = [];
    const onProgress = (child: ChildProcess) => {
      listening.push(isListening(child.pid!));
      child.kill('SIGINT');
    };
    const interrupted = await folder.run([...api.options, '--page-limit', '1'], { secret: SECRET, onProgress });
    const rest = await folder.run(api.options, { secret: SECRET });

    expect(interrupted.status).toBe(130);
    expect(interrupted.stderr).toContain('Nothing is lost');
    // Otherwise somebody could ask for the secret.
    expect(listening).toEqual([false]);
    expect(rest).toMatchObject({ status: 0, stderr: '' });
    const truth = api.simulator.truth();
    expect(check({ lines: await folder.delivered('acme'), truth })).toEqual({ breaches: [], repeats: 0 });
    for (const text of [interrupted.stdout, rest.stdout, await everythingIn(folder.path)]) {
      expect(text).not.toContain('canary');
    }
  });

  test('the token and the secret reach neither terminal nor files when the API echoes requests', async () => {
    await using api = await tenant();
    await using web = await httpHarness(echo(404));
    await using folder = await StateFolder.make();
    const options = [...api.options, '--base-url', web.url, '--verbose'];
    const { status, stdout, stderr } = await folder.run(options, { secret: SECRET });
    const texts = [stdout, stderr, await everythingIn(folder.path)].join('\n');
    const tokens = web.seen.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
    expect(status).toBe(1);
    expect(tokens.length).toBeGreaterThan(0);
    expect([SECRET, ...new Set(tokens)].filter(word => texts.includes(word))).toEqual([]);
  });

  test('a run on a host that does not exist fails at once and does not leave a folder', async () => {
    await using folder = await temporaryFolder('start-');
    process.env['CLIENT_SECRET'] = SECRET;
    const urls = ['--base-url', 'https://api.host.invalid', '--auth-url', 'https://login.host.invalid'];
    const request = readRequest([...urls, '--client-id', 'c', '--state-folder', folder.path], {}, true);
    await expect(runConnector(request)).rejects.toMatchObject({
      name: 'UnknownHostError',
      message: expect.stringContaining('This machine cannot resolve the host api.host.invalid.'),
    });
    expect(await readdir(folder.path)).toEqual([]);
  });
});
