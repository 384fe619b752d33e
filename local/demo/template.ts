import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import type { Template } from '../deployment/template.ts';

const PROJECT_ROOT = path.join(import.meta.dirname, '..', '..');

/** The stack that `cdk deploy` would deploy for one entry of the configuration. */
export interface SynthesizedStack {
  readonly connector: string;
  readonly stackName: string;
  readonly template: Template;
}

/** Synthesizes with the feature flags of a deployment, and without the function's bundle. @throws ConfigurationError */
export async function synthesizeStack(configuration: Readonly<Record<string, unknown>>): Promise<SynthesizedStack> {
  const config = readConnectors([configuration])[0]!;
  const { context } = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'cdk.json'), 'utf8'));
  const outdir = await mkdtemp(path.join(tmpdir(), 'demo-synth-'));
  try {
    const app = new App({
      context: { ...context, 'aws:cdk:bundling-stacks': [] },
      analyticsReporting: false,
      outdir,
    });
    const { stackName } = new ConnectorStack(app, config);
    return { connector: config.name, stackName, template: app.synth().getStackByName(stackName).template };
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}
