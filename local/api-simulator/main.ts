import { onInterruption } from '../interruption.ts';
import { readCommandLine } from './command-line.ts';
import { startControlServer } from './control.ts';
import { createPlatform } from './platform.ts';
import { createRandom, mixSeed } from './random.ts';
import { startPlatformServer } from './server.ts';
import { pathsIn } from './settings.ts';
import { startTraffic } from './traffic.ts';

try {
  await run();
} catch (error) {
  console.error(`Nothing was started: ${(error as Error).message}`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const { settings, seed, port, controlPort, traffic, ...counts } = readCommandLine();
  const platform = createPlatform({
    ...settings,
    clock: Date.now,
    random: createRandom(mixSeed(seed, 1)),
    seed,
    onError: error => console.error(error),
  });
  platform.populate(counts);
  const server = await startPlatformServer({ platform, port });
  const pace = startTraffic(platform, createRandom(mixSeed(seed, 2)), 0);
  const control =
    controlPort === undefined ? undefined : await startControlServer({ platform, port: controlPort, pace });
  const { clientId, clientSecret } = platform.account;
  const { baseUrl, authUrl } = server;
  const controlUrl = control?.controlUrl;
  console.log(JSON.stringify({ baseUrl, authUrl, clientId, clientSecret, ...pathsIn(platform.settings), controlUrl }));
  pace.setRate(traffic);
  const stop = async (): Promise<void> => {
    pace.setRate(0);
    await Promise.all([server.close(), control?.close()]);
  };
  onInterruption({ onFirst: () => void stop(), onFurther: () => process.exit(130) });
}
