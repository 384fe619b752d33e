import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

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
