import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { App, type AppProps, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import type { ConnectorConfig } from '../../lib/connector-options.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import type { TemplateOutput } from '../../local/deployment/template.ts';

export const PROJECT_ROOT = path.join(import.meta.dirname, '..', '..');

/** The feature flags that a deployment has too; nothing is bundled, which is what takes the time. */
export const CONTEXT: Record<string, unknown> = {
  ...JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'cdk.json'), 'utf8')).context,
  'aws:cdk:bundling-stacks': [],
};

export const EXAMPLE = {
  name: 'acme',
  baseUrl: 'https://api.acme.example',
  authUrl: 'https://auth.acme.example/realms/acme',
};

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface SynthesizedTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, TemplateOutput>>;
}

/** The CDK would leave a folder in the system's for each app. Here each process has one, which a later process removes. */
const OUTDIRS = path.join(PROJECT_ROOT, 'node_modules', '.cache', 'synth');
const OUTDIR = path.join(OUTDIRS, String(process.pid));

mkdirSync(OUTDIRS, { recursive: true });
for (const pid of readdirSync(OUTDIRS)) {
  if (!isRunning(Number(pid))) rmSync(path.join(OUTDIRS, pid), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** An app with the feature flags of a deployment. Validating a template takes four times as long as making it, so one test does it for all. */
export function createApp(options: AppProps = {}): App {
  const app = { context: CONTEXT, analyticsReporting: false, outdir: OUTDIR, builtinCloudFormationValidation: false };
  return new App({ ...app, ...options });
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

export function templateOf(stack: Stack): SynthesizedTemplate {
  return Template.fromStack(stack).toJSON() as SynthesizedTemplate;
}

function synthesizeAnew(options: Readonly<Record<string, unknown>>): SynthesizedTemplate {
  return templateOf(new ConnectorStack(createApp(), configured(options)));
}

export function resources(template: SynthesizedTemplate, type: string): Resource[] {
  return Object.values(template.Resources).filter(resource => resource.Type === type);
}

/** The properties of the only resource of its type. */
export function only(template: SynthesizedTemplate, type: string): Readonly<Record<string, unknown>> {
  const found = resources(template, type);
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type}`);
  return found[0]!.Properties;
}
