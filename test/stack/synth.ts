import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { threadId } from 'node:worker_threads';
import { App, type AppProps, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { readConnectors } from '../../lib/config/read-connectors.ts';
import type { ConnectorConfig } from '../../lib/config/schema.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import { ROOT } from '../documents/pages.ts';
import { EXAMPLE, type SynthesizedTemplate } from './template.ts';
import { VARIANT_NAMES, VARIANTS } from './variants.ts';

/**
 * The feature flags that a deployment has too; nothing is bundled, which is what takes the time.
 */
export const CONTEXT: Record<string, unknown> = {
  ...featureFlags,
  'aws:cdk:bundling-stacks': [],
};

/**
 * The CDK would leave a folder in the system's temporary folder for each app. Here each thread of a
 * process has one, because test files run in threads at the same time. A later process removes the
 * folders of processes that have ended.
 */
const OUTDIRS = path.join(ROOT, 'node_modules', '.cache', 'synth');
const OUTDIR = path.join(OUTDIRS, `${process.pid}-${threadId}`);

mkdirSync(OUTDIRS, { recursive: true });
for (const folder of readdirSync(OUTDIRS)) {
  if (!isRunning(Number.parseInt(folder, 10))) rmSync(path.join(OUTDIRS, folder), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * An app with the feature flags of a deployment. Stack traces of constructs take a sixth of the
 * time. Validating a template takes four times as long as making it, so a long test does it for all
 * variants.
 */
export function createApp(options: AppProps = {}): App {
  const unused = {
    analyticsReporting: false,
    treeMetadata: false,
    stackTraces: false,
    builtinCloudFormationValidation: false,
  };
  return new App({ context: CONTEXT, outdir: OUTDIR, ...unused, ...options });
}

const synthesized = new Map<string, SynthesizedTemplate>();

/** The template of one connector. Each configuration is synthesized once. */
export function synthesize(options: Readonly<Record<string, unknown>> = {}): SynthesizedTemplate {
  const key = JSON.stringify(options);
  const template = synthesized.get(key) ?? synthesizeAnew(options);
  synthesized.set(key, template);
  return template;
}

/** One entry of the configuration, with every default filled in. */
export function configured(options: Readonly<Record<string, unknown>>): ConnectorConfig {
  return readConnectors([{ ...EXAMPLE, ...options }])[0]!;
}

/** A stack for each variant, in one app. */
export function variantStacks(app: App): ConnectorStack[] {
  return VARIANT_NAMES.map(
    name => new ConnectorStack(app, configured({ ...VARIANTS[name], name: name.toLowerCase() })),
  );
}

export function templateOf(stack: Stack): SynthesizedTemplate {
  return Template.fromStack(stack).toJSON() as SynthesizedTemplate;
}

function synthesizeAnew(options: Readonly<Record<string, unknown>>): SynthesizedTemplate {
  return templateOf(new ConnectorStack(createApp(), configured(options)));
}
