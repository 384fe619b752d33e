/** Prints docs/cli.md as the commands make it; `--write` keeps it. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../../lib/synth.ts';
import { removeCompileCache } from '../support/compile-cache.ts';
import { PAGES } from '../transcripts/pages.ts';
import { operationsPage } from './operations-page.ts';
import { type Recording, record } from './record.ts';

const recordings: Recording[] = [];
try {
  for (const page of PAGES) recordings.push(await record(page));
} finally {
  removeCompileCache();
}
const text = operationsPage(recordings);
if (process.argv.includes('--write')) await writeFile(path.join(PROJECT_ROOT, 'docs', 'operations.md'), text);
else process.stdout.write(text);
