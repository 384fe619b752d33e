import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { HASH_FILE, PICTURES, PICTURES_FOLDER, sourcesHash } from './picture-sources.ts';

test('the pictures in docs/images are up to date with their sources (otherwise "npm run pictures")', async () => {
  expect(readFileSync(HASH_FILE, 'utf8').trim()).toBe(await sourcesHash());
});

test('each picture exists and is smaller than 200 kB', () => {
  const sizes = PICTURES.map(name => statSync(path.join(PICTURES_FOLDER, `${name}.webp`)).size);
  expect(sizes.filter(size => size === 0 || size >= 200_000)).toEqual([]);
});
