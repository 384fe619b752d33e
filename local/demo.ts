/** `npm run demo`: the whole stack on this machine, and a page that shows it. See `npm run demo -- --help`. */
import { access, constants, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { terminalText } from '../bin/terminal/terminal-text.ts';
import { startDemo } from './demo/demo.ts';
import { OPERATOR_FILE, operatorEnvironment, operatorLine, writeOperatorFile } from './demo/operator.ts';
import { startDemoServer } from './demo/server.ts';
import { onInterruption } from './interruption.ts';
import { argumentsOrExit, wholeNumber } from './npm-command.ts';

interface Flags {
  readonly port: number;
  readonly minute: number;
  readonly changes: number;
  readonly seed: number;
}

const { flags } = argumentsOrExit<Flags>(() =>
  new Command('npm run demo --')
    .description(
      'Runs the whole stack on this machine, from its synthesized template, and serves a page that shows it. Nothing is deployed or kept.',
    )
    .option('--port <n>', 'port of the page on 127.0.0.1; 0 = any free one', wholeNumber(0, 65_535), 0)
    .option('--minute <duration>', 'how long a minute of the schedule takes, such as 1s or 250ms', duration, 1_000)
    .option('--changes <n>', 'random changes of the data a minute, on average', wholeNumber(0, 1_000), 5)
    .option('--seed <n>', 'the same seed gives the same rows and changes', wholeNumber(0, 2 ** 31), 1),
);

// The state table is in memory and keeps small slices, each of which would keep a shared pool of eight kilobytes alive.
Buffer.poolSize = 0;
const { minute: minuteTakes, changes, seed, port } = flags;
const say = (line: string): void => console.log(line);
const folder = path.dirname(OPERATOR_FILE);
await mkdir(folder, { recursive: true, mode: 0o700 }).catch(cannotWrite);
await access(folder, constants.W_OK).catch(cannotWrite);
const server = await startDemoServer(port).catch(cannotListen);
await using demo = await startDemo({
  minuteTakes,
  changes,
  seed,
  say,
  runbookUrl: `${server.url}docs/runbook.md`,
  onFailure: stopAtFailure,
});
server.show(demo);
await writeOperatorFile(OPERATOR_FILE, operatorEnvironment(demo.stack.deployment, server.url));
say(`
Open    ${server.url}

In another terminal, in this folder:
        ${operatorLine('status')}
        ${operatorLine('doctor')}
        ${operatorLine('asset <id>')}

A minute of the schedule takes ${minuteTakes} ms. Press Ctrl-C to end.`);
await new Promise<void>(resolve => {
  onInterruption({ onFirst: resolve, onFurther: () => process.exit(130) });
});
await server.close();
await rm(OPERATOR_FILE, { force: true });

function cannotWrite({ code }: NodeJS.ErrnoException): never {
  const remedy = 'Start the demo in a folder that you can write to.';
  console.error(`Nothing was started: the folder ${folder} cannot be written (${code}). ${remedy}`);
  process.exit(2);
}

/** The incidents and alarms of the demo would otherwise look like those of AWS. */
function stopAtFailure(error: unknown): never {
  console.error(`The demo has stopped, because this machine cannot keep its files: ${terminalText(String(error))}`);
  console.error('Nothing of the demo is kept. If the disk is full, free some space, and start it again.');
  process.exit(1);
}

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
