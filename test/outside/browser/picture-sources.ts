/** What the pictures of the documents show: the page, and the template's alarms and dashboard. */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

export const PICTURES_FOLDER = path.join(ROOT, 'docs', 'images');
export const HASH_FILE = path.join(PICTURES_FOLDER, 'sources.sha256');
export const PICTURES = ['healthy.png', 'incident.png', 'repaired.png', 'dashboard.png'] as const;

const SOURCES = [
  'local/demo/page/*',
  'local/demo/buttons.ts',
  'lib/alarms/alarms.ts',
  'lib/dashboard.ts',
  'lambda/streams.ts',
];

/** Changes with every file that the pictures show something of. */
export async function sourcesHash(): Promise<string> {
  const files = SOURCES.flatMap(pattern => globSync(pattern, { cwd: ROOT })).map(file =>
    file.split(path.sep).join('/'),
  );
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(await readFile(path.join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
}
