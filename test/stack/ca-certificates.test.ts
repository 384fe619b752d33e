import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import { assetWithCertificates } from '../../lib/function/ca-certificates.ts';
import { certificateAuthority } from '../support/certificate-authority.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';
import { CONTEXT, configured, createApp } from './synth.ts';

const FILES = ['ca-certificates.pem', 'index.mjs'];

/** What is deployed: the files of each asset that has certificates, and the certificates. */
function deployedFrom(outdir: string) {
  const assets = readdirSync(outdir).filter(name => existsSync(path.join(outdir, name, 'ca-certificates.pem')));
  return assets.map(name => {
    const asset = path.join(outdir, name);
    const files = readdirSync(asset).filter(file => !file.endsWith('.map'));
    return { files: files.sort(), certificates: readFileSync(path.join(asset, 'ca-certificates.pem'), 'utf8') };
  });
}

test('the bundle of the package is deployed with the certificates of its own connector', async () => {
  await using folder = await temporaryFolder('prebuilt-');
  const bundle = path.join(folder.path, 'function');
  mkdirSync(bundle);
  writeFileSync(path.join(bundle, 'index.mjs'), 'export {};');
  const outdir = path.join(folder.path, 'cdk.out');
  const stack = new Stack(new App({ outdir, analyticsReporting: false }), 'Stack');
  for (const certificates of ['one', 'two']) {
    const file = path.join(folder.path, `${certificates}.pem`);
    writeFileSync(file, certificates);
    const code = Code.fromAsset(bundle, assetWithCertificates(bundle, file));
    new LambdaFunction(stack, certificates, { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code });
  }
  const deployed = deployedFrom(outdir);
  expect(deployed).toHaveLength(2);
  for (const certificates of ['one', 'two']) expect(deployed).toContainEqual({ files: FILES, certificates });
});

test('the bundle of a clone is deployed with the certificates of its own connector', async () => {
  await using folder = await temporaryFolder('clone-');
  const outdir = path.join(folder.path, 'cdk.out');
  const app = createApp({ outdir, context: { ...CONTEXT, 'aws:cdk:bundling-stacks': ['**'] } });
  const texts = ['one', 'two'].map(name => {
    const caCertificates = path.join(folder.path, `${name}'s $HOME.pem`);
    const { certificate } = certificateAuthority(name);
    writeFileSync(caCertificates, certificate);
    new ConnectorStack(app, configured({ name, caCertificates }));
    return certificate;
  });
  const deployed = deployedFrom(outdir);
  expect(deployed).toHaveLength(2);
  for (const certificates of texts) expect(deployed).toContainEqual({ files: FILES, certificates });
});
