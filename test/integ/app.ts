/** The CDK app of `npm run integ`: the platform, and once its URL is known, a connector on it. */
import { App } from 'aws-cdk-lib';
import { readConnectors } from '../../lib/config/read-connectors.ts';
import { ConnectorStack } from '../../lib/connector-stack.ts';
import { connectorOn, NAMES } from './names.ts';
import { PlatformStack } from './platform-stack.ts';

const app = new App();
new PlatformStack(app, NAMES.platform, String(app.node.tryGetContext('tenant') ?? '{}'));
const url: unknown = app.node.tryGetContext('platformUrl');
if (typeof url === 'string') for (const each of readConnectors([connectorOn(url)])) new ConnectorStack(app, each);
