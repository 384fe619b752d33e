/** `npm run test:deploy`: the connector, deployed by the CDK onto an emulator of AWS and operated there. */
import { CommandError } from '../../support/parts/command.ts';
import { openAccount } from './account.ts';
import { fetchEmulator, lackingForEmulator, VERSION } from './emulator.ts';
import { readOptions } from './options.ts';
import { STORIES, type StoryName } from './stories.ts';
import { StepFailedError, startStory } from './story.ts';

const options = readOptions(process.argv.slice(2), process.env);
// Signals do not reach processes in other process groups. They, and every folder, end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const emulator = await available();
if ('skipped' in emulator) {
  console.log(`SKIPPED ministack ${VERSION}: ${emulator.skipped}. Nothing was deployed.`);
  if (options.strict) console.error('--strict asks for the emulator.');
  process.exitCode = options.strict ? 1 : 0;
} else {
  console.log(`ministack ${VERSION}: ${emulator.cached ? 'from the cache' : 'fetched'}`);
  const failed: StoryName[] = [];
  for (const name of options.stories) if (!(await played(name, emulator.folder))) failed.push(name);
  console.log(failed.length === 0 ? 'Every step succeeded.' : `Failed: ${failed.join(', ')}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

async function available() {
  const lack = await lackingForEmulator();
  if (lack) return { skipped: lack };
  return fetchEmulator(options.cache).catch((error: unknown) => {
    if (error instanceof CommandError) return { skipped: `could not be fetched: ${error.message}` };
    throw error;
  });
}

async function played(name: StoryName, installed: string): Promise<boolean> {
  console.log(`\n${name}: ${STORIES[name].about}\n   time emulator function`);
  const begun = performance.now();
  await using account = await openAccount(installed);
  try {
    await STORIES[name].play(account, startStory(account.emulator.pid, options.bounded));
    console.log(`  ${((performance.now() - begun) / 1000).toFixed(0)} s in all`);
    return true;
  } catch (error) {
    console.error(error instanceof StepFailedError ? error.message : error);
    const last = account.emulator.last.map(line => line.slice(0, 200));
    console.error(`The emulator wrote at last:\n  ${last.join('\n  ')}`);
    return false;
  }
}
