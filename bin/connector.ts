import { Annotations, App } from 'aws-cdk-lib';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { ConfigurationError } from '../lib/config/problem.ts';
import { connectorsIn } from '../lib/config/read-connectors.ts';
import { ConnectorStack } from '../lib/connector-stack.ts';
import { checkWithNag } from './nag.ts';
import { terminalText } from './terminal/terminal-text.ts';

try {
  // An invalid configuration must write nothing, so the app is not synthesized automatically.
  const app = new App({ autoSynth: false, context: featureFlags });
  // The configuration is validated before the first stack is created, so that an error does not
  // wait for bundling.
  const read = (name: string) => app.node.tryGetContext(name);
  const context = { connectors: read('connectors'), connectorsFile: read('connectorsFile') };
  // Paths in the configuration are relative to cdk.json. The CDK runs the app in the folder of
  // cdk.json.
  const connectors = connectorsIn(context, process.cwd());
  for (const connector of connectors) {
    const stack = new ConnectorStack(app, connector);
    // The domain `.example` is reserved, so no real API can have an address in it.
    if (new URL(connector.baseUrl).hostname.endsWith('.example')) {
      const warning = `Connector ${connector.name} is still the example: replace its entry in the context "connectors" of cdk.json with your own.`;
      Annotations.of(stack).addWarningV2('security-data-connector:example', warning);
    }
  }
  checkWithNag(app);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(terminalText(error.message));
  process.exitCode = 1;
}
