import { Command } from 'commander';
import { createPlatform, type Platform } from '../local/platform/platform.ts';
import { createRandom } from '../local/platform/random.ts';
import { type PlatformServer, startPlatformServer } from '../local/platform/server.ts';
import { quantile } from './figure.ts';

/**
 * Whether the platform's last page takes as long as its first. Serves many assets over HTTP, walks them once, then requests
 * the first and the last page in turn.
 */
const LIMIT = 500;
const REPEATS = 60;

const { assets } = new Command('platform-pages')
  .option('--assets <n>', 'assets of the platform', Number, 1_000_000)
  .parse()
  .opts<{ assets: number }>();

const begun = performance.now();
const platform = createPlatform({ clock: Date.now, random: createRandom(1) });
platform.populate({ assets, threats: 0, dnsBlocks: 0 });
const server = await startPlatformServer({ platform });
const startSeconds = (performance.now() - begun) / 1000;
const startMegabytes = process.memoryUsage().rss / 1e6;
try {
  print(await measure(platform, server));
} finally {
  await server.close();
}

interface Figures {
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly first: number[];
  readonly last: number[];
}

async function measure(target: Platform, { baseUrl }: PlatformServer): Promise<Figures> {
  const headers = { authorization: await bearer(target, baseUrl) };
  const page = async (cursor: string | null): Promise<string | null> => {
    const query = new URLSearchParams({ limit: String(LIMIT), ...(cursor === null ? {} : { cursor }) });
    const response = await fetch(`${baseUrl}/v1/assets?${query}`, { headers });
    const body = (await response.json()) as { pagination: { next_cursor: string | null } };
    return body.pagination.next_cursor;
  };
  const walkBegun = performance.now();
  let pages = 0;
  let lastCursor: string | null = null;
  for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
    lastCursor = cursor;
    cursor = await page(cursor);
  }
  const pagesPerSecond = pages / ((performance.now() - walkBegun) / 1000);
  const [first, last]: [number[], number[]] = [[], []];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    first.push(await timed(() => page(null)));
    last.push(await timed(() => page(lastCursor)));
  }
  return { pages, pagesPerSecond, first, last };
}

async function bearer({ account, tokenPath }: Platform, baseUrl: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: account.clientId,
    client_secret: account.clientSecret,
  });
  const response = await fetch(baseUrl + tokenPath, { method: 'POST', body });
  return `Bearer ${((await response.json()) as { access_token: string }).access_token}`;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

function print({ pages, pagesPerSecond, first, last }: Figures): void {
  const [a, b] = [quantile(first, 0.5), quantile(last, 0.5)];
  console.log(
    `platform                ${assets} assets, started in ${startSeconds.toFixed(1)} s with ${startMegabytes.toFixed(0)} MB resident`,
  );
  console.log(
    `walk                    ${pages} pages of ${LIMIT}, ${pagesPerSecond.toFixed(0)} pages/s, ${(pagesPerSecond * LIMIT).toFixed(0)} rows/s`,
  );
  console.log(`page 1                  median ${a.toFixed(2)} ms, 90 % ${quantile(first, 0.9).toFixed(2)} ms`);
  console.log(`page ${String(pages).padEnd(18)} median ${b.toFixed(2)} ms, 90 % ${quantile(last, 0.9).toFixed(2)} ms`);
  console.log(`ratio of the medians    ${(b / a).toFixed(2)}`);
  console.log(`after the walk          ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB resident`);
}
