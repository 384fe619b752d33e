/** Prints a line of each kind from a real run; `--write` keeps each in its place in docs/events.md. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { argumentsOrExit } from '../../local/npm-command.ts';
import { exampleLines, withExamples } from './event-examples.ts';
import { ROOT } from './pages.ts';

const { flags } = argumentsOrExit<{ write: boolean }>(() =>
  new Command('npm run examples --')
    .description('Prints a line of each kind from a real run.')
    .option('--write', 'keep each one in its place in docs/events.md', false),
);
const examples = await exampleLines();
for (const line of examples.values()) console.log(line);
if (flags.write) {
  const page = path.join(ROOT, 'docs', 'events.md');
  await writeFile(page, withExamples(await readFile(page, 'utf8'), examples));
}
