/** Synthesizes in a thread of its own: with it ends what the CDK needs of memory, which is more than the rest of the demo. */
import { parentPort, workerData } from 'node:worker_threads';
import { App } from 'aws-cdk-lib';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import type { SynthesisOrder, SynthesizedStack } from './template.ts';

const { configuration, context, outdir } = workerData as SynthesisOrder;
const config = readConnectors([configuration])[0]!;
// Validating the template takes longer than synthesizing it, and nothing is deployed.
const app = new App({
  context: { ...context, 'aws:cdk:bundling-stacks': [] },
  analyticsReporting: false,
  outdir,
  builtinCloudFormationValidation: false,
});
const { stackName } = new ConnectorStack(app, config);
const { template } = app.synth().getStackByName(stackName);
parentPort!.postMessage({ connector: config.name, stackName, template } satisfies SynthesizedStack);
