/** Prints docs/cli.md from the commands, or writes it with `--write`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { argumentsOrExit } from '../../../local/npm-command.ts';
import { ROOT } from '../../documents/pages.ts';

const { flags } = argumentsOrExit<{ write: boolean }>(() =>
  new Command('npm run cli-reference --')
    .description('Prints docs/cli.md from the commands.')
    .option('--write', 'write it', false),
);

// Loaded after the arguments were read, because it synthesizes a stack.
const { cliPage } = await import('./page.ts');
const { recordAll } = await import('./record.ts');
const text = cliPage(await recordAll());
if (flags.write) await writeFile(path.join(ROOT, 'docs', 'cli.md'), text);
else process.stdout.write(text);
