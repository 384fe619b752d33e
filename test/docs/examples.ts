/** Prints a line of each kind from a real run; `--write` keeps each in its place in docs/events.md. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exampleLines, withExamples } from './event-examples.ts';
import { ROOT } from './pages.ts';

const examples = await exampleLines();
for (const line of examples.values()) console.log(line);
if (process.argv.includes('--write')) {
  const page = path.join(ROOT, 'docs', 'events.md');
  await writeFile(page, withExamples(await readFile(page, 'utf8'), examples));
}
