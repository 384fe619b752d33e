import { onInterruption } from '../interruption.ts';
import { readCommandLine } from './command-line.ts';
import { startControlServer } from './control.ts';
import { createRandom, mixSeed } from './random.ts';
import { startSimulatorServer } from './server.ts';
import { pathsIn } from './settings.ts';
import { createSimulator } from './simulator.ts';
import { startTraffic } from './traffic.ts';

try {
  await run();
} catch (error) {
  console.error(`Nothing was started: ${(error as Error).message}`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const { settings, seed, port, controlPort, traffic, ...counts } = readCommandLine();
  const simulator = createSimulator({
    ...settings,
    clock: Date.now,
    random: createRandom(mixSeed(seed, 1)),
    seed,
    onError: error => console.error(error),
  });
  simulator.populate(counts);
  const server = await startSimulatorServer({ simulator, port });
  const pace = startTraffic(simulator, createRandom(mixSeed(seed, 2)), 0);
  const control =
    controlPort === undefined ? undefined : await startControlServer({ simulator, port: controlPort, pace });
  const { clientId, clientSecret } = simulator.account;
  const { baseUrl, authUrl } = server;
  const controlUrl = control?.controlUrl;
  console.log(JSON.stringify({ baseUrl, authUrl, clientId, clientSecret, ...pathsIn(simulator.settings), controlUrl }));
  pace.setRate(traffic);
  const stop = async (): Promise<void> => {
    pace.setRate(0);
    await Promise.all([server.close(), control?.close()]);
  };
  onInterruption({ onFirst: () => void stop(), onFurther: () => process.exit(130) });
}
