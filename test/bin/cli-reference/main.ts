/** Prints docs/cli.md from the commands, or writes it with `--write`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../lib/synth.ts';
import { cliPage } from './page.ts';
import { PAGES } from './pages.ts';
import { type Recording, record } from './record.ts';

const recordings: Recording[] = [];
for (const page of PAGES) recordings.push(await record(page));
const text = cliPage(recordings);
if (process.argv.includes('--write')) await writeFile(path.join(PROJECT_ROOT, 'docs', 'cli.md'), text);
else process.stdout.write(text);
