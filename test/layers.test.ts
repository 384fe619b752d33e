/** The layers that docs/architecture.md describes, held against what every file imports. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { page, section } from './documents/pages.ts';

const ROOT = path.join(import.meta.dirname, '..');

/**
 * Beginnings of the paths that the files of each folder may import, in addition to the folder
 * itself.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'lambda/core/': ['lambda/ports.ts', 'lambda/streams.ts', 'lambda/refresh-pace.ts'],
  'lambda/source/': ['lambda/core/', 'lambda/ports.ts', 'lambda/streams.ts', 'lambda/aws.ts'],
  'lambda/sink/': ['lambda/core/', 'lambda/ports.ts', 'lambda/aws.ts'],
  'lambda/store/': ['lambda/core/', 'lambda/ports.ts', 'lambda/streams.ts', 'lambda/aws.ts', 'lambda/lease-times.ts'],
  'lambda/': [],
  'lib/': [
    'lambda/streams.ts',
    'lambda/refresh-pace.ts',
    'lambda/options.ts',
    'lambda/addresses.ts',
    'lambda/exact-object.ts',
    'lambda/issue-text.ts',
    'lambda/proxy.ts',
    'lambda/system.ts',
    'lambda/metrics.ts',
    'package.json',
    'docs/event.schema.json',
  ],
  'bin/': ['lib/', 'lambda/'],
  'local/': ['lambda/', 'lib/', 'bin/terminal/', 'bin/machine-proxy.ts'],
  'packaging/': ['bin/', 'lib/', 'lambda/', 'local/npm-command.ts', 'package.json'],
  'bench/': ['lambda/', 'lib/', 'local/'],
};

/** The deepest of these folders that a file lies in. */
function layerOf(file: string): string {
  const found = Object.keys(ALLOWED).filter(folder => file.startsWith(folder));
  return found.sort((one, other) => other.length - one.length)[0]!;
}

/** What a file names after `from` or in `import()`, from the root; packages aside. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) =>
    path.posix.join(path.posix.dirname(file), target!),
  );
}

const FILES = globSync('{bin,lib,lambda,local,packaging,bench}/**/*.ts', { cwd: ROOT });

describe('the layers', () => {
  test('docs/architecture.md describes each folder of the layers', () => {
    const text = section(page('docs/architecture.md'), '## Layers');
    expect(Object.keys(ALLOWED).filter(folder => !text.includes(`- [${folder}](`))).toEqual([]);
    expect(FILES.length).toBeGreaterThan(250);
  });

  test('every import of a file is allowed for its layer', () => {
    const foreign = FILES.flatMap(file => {
      const layer = layerOf(file);
      return importsOf(file)
        .filter(target => ![layer, ...ALLOWED[layer]!].some(each => target.startsWith(each)))
        .map(target => `${file} imports ${target}`);
    });
    expect(foreign).toEqual([]);
  });
});

test('every test or hook uses the common time limit, because a busy machine exceeds shorter limits', () => {
  const files = globSync('test/**/*.{ts,mjs}', { cwd: ROOT });
  const limits = files.flatMap(file => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const found = text.matchAll(/^ *\}, *[\d_]{4,}\);$|\bjest\.setTimeout\(.*|\btestTimeout\b.*/gm);
    return [...found].map(([line]) => `${file}: ${line.trim()}`);
  });
  expect(limits.filter(each => !each.startsWith('test/layers.test.ts'))).toEqual([]);
});
