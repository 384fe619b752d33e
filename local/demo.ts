/**
 * `npm run demo` runs the connector and a cron script next to each other, and serves a page that
 * shows both. See `npm run demo -- --help`.
 */
import { Command, InvalidArgumentError } from 'commander';
import { Demo } from './demo/demo.ts';
import { startDemoServer } from './demo/server.ts';
import { demoTemplate } from './demo/template.ts';
import { onInterruption } from './interruption.ts';
import { readArgumentsOrExit, wholeNumberParser } from './npm-command.ts';

interface Flags {
  readonly port: number;
  readonly minute: number;
  readonly changes: number;
  readonly seed: number;
}

const { flags } = readArgumentsOrExit<Flags>(() =>
  new Command('npm run demo --')
    .description(
      'Runs the connector, and a cron script next to it, against a simulated API, and serves a page that shows both. Nothing is deployed or kept.',
    )
    .option('--port <n>', 'port of the page on 127.0.0.1; 0 means any free port', wholeNumberParser(0, 65_535), 0)
    .option('--minute <duration>', 'how long a minute of the schedule takes, such as 1s or 250ms', duration, 1_000)
    .option('--changes <n>', 'random changes of the data per minute', wholeNumberParser(0, 1_000), 5)
    .option('--seed <n>', 'the same seed gives the same rows and changes', wholeNumberParser(0, 2 ** 31), 1),
);
const { minute: minuteTakes, changes, seed, port } = flags;

// The state table is in memory and keeps small buffers. With a pool, each of them would keep a
// shared block of eight kilobytes alive.
Buffer.poolSize = 0;
let end = (): void => process.exit(130);
onInterruption({ onFirst: () => end(), onFurther: () => process.exit(130) });

const server = await startDemoServer(port).catch(cannotListen);
console.log('Synthesizing the stack …');
const template = await demoTemplate();
console.log('Running the first hour of the schedule …');
await using demo = await Demo.start({ template, minuteTakes, changes, seed });
server.show(demo);
console.log(`
Open    ${server.url}

A minute of the schedule takes ${minuteTakes} ms. Press Ctrl-C to end.`);
await new Promise<void>((resolve, reject) => {
  end = resolve;
  demo.run().then(resolve, reject);
});
await server.close();

function cannotListen({ code }: NodeJS.ErrnoException): never {
  const problem = code === 'EADDRINUSE' ? `port ${port} is in use` : `port ${port} cannot be opened (${code})`;
  console.error(`Nothing was started: ${problem}. Choose another one with --port, or none for any free one.`);
  process.exit(2);
}

function duration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (unit === 's' ? 1_000 : 1);
  if (milliseconds >= 10 && milliseconds <= 60_000) return milliseconds;
  throw new InvalidArgumentError('It must be from 10ms to 60s, such as 1s or 250ms.');
}
