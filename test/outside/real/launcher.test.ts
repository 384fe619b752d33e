import { access, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { rejection } from '../../support/function/rejection.ts';
import { freePort, startPart } from '../../support/parts/start-part.ts';
import { PARTS } from './parts.ts';
import { FETCH } from './run/fetch-part.ts';
import type { Launch } from './run/launch.ts';
import { choose, readOptions, readyPart } from './run/launcher.ts';
import { SUITES } from './suites.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

describe('the test files of a run', () => {
  test('all exist, and include every file of the run', async () => {
    for (const { file } of SUITES) await access(join(ROOT, file));
    const found: string[] = [];
    for await (const file of glob('test/outside/real/**/*.real.ts', { cwd: ROOT })) found.push(file);
    expect(found.sort()).toEqual(
      SUITES.map(({ file }) => file)
        .filter(file => file.endsWith('.real.ts'))
        .sort(),
    );
  });

  test('are run when every part that they need is there, and skipped by name otherwise', () => {
    const { runnable, skipped } = choose(SUITES, new Set(['dynamodb', 'moto', 'trino']));
    expect(runnable.length + skipped.length).toBe(SUITES.length);
    expect(runnable.filter(({ needs }) => needs.includes('keycloak'))).toEqual([]);
    expect(skipped.map(({ lacks }) => lacks)).toEqual(skipped.map(() => ['keycloak']));
    expect(choose(SUITES, new Set()).runnable).toEqual([]);
  });
});

describe('a part', () => {
  const start = () => Promise.reject(new Error('started'));
  const program = { command: 'test:real', description: '', folder: 'real', parts: PARTS, fetch: FETCH, start };
  const args = ['--without', 'moto', '--without', 'keycloak'];
  const options = readOptions(program, args, { XDG_CACHE_HOME: '/cache' });

  test('that is left out, or whose tools the machine lacks, is skipped for that reason', async () => {
    expect(options).toMatchObject({ without: ['moto', 'keycloak'], cache: '/cache/security-data-connector/real' });
    expect(await readyPart(program, 'moto', options)).toEqual({ skipped: 'left out' });
  });

  test('is started in its own process group, and leaves no process when it is stopped', async () => {
    const port = await freePort();
    const started = await startPart(launch(PARENT, port));
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('from the child');
    await started.stop();
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  });

  test('that does not start is a failure, with the end of its output', async () => {
    const error = await rejection(startPart(launch(`console.error('no licence'); process.exit(3)`, await freePort())));
    expect(error.name).toBe('PartFailedError');
    expect(error.message).toContain('no licence');
  });
});

/** Serves in a child process, which would survive if only its parent were ended. */
const PARENT = `
const server = "require('http').createServer((_, out) => out.end('from the child')).listen(+process.env.PORT, '127.0.0.1')";
require('node:child_process').spawn(process.execPath, ['--eval', server]);
`;

function launch(script: string, port: number): Launch {
  const url = `http://127.0.0.1:${port}`;
  return {
    file: process.execPath,
    args: ['--eval', script],
    environment: { PORT: `${port}` },
    health: url,
    connection: { url },
  };
}
