/** The example platform-team as an app, with the addresses of the API on this machine. `npm run build` must have made the package. */
import { App, type Stack } from 'aws-cdk-lib';

// A computed path, because the package has types only after it is built.
const file = new URL('../../../examples/platform-team/lib/platform-team-stack.ts', import.meta.url).href;
const { PlatformTeamStack } = (await import(file)) as {
  PlatformTeamStack: new (scope: App, id: string, props: object) => Stack;
};

const app = new App();
const [baseUrl, authUrl] = ['baseUrl', 'authUrl'].map(name => app.node.getContext(name));
new PlatformTeamStack(app, 'PlatformTeamStack', { baseUrl, authUrl });
