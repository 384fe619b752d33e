import { parentPort, workerData } from 'node:worker_threads';
import { App } from 'aws-cdk-lib';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';

const [config] = readConnectors([
  {
    name: 'acme',
    baseUrl: 'https://api.acme.example',
    authUrl: 'https://auth.acme.example/realms/acme',
    dnsBlocksPath: '/v1/dns-blocks',
    alarmEmail: 'on-call@acme.example',
    runbookUrl: 'https://docs.acme.example/runbook.md',
  },
]);

const app = new App({
  context: { ...featureFlags, 'aws:cdk:bundling-stacks': [] },
  analyticsReporting: false,
  outdir: workerData,
  // The template is not validated, because validation takes longer than synthesis, and nothing is
  // deployed.
  builtinCloudFormationValidation: false,
});
const { stackName } = new ConnectorStack(app, config!);
parentPort!.postMessage(app.synth().getStackByName(stackName).template);
