/** Synthesizes in a separate thread, which frees the memory of the CDK when it ends. The CDK needs more than the rest of the demo. */
import { parentPort, workerData } from 'node:worker_threads';
import { App } from 'aws-cdk-lib';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import type { Template } from '../deployment/template.ts';

/** The stack that `cdk deploy` would deploy for one entry of the configuration. */
export interface SynthesizedStack {
  readonly connector: string;
  readonly stackName: string;
  readonly template: Template;
}

export interface SynthesisInput {
  /** One entry of the context `connectors`. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly outdir: string;
}

const { configuration, outdir } = workerData as SynthesisInput;
const config = readConnectors([configuration])[0]!;
// Validating the template takes longer than synthesizing it, and nothing is deployed.
const app = new App({
  context: { ...featureFlags, 'aws:cdk:bundling-stacks': [] },
  analyticsReporting: false,
  outdir,
  builtinCloudFormationValidation: false,
});
const { stackName } = new ConnectorStack(app, config);
const { template } = app.synth().getStackByName(stackName);
parentPort!.postMessage({ connector: config.name, stackName, template } satisfies SynthesizedStack);
