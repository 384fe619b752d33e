/**
 * A backfill over real HTTP: the embedded platform, the bundled function and AWS each run in a process. AWS is a sink that
 * keeps what is needed to compare the copy with `GET …/truth`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Command } from 'commander';
import { PROCESS_ENVIRONMENT } from '../lib/function/function-environment.ts';
import { bundle } from './bundle.ts';
import type { FunctionReport } from './children/function.ts';
import type { Comparison } from './children/siem.ts';
import { serving, temporaryFolder } from './processes.ts';
import { SHARES } from './rows.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CHILDREN = path.join(import.meta.dirname, 'children');

const { rows } = new Command('backfill')
  .description('Drains the embedded platform over HTTP and compares the delivered copy with its truth.')
  .option('--rows <n>', 'rows of the platform: two tenths assets, five threats, three DNS blocks', Number, 1_000_000)
  .parse()
  .opts<{ rows: number }>();

interface PlatformLine {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly dnsBlocksPath: string;
  readonly controlUrl: string;
}

await run();

async function run(): Promise<void> {
  await using folder = await temporaryFolder('backfill');
  const handler = path.join(folder.path, 'handler.mjs');
  const counts = { assets: rows * SHARES.assets, threats: rows * SHARES.threats, dns: rows * SHARES['dns-blocks'] };
  const tenantData = ['--assets', counts.assets, '--threats', counts.threats, '--dns-blocks', counts.dns].map(String);
  const main = path.join(ROOT, 'local', 'platform', 'main.ts');
  using platformServing = await serving<PlatformLine>(main, ['--control', ...tenantData]);
  await bundle(path.join(ROOT, 'lambda', 'handler.ts'), handler);
  const platform = platformServing.line;
  const secret = { client_id: platform.clientId, client_secret: platform.clientSecret };
  using siemServing = await serving<string>(path.join(CHILDREN, 'siem.ts'), [JSON.stringify(secret)]);
  const siem = siemServing.line;
  const report = await drained(handler, environment(platform, siem));
  const truth = encodeURIComponent(`${platform.controlUrl}/truth`);
  print(report, (await (await fetch(`${siem}/compare?truth=${truth}`)).json()) as Comparison);
}

function environment(platform: PlatformLine, siem: string): Record<string, string> {
  return {
    API_BASE_URL: platform.baseUrl,
    AUTH_URL: platform.authUrl,
    DNS_BLOCKS_PATH: platform.dnsBlocksPath,
    CREDENTIALS_SECRET_ID: 'secret',
    STATE_TABLE: 'table',
    DELIVERY_STREAM: 'stream',
    DEAD_LETTER_BUCKET: 'bucket',
    CONNECTOR_NAME: 'bench',
    AWS_ENDPOINT_URL: siem,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    ...PROCESS_ENVIRONMENT,
  };
}

async function drained(handler: string, env: Record<string, string>): Promise<FunctionReport> {
  const child = spawn(process.execPath, [path.join(CHILDREN, 'function.ts'), handler], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The function ended with ${code} before it had caught up`);
  });
  const [report] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return report;
}

function print(report: FunctionReport, { rows: all, events, unseen, missing, different, ghosts }: Comparison): void {
  const { forwarded, invocations, seconds, cpuSeconds, peakMegabytes } = report;
  const isEqual = missing + different + ghosts === 0;
  console.log(`forwarded      ${forwarded} rows in ${seconds.toFixed(1)} s and ${invocations} invocations`);
  console.log(
    `rate           ${(forwarded / seconds).toFixed(0)} rows/s, ${(forwarded / seconds / 500).toFixed(1)} pages/s`,
  );
  console.log(`CPU            ${((cpuSeconds / forwarded) * 1e6).toFixed(1)} µs a row`);
  console.log(`peak memory    ${peakMegabytes.toFixed(0)} MB`);
  console.log(`rows           ${all}, of which ${unseen} assets were removed before any poll saw them`);
  console.log(`events         ${events}, of which ${events - forwarded} repeats`);
  console.log(`truth          ${isEqual ? 'equal' : `${missing} missing, ${different} different, ${ghosts} ghosts`}`);
  if (!isEqual) process.exitCode = 1;
}
