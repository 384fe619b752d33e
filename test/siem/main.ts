/** `npm run test:siem`: the files of `siem/` on the engines and validators that this machine can run. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { runJest } from '../real/run/jest.ts';
import { PART_NAMES, PARTS, type PartName, type Running, SUITES, VARIABLE } from './parts.ts';
import { type Ready, readyPart } from './ready.ts';

const { strict, cache, without, only } = options();
const ready = new Map<PartName, Ready>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

try {
  process.exitCode = await run();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await Promise.all([...ready.values()].map(each => ('started' in each ? each.started?.stop() : undefined)));
}

function options() {
  const command = new Command('test:siem')
    .description('Runs the files of siem/ on engines and validators of others, fetched and started here.')
    .argument('[files...]', 'only test files whose path contains one of these')
    .option('--without <part...>', `leave out ${PART_NAMES.join(', ')}, and the tests that need it`)
    .option('--strict', 'fail when a part cannot be had, instead of skipping its tests', false)
    .option('--cache <folder>', 'where fetched parts are kept', defaultCache())
    .parse();
  const { without = [], strict, cache } = command.opts<{ without?: string[]; strict: boolean; cache: string }>();
  return { strict, cache, without: new Set(without), only: command.args };
}

function defaultCache(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'security-data-connector', 'siem');
}

/** @returns the exit code */
async function run(): Promise<number> {
  const chosen = SUITES.filter(({ file }) => only.length === 0 || only.some(each => file.includes(each)));
  const needed = PART_NAMES.filter(name => chosen.some(({ needs }) => needs.includes(name)));
  const outcomes = await Promise.allSettled(needed.map(readyAndReport));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const parts: Running = Object.fromEntries(
    [...ready].flatMap(([name, each]) => ('part' in each ? [[name, each.part]] : [])),
  );
  const lacks = (needs: readonly PartName[]) => needs.filter(name => !(name in parts));
  const skipped = chosen.filter(({ needs }) => lacks(needs).length > 0);
  for (const { file, needs } of skipped) console.log(`SKIPPED ${file}: it needs ${lacks(needs).join(', ')}`);
  if (strict && skipped.length > 0) {
    console.error('--strict asks for every part.');
    return 1;
  }
  const files = chosen.filter(each => !skipped.includes(each)).map(({ file }) => `test/siem/${file}`);
  if (files.length === 0) {
    console.log('Nothing was tested.');
    return 0;
  }
  return runJest('test/siem/jest.config.mjs', files, { [VARIABLE]: JSON.stringify(parts) });
}

async function readyAndReport(name: PartName): Promise<void> {
  const { name: title, version } = PARTS[name];
  const outcome = without.has(name) ? { skipped: 'left out' } : await readyPart(name, cache);
  ready.set(name, outcome);
  console.log(
    'skipped' in outcome ? `SKIPPED ${title} ${version}: ${outcome.skipped}` : `${title} ${version}: ${outcome.how}`,
  );
}
