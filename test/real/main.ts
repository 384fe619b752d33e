/** `npm run test:real`: the tests that need software of others, on whatever of it this machine can have. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PART_NAMES, PARTS, type PartName } from './parts.ts';
import { readOptions } from './run/options.ts';
import { type Ready, readyPart } from './run/ready-part.ts';
import { VARIABLE } from './running.ts';
import { runnable, type Suite } from './suites.ts';

const options = readOptions(process.argv, process.env);
const ready = new Map<PartName, Ready>();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The parts' process groups do not hear of it by themselves. At a second time nothing is waited for.
    if (interrupted) process.exit(130);
    interrupted = true;
    process.exitCode = 130;
    void stopAll().then(() => process.exit(130));
  });
}

try {
  // All are waited for, so that none is still on its way up when the rest is stopped.
  const outcomes = await Promise.allSettled(PART_NAMES.map(readyAndTell));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  if (!interrupted) process.exitCode = await test();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await stopAll();
}

async function readyAndTell(part: PartName): Promise<void> {
  const { name, version } = PARTS[part];
  const outcome = await readyPart(part, options).catch((cause: Error) => {
    throw new Error(`${name} ${version}: ${cause.message}`, { cause });
  });
  ready.set(part, outcome);
  console.log(`${name} ${version}: ${'skipped' in outcome ? `SKIPPED, ${outcome.skipped}` : outcome.how}`);
}

/** @returns the exit code */
async function test(): Promise<number> {
  const there = new Set([...ready].filter(([, each]) => !('skipped' in each)).map(([part]) => part));
  const { run, skip } = runnable(there);
  const chosen = run.filter(isChosen);
  for (const { file, needs } of skip.filter(isChosen)) {
    console.log(`SKIPPED: ${file}, which needs ${needs.filter(part => !there.has(part)).join(', ')}`);
  }
  if (options.strict && skip.length > 0) {
    console.error('Not every part is there, which --strict asks for.');
    return 1;
  }
  if (chosen.length > 0) return jest(chosen);
  console.log('Nothing was tested.');
  return 0;
}

function isChosen({ file }: Suite): boolean {
  return options.only.length === 0 || options.only.some(part => file.includes(part));
}

async function jest(suites: readonly Suite[]): Promise<number> {
  const told = Object.fromEntries([...ready].flatMap(([part, each]) => ('told' in each ? [[part, each.told]] : [])));
  const bin = createRequire(import.meta.url).resolve('jest/bin/jest.js');
  const args = [
    '--experimental-vm-modules',
    '--no-warnings',
    bin,
    '--config',
    join(import.meta.dirname, 'jest.config.mjs'),
  ];
  const child = spawn(process.execPath, [...args, '--runTestsByPath', ...suites.map(({ file }) => file)], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...process.env, [VARIABLE]: JSON.stringify(told) },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

async function stopAll(): Promise<void> {
  const started = [...ready.values()].flatMap(each => ('started' in each ? [each.started] : []));
  await Promise.all(started.map(part => part.stop()));
}
