/**
 * `npm run template` writes the connector as a CloudFormation template and the code of its
 * function, for users who deploy without the CDK.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { Command } from 'commander';
import { build } from 'esbuild';
import type { ConnectorConfig } from '../lib/config/schema.ts';
import { CERTIFICATES_FILE } from '../lib/function/ca-certificates.ts';
import { readArgumentsOrExit } from '../local/npm-command.ts';
import { FUNCTION_BUNDLE } from './function-bundle.ts';
import { readOptions, readTemplateConfig } from './template/options.ts';
import { TemplateStack } from './template/template-stack.ts';
import { zipFile } from './template/zip.ts';

export const TEMPLATE_FILE = 'security-data-connector.template.json';
export const FUNCTION_FILE = 'function.zip';

/** Largest template, in bytes, that CloudFormation accepts in a call instead of from a bucket. */
export const MOST_TEMPLATE_BYTES = 51_200;

/** Returns the template, without white space. */
export function templateText(config: ConnectorConfig): string {
  const outdir = mkdtempSync(path.join(tmpdir(), 'template-'));
  try {
    // The function comes from the bucket of the parameters, so nothing is bundled here.
    const context = {
      ...featureFlags,
      'aws:cdk:bundling-stacks': [],
      'aws:cdk:enable-path-metadata': false,
      'aws:cdk:enable-asset-metadata': false,
    };
    const app = new App({
      outdir,
      context,
      analyticsReporting: false,
      treeMetadata: false,
      builtinCloudFormationValidation: false,
    });
    const stack = new TemplateStack(app, 'security-data-connector', config);
    return JSON.stringify(app.synth().getStackArtifact(stack.artifactId).template);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/**
 * Returns the function as a zip file for Lambda, with the certificates that the function trusts.
 */
export async function functionZip({ caCertificates }: Pick<ConnectorConfig, 'caCertificates'> = {}): Promise<Buffer> {
  const { outputFiles } = await build({ ...FUNCTION_BUNDLE, write: false });
  const files = Object.fromEntries(outputFiles.map(file => [path.basename(file.path), file.contents]));
  return zipFile({ ...files, ...(caCertificates && { [CERTIFICATES_FILE]: readFileSync(caCertificates) }) });
}

interface Flags {
  readonly out: string;
  readonly options?: string;
}

async function main(): Promise<void> {
  const { flags } = readArgumentsOrExit<Flags>(() =>
    new Command('npm run template --')
      .description(
        'Writes the connector as a template of CloudFormation, and the code of its function. See docs/without-cdk.md.',
      )
      .requiredOption('--out <folder>', `where ${TEMPLATE_FILE} and ${FUNCTION_FILE} are written`)
      .option(
        '--options <file>',
        'JSON file with options that are not parameters, such as kmsKeyArn, vpc, destination and filters',
      ),
  );
  const config = readTemplateConfig(flags.options === undefined ? {} : readOptions(flags.options));
  const template = templateText(config);
  if (template.length > MOST_TEMPLATE_BYTES)
    console.warn(
      `The template has more than ${MOST_TEMPLATE_BYTES} bytes: upload it to a bucket, and give its --template-url.`,
    );

  mkdirSync(flags.out, { recursive: true });
  for (const [name, content] of Object.entries({
    [TEMPLATE_FILE]: template,
    [FUNCTION_FILE]: await functionZip(config),
  })) {
    const file = path.join(flags.out, name);
    writeFileSync(file, content);
    console.log(`${createHash('sha256').update(content).digest('hex')}  ${file}  ${content.length} bytes`);
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
