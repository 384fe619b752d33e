import { type LocalAws, startAws } from '../aws/endpoints.ts';
import { randomAccessKey } from '../aws/signature.ts';
import { startPlatformServer } from '../platform/server.ts';
import { readClientSecret } from '../terminal/client-secret.ts';
import { drainAndReport } from './drain-and-report.ts';
import { rebuildPlatform } from './embedded-platform.ts';
import { lookUpHosts } from './host-lookup.ts';
import { grouped } from './progress.ts';
import { nextSource, type Source } from './source.ts';
import type { StartRequest, TenantTarget } from './start-request.ts';
import { makeFolder, readSource, resetFolder, writeSource } from './state-folder.ts';

/** A killed run's lease is waited out; nobody else can hold one, for the folder is locked. */
const LEASE_SECONDS = '15';

/** @returns the exit status. @throws StartFaultsError, PromptAbortedError, DirectoryInUseError, UnknownHostError */
export async function run(request: StartRequest): Promise<number> {
  const { folder, target, reset } = request;
  const before = reset ? undefined : await readSource(folder);
  const source = nextSource(request, before, Date.now());
  const secret = 'baseUrl' in target ? await secretText(target) : undefined;
  if ('baseUrl' in target) await lookUpHosts([target.baseUrl, target.authUrl], process.env);
  if (reset) await resetFolder(folder);
  await using resources = new AsyncDisposableStack();
  await makeFolder(folder);
  const aws = await startAws({ directory: folder, secret, accessKey: randomAccessKey() });
  resources.defer(() => aws.close());
  await writeSource(folder, source);
  const settings = { ...request.settings, LEASE_SECONDS, ...(await startPlatform(source, aws, resources)) };
  console.log(`${introduction(request.name, source)}\n`);
  // Awaited here, or the endpoints would be closed as soon as it has begun.
  return await drainAndReport(request, settings, aws);
}

/** @returns the settings that lead to the embedded platform; none for a real tenant. */
async function startPlatform(
  { tenantData }: Source,
  aws: LocalAws,
  resources: AsyncDisposableStack,
): Promise<Record<string, string>> {
  if (!tenantData) return {};
  const platform = rebuildPlatform(tenantData, Date.now);
  const server = await startPlatformServer({ platform });
  resources.defer(() => server.close());
  const { clientId, clientSecret } = platform.account;
  aws.secret.put(JSON.stringify({ client_id: clientId, client_secret: clientSecret }));
  const { dnsBlocksPath, threatAssetMember } = platform.settings;
  return {
    API_BASE_URL: server.baseUrl,
    AUTH_URL: server.authUrl,
    DNS_BLOCKS_PATH: dnsBlocksPath,
    THREAT_ASSET_FIELD: threatAssetMember,
  };
}

function introduction(name: string, { tenantData, tenant }: Source): string {
  if (!tenantData) return `Connector "${name}" drains ${tenant?.baseUrl} into local files.`;
  const { assets, threats, dnsBlocks, seed, changes } = tenantData;
  const rows = `${grouped(assets)} assets, ${grouped(threats)} threats, ${grouped(dnsBlocks)} DNS blocks`;
  const changed = changes.reduce((sum, { count }) => sum + count, 0);
  return `Connector "${name}" drains the embedded platform: ${rows} (seed ${seed}), ${grouped(changed)} changes since.`;
}

/** As Secrets Manager holds it. */
async function secretText(target: TenantTarget): Promise<string> {
  return JSON.stringify({ client_id: target.clientId, client_secret: await readClientSecret(target, process.env) });
}
