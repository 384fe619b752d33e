import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

test('the command line does not load any module of the CDK, because the CDK loads slowly', async () => {
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
