import { readCommandLine } from './command-line.ts';
import { startControlServer } from './control-server.ts';
import { createDraw, mixSeed } from './draw.ts';
import { liveOnce } from './life.ts';
import { createPlatform, type Platform } from './platform.ts';
import { startPlatformServer } from './server.ts';

const TICK = 100;

try {
  await run();
} catch (error) {
  console.error(`platform: cannot start: ${(error as Error).message}`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const { settings, seed, port, controlPort, assets, threats, dnsBlocks, life, clockOffset } = readCommandLine(
    process.argv,
  );
  const platform = createPlatform({
    ...settings,
    clock: () => Date.now() + clockOffset,
    random: createDraw(mixSeed(seed, 1)),
    seed,
    onError: error => console.error(error),
  });
  platform.populate({ assets, threats, dnsBlocks });
  const server = await startPlatformServer({ platform, port });
  const control = controlPort === undefined ? undefined : await startControlServer({ platform, port: controlPort });
  const { clientId, clientSecret } = platform.account;
  const { baseUrl, authUrl } = server;
  const { dnsBlocksPath } = platform.settings;
  const controlUrl = control?.controlUrl;
  console.log(JSON.stringify({ baseUrl, authUrl, clientId, clientSecret, dnsBlocksPath, controlUrl }));
  const timer = startLife(platform, life, createDraw(mixSeed(seed, 2)));
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await Promise.all([server.close(), control?.close()]);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
}

/** Spreads `rate` changes over each second. */
function startLife(platform: Platform, rate: number, random: () => number): NodeJS.Timeout | undefined {
  if (rate <= 0) return undefined;
  let due = 0;
  return setInterval(() => {
    for (due += (rate * TICK) / 1000; due >= 1; due--) liveOnce(platform, random);
  }, TICK);
}
