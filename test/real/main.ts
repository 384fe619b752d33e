/** `npm run test:real`: the tests on third-party software, as far as this machine can run it. */
import { PART_NAMES, PARTS, type PartName } from './parts.ts';
import { jest } from './run/jest.ts';
import { readOptions } from './run/options.ts';
import { type Ready, readyPart } from './run/ready-part.ts';
import { synthesize } from './run/synthesize.ts';
import type { Running } from './running.ts';
import { choose, type Suite } from './suites.ts';

const options = readOptions(process.argv, process.env);
const ready = new Map<PartName, Ready>();
// Signals do not reach the process groups of parts and tests. They, and every folder, end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

try {
  // Waits for all, so that none is still starting when the others are stopped.
  const outcomes = await Promise.allSettled(PART_NAMES.map(readyAndTell));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  process.exitCode = await test();
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
  const connections = Object.fromEntries(
    [...ready].flatMap(([part, each]) => ('connection' in each ? [[part, each.connection]] : [])),
  );
  const { run, skip } = choose(new Set(Object.keys(connections)), options.only);
  for (const { file, lacks } of skip) console.log(`SKIPPED: ${file}, for want of ${lacks.join(', ')}`);
  if (options.strict && skip.length > 0) {
    console.error('--strict asks for every part.');
    return 1;
  }
  if (run.length > 0) return onBundle(run, connections);
  console.log('Nothing was tested.');
  return 0;
}

async function onBundle(suites: readonly Suite[], parts: Running): Promise<number> {
  const files = suites.map(({ file }) => file);
  if (!suites.some(({ bundle }) => bundle)) return jest(files, parts);
  await using bundle = await synthesize();
  return await jest(files, { ...parts, bundle });
}

async function stopAll(): Promise<void> {
  const started = [...ready.values()].flatMap(each => ('started' in each ? [each.started] : []));
  await Promise.all(started.map(part => part.stop()));
}
