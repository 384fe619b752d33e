import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { page, ROOT } from '../documents/pages.ts';

test('the command line loads no module of the CDK, because it loads slowly', async () => {
  const { metafile } = await build({
    entryPoints: ['bin/connectorctl.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const packages = Object.values(metafile.outputs).flatMap(output => output.imports.map(each => each.path));
  expect(packages).toContain('commander');
  expect(packages.filter(name => /^(aws-cdk-lib|constructs|cdk-nag)/.test(name))).toEqual([]);
});

test('the imports of the command line, including types, form no circle', () => {
  const imports = new Map(
    globSync('bin/**/*.ts', { cwd: ROOT }).map(file => {
      const named = [...page(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(match => match[1]!);
      return [file, named.map(name => path.join(path.dirname(file), name))];
    }),
  );
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (imports.get(from) ?? []).some(next => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  expect(imports.size).toBeGreaterThan(30);
  expect([...imports.keys()].filter(file => reaches(file, file))).toEqual([]);
});
