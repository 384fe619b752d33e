import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

export const PICTURES_FOLDER = path.join(ROOT, 'docs', 'images');
export const HASH_FILE = path.join(PICTURES_FOLDER, 'sources.sha256');
export const PICTURES = ['removed', 'incident', 'dark', 'phone'] as const;

export type Picture = (typeof PICTURES)[number];

/** The page and its incidents. */
const SOURCES = ['local/demo/page/*', 'local/demo/incidents.ts'];

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
