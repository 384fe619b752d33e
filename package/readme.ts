/**
 * While npm packs, the README of the package is in place of the clone's, whose links lead to files that the package lacks: npm takes README.md
 * of the root and no other. `prepack` runs it with `package`, `postpack` with `clone`. What an interrupted pack left is put right by the next.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const README = path.join(ROOT, 'README.md');
const KEPT = path.join(ROOT, 'node_modules', '.cache', 'README.md');

if (process.argv[2] === 'clone') {
  if (existsSync(KEPT)) renameSync(KEPT, README);
} else {
  mkdirSync(path.dirname(KEPT), { recursive: true });
  if (!existsSync(KEPT)) renameSync(README, KEPT);
  copyFileSync(path.join(import.meta.dirname, 'README.md'), README);
}
