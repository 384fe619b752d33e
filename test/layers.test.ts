/** The table of layers in docs/architecture.md, held against what every file imports. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { page, rows, section } from './documents/pages.ts';

const ROOT = path.join(import.meta.dirname, '..');

interface Layer {
  readonly folder: string;
  /** Beginnings of paths from the root. */
  readonly allowed: readonly string[];
}

const LAYERS: readonly Layer[] = rows(section(page('docs/architecture.md'), '## Layers')).map(cells => {
  const folder = /\((?:\.\.\/)?([^)]+)\)/.exec(cells[0]!)![1]!.replace(/\/?$/, '/');
  return { folder, allowed: [folder, ...[...cells[2]!.matchAll(/`([^`]+)`/g)].map(([, each]) => each!)] };
});

/** The deepest folder of the table that a file lies in. */
function layerOf(file: string): Layer {
  const found = LAYERS.filter(({ folder }) => file.startsWith(folder));
  return found.sort((one, other) => other.folder.length - one.folder.length)[0]!;
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
  test('the layers are all in the table', () => {
    expect(LAYERS.map(({ folder }) => folder)).toEqual([
      'lambda/core/',
      'lambda/source/',
      'lambda/sink/',
      'lambda/store/',
      'lambda/',
      'lib/',
      'bin/',
      'local/',
      'packaging/',
      'bench/',
      'test/',
    ]);
    expect(FILES.length).toBeGreaterThan(250);
  });

  test('import nothing that the table does not let them', () => {
    const foreign = FILES.flatMap(file => {
      const { allowed } = layerOf(file);
      return importsOf(file)
        .filter(target => !allowed.some(each => target.startsWith(each)))
        .map(target => `${file} imports ${target}`);
    });
    expect(foreign).toEqual([]);
  });
});

test('no test or hook has a time limit of its own, because a busy machine would exceed it', () => {
  const files = globSync('test/**/*.{ts,mjs}', { cwd: ROOT });
  const limits = files.flatMap(file => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const found = text.matchAll(/^ *\}, *[\d_]{4,}\);$|\bjest\.setTimeout\(.*|\btestTimeout\b.*/gm);
    return [...found].map(([line]) => `${file}: ${line.trim()}`);
  });
  expect(limits.filter(each => !each.startsWith('test/layers.test.ts'))).toEqual([]);
});
