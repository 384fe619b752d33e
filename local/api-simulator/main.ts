import { onInterruption } from '../interruption.ts';
import { type CommandLine, readCommandLine } from './command-line.ts';
import { startControlServer } from './control.ts';
import { createRandom, mixSeed } from './random.ts';
import { seedCountsIn } from './seed.ts';
import { type SimulatorServer, startSimulatorServer } from './server.ts';
import { type ApiSimulator, createSimulator } from './simulator.ts';
import { createTraffic } from './traffic.ts';

try {
  await run(readCommandLine());
} catch (error) {
  console.error(`Nothing was started: ${(error as Error).message}`);
  process.exitCode = 2;
}

async function run(options: CommandLine): Promise<void> {
  const { seed, port, control: hasControl, controlPort, life } = options;
  const random = createRandom(mixSeed(seed, 1));
  const simulator = createSimulator({ ...options, clock: Date.now, random, onError: error => console.error(error) });
  simulator.populate(seedCountsIn(options));
  const server = await startSimulatorServer({ simulator, port });
  const pace = createTraffic(simulator, createRandom(mixSeed(seed, 2)));
  const control =
    hasControl || controlPort !== undefined
      ? await startControlServer({ simulator, port: controlPort ?? 0, pace })
      : undefined;

  const { baseUrl, authUrl } = server;
  const { clientId, clientSecret } = simulator.account;
  const { dnsBlocksPath } = simulator.settings;
  const controlUrl = control?.controlUrl;
  // The first line on stdout is JSON, so that programs can read it.
  console.log(JSON.stringify({ baseUrl, authUrl, clientId, clientSecret, dnsBlocksPath, controlUrl }));
  console.error(nextSteps(simulator, server, controlUrl));

  pace.setRate(life);
  const stop = async (): Promise<void> => {
    pace.setRate(0);
    await Promise.all([server.close(), control?.close()]);
  };
  onInterruption({ onFirst: () => void stop(), onFurther: () => process.exit(130) });
}

/** Lists commands that can be pasted into another terminal. */
function nextSteps(
  { account, settings, tokenPath }: ApiSimulator,
  server: SimulatorServer,
  controlUrl?: string,
): string {
  const { baseUrl, authUrl } = server;
  const { clientId, clientSecret } = account;
  const secret = `CLIENT_SECRET='${clientSecret.replaceAll("'", "'\\''")}'`;
  const tenant = `--base-url ${baseUrl} --auth-url ${authUrl} --client-id ${clientId} --dns-blocks-path ${settings.dnsBlocksPath}`;
  const control = controlUrl
    ? `change it, for example rotate the secret (local/api-simulator/control.ts lists the calls):
  curl -X POST -H 'Content-Type: application/json' ${controlUrl}/credentials/rotate`
    : 'start it with --control to change rows, credentials and faults while it runs.';
  return `
The API simulator listens on ${baseUrl} until Ctrl-C. In another terminal you can
read it with the connector:
  ${secret} npm start -- ${tenant}
check it against the specification:
  ${secret} npm run contract -- ${tenant}
get a token, then a page:
  ${secret}; curl -u "${clientId}:$CLIENT_SECRET" -d grant_type=client_credentials ${baseUrl}${tokenPath}
  curl -H "Authorization: Bearer ACCESS_TOKEN" '${baseUrl}/v1/assets?limit=2'
${control}`;
}
