import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from '@jest/globals';

const JSON_BODY = { 'content-type': 'application/json' };
const MAIN = 'local/api-simulator/main.ts';

const children: ChildProcess[] = [];

/** No process outlives its test, whatever the test finds. */
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(flags: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function output(child: ChildProcess): Promise<{ code: unknown; out: string; err: string }> {
  let out = '';
  let err = '';
  child.stdout!.on('data', chunk => (out += chunk));
  child.stderr!.on('data', chunk => (err += chunk));
  const [code] = await once(child, 'close');
  return { code, out, err };
}

describe('npm run api-simulator', () => {
  test('prints a line of JSON with addresses and credentials, serves requests, changes rows, and ends cleanly on SIGTERM', async () => {
    const child = start([
      '--assets',
      '30',
      '--threats',
      '5',
      '--control',
      '--life',
      '500',
      '--dns-blocks-path',
      '/v1/blocked',
    ]);
    const closed = once(child, 'close');
    const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
    const given = JSON.parse(line);
    expect(Object.keys(given)).toEqual([
      'baseUrl',
      'authUrl',
      'clientId',
      'clientSecret',
      'dnsBlocksPath',
      'controlUrl',
    ]);
    expect(given).toMatchObject({ authUrl: `${given.baseUrl}/realms/organization`, dnsBlocksPath: '/v1/blocked' });
    const size = async (): Promise<number> => {
      const truth = (await (await fetch(`${given.controlUrl}/truth`)).json()) as Record<string, object>;
      return Object.values(truth).reduce((sum, rows) => sum + Object.keys(rows).length, 0);
    };
    const before = await size();
    while ((await size()) === before);
    const pace = (rate: number) =>
      fetch(`${given.controlUrl}/life`, { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ rate }) });
    const truth = async (): Promise<string> => (await fetch(`${given.controlUrl}/truth`)).text();
    expect((await pace(0)).status).toBe(204);
    const still = await truth();
    expect(await truth()).toBe(still);
    expect((await pace(500)).status).toBe(204);
    while ((await truth()) === still);
    expect((await fetch(`${given.baseUrl}/v1/assets`)).status).toBe(401);
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  });

  test('--help explains every flag', async () => {
    const { code, out } = await output(start(['--help']));
    expect(code).toBe(0);
    for (const flag of ['--port', '--control-port', '--seed', '--life', '--retention', '--end-of-stream', '--role']) {
      expect(out).toContain(flag);
    }
  });

  test.each([
    [['--assets', '-1'], '--assets'],
    [['--short-pages', '2'], '--short-pages'],
    [['--end-of-stream', 'never'], '--end-of-stream'],
    [['--role', 'assets'], '--role'],
    [['--flood'], '--flood'],
    [['--rows-member', 'x', '--pagination-member', 'x'], 'must differ'],
  ])('%p: refused with the reason and exit 2, nothing started', async (flags, reason) => {
    const { code, out, err } = await output(start(flags));
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(reason);
  });
});
