/** Prints docs/cli.md from the commands, or writes it with `--write`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../../docs/pages.ts';
import { cliPage } from './page.ts';
import { recordAll } from './record.ts';

const text = cliPage(await recordAll());
if (process.argv.includes('--write')) await writeFile(path.join(ROOT, 'docs', 'cli.md'), text);
else process.stdout.write(text);
