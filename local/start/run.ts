import { lookup } from 'node:dns/promises';
import { devNull } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { machineProxy } from '../../bin/machine-proxy.ts';
import { readClientSecret } from '../../bin/terminal/client-secret.ts';
import type { InvocationResult } from '../../lambda/invocation.ts';
import type { ProxySettings } from '../../lambda/proxy.ts';
import { STREAMS, streamKey, streamsOn } from '../../lambda/streams.ts';
import { type LocalAws, startAws } from '../aws/endpoints.ts';
import { randomAccessKey } from '../aws/signature.ts';
import { countsIn } from '../platform/seed.ts';
import { startPlatformServer } from '../platform/server.ts';
import { pathSettings } from '../platform/settings.ts';
import { rebuildPlatform } from './embedded-platform.ts';
import { failureText } from './failure-text.ts';
import { filterText } from './filter-tally.ts';
import { HandlerHost, keepLog } from './handler-host.ts';
import { MappingHits } from './ocsf-mapping.ts';
import type { StartRequest, TenantTarget } from './options.ts';
import { counted, type MonitoredStream, watchProgress } from './progress.ts';
import { logFile, makeFolder, nextSource, readSource, resetFolder, type Source, writeSource } from './source.ts';
import {
  MetricTally,
  nextSteps,
  type Places,
  placesText,
  summaryLegend,
  summaryNotes,
  summaryTable,
} from './summary.ts';

/** The lease of a killed run must expire. No other run can hold one, because the folder is locked. */
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
  // Without await, the endpoints would be closed at once.
  return await drainAndReport(request, settings, aws);
}

/** @returns the function's settings for the embedded platform; none for a real tenant */
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
  return {
    API_BASE_URL: server.baseUrl,
    AUTH_URL: server.authUrl,
    ...pathSettings(platform.settings),
    THREAT_ASSET_FIELD: platform.settings.threatAssetMember,
  };
}

function introduction(name: string, { tenantData, tenant }: Source): string {
  if (!tenantData) return `Connector "${name}" drains ${tenant?.baseUrl} into local files.`;
  const { seed, changes } = tenantData;
  const counts = countsIn(tenantData);
  const rows = STREAMS.map(({ name, singular }) => counted(counts[streamKey(name)], singular)).join(', ');
  const changed = changes.reduce((sum, { count }) => sum + count, 0);
  return `Connector "${name}" drains the embedded platform: ${rows} (seed ${seed}), ${counted(changed, 'change')} since.`;
}

/** The secret as Secrets Manager holds it. */
async function secretText(target: TenantTarget): Promise<string> {
  return JSON.stringify({ client_id: target.clientId, client_secret: await readClientSecret(target, process.env) });
}

/** A host of the tenant has no address. No request was sent. */
export class UnknownHostError extends Error {
  override readonly name = 'UnknownHostError';
  constructor(host: string, options?: ErrorOptions) {
    const what = `This machine cannot resolve the host ${host}.`;
    super(`${what} Nothing was read or changed. Check the URL, the name server and the VPN.`, options);
  }
}

/**
 * Reports a mistyped URL at once. The handler would retry, as for a host that is down.
 *
 * @throws UnknownHostError
 */
export async function lookUpHosts(urls: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  // Behind a proxy, only the proxy resolves hosts.
  if (machineProxy(environment)) return;
  for (const url of urls) {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    await lookup(host).catch(cause => {
      throw new UnknownHostError(host, { cause });
    });
  }
}

type Settings = Readonly<Record<string, string>>;

type Drained = Awaited<ReturnType<typeof drain>>;

/** Runs the handler until every stream is drained, then prints what became of the rows. @returns the exit status */
export async function drainAndReport(request: StartRequest, settings: Settings, aws: LocalAws): Promise<number> {
  const streams = streamsOf(settings);
  const drained = await drain(request, settings, streams, aws);
  const { metrics, watch, isDone, wasInterrupted, failure, milliseconds } = drained;
  const names = streams.map(each => each.name);
  const places = placesOf(request, aws, drained, names);
  const countsOf = (stream: string) => metrics.of(stream);
  const notes = [
    ...summaryLegend(names, countsOf),
    ...summaryNotes(names, countsOf),
    ...(drained.hits?.text() ?? []),
    ...filterText(streams, drained.filtered),
  ];
  const table = [summaryTable(names, countsOf), ...notes].join('\n');
  console.log(`\n${table}\n\n${placesText(places)}\n`);
  if (isDone) {
    console.log(`Drained in ${(milliseconds / 1000).toFixed(1)} s.\n\n${nextSteps(request, places)}`);
    return 0;
  }
  if (wasInterrupted) {
    console.error('Interrupted. Nothing is lost: the next run continues from the saved state.');
    return 130;
  }
  console.error(failureText(failure, request.verbose));
  if (watch.trouble) console.error(`  Last seen on the network: ${watch.trouble}`);
  return 1;
}

async function drain(request: StartRequest, settings: Settings, streams: readonly MonitoredStream[], aws: LocalAws) {
  const start = performance.now();
  const metrics = new MetricTally();
  const hits = request.ocsfFields && new MappingHits(request.ocsfFields);
  const watch = await watchProgress(streams, aws.deliveredFolder, process.stdout, hits?.add);
  const inherited = 'baseUrl' in request.target ? process.env : {};
  const environment = functionEnvironment({ endpoints: aws.environment, settings, inherited });
  const host = new HandlerHost({ environment, onApi: watch.observe });
  const logged = keepLog(logFile(request.folder), host.output, line => metrics.add(line));
  const onFirst = () => {
    watch.note('stopping: the current page is finished and saved (Ctrl-C again: stop at once)');
    host.hurry();
  };
  using interruption = onInterruption({ onFirst, onFurther: () => void host.end() });
  let isDone = false;
  let failure: unknown;
  try {
    const invoke = () => host.invoke();
    const onLeaseHeld = () => watch.waitsFor('waiting for the lease of an earlier run, which was killed, to expire');
    isDone = await drainUntilDone({ invoke, isStopped: () => interruption.interrupted, onLeaseHeld });
  } catch (error) {
    failure = error;
  }
  await host.end();
  await logged;
  await watch.stop();
  const milliseconds = performance.now() - start;
  const { filtered } = host;
  return { isDone, wasInterrupted: interruption.interrupted, failure, metrics, watch, hits, filtered, milliseconds };
}

type ReadStream = MonitoredStream & { readonly path: string };

function streamsOf(settings: Settings): ReadStream[] {
  const base = settings['API_BASE_URL']!.trim().replace(/\/+$/, '');
  const on = streamsOn(({ pathSetting }) => settings[pathSetting]?.trim());
  return on.map(({ name, path }) => ({ name, path, url: base + path }));
}

function placesOf({ folder }: StartRequest, aws: LocalAws, { metrics, watch }: Drained, names: string[]): Places {
  return {
    delivered: aws.deliveredFolder,
    deadLetters: aws.deadLetterFolder,
    log: logFile(folder),
    objects: watch.objects,
    deadLetterCount: names.reduce((sum, name) => sum + metrics.of(name).DeadLetters, 0),
  };
}

export interface DrainOptions {
  readonly invoke: () => Promise<InvocationResult>;
  /** Whether to stop invoking. */
  readonly isStopped: () => boolean;
  /** Called each time another run holds the lease. */
  readonly onLeaseHeld: () => void;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

const LEASE_POLL_MILLISECONDS = 1000;

/**
 * Acts as the schedule: invokes until every stream is drained. Waits until the lease of a killed run expires.
 *
 * @returns whether everything is drained
 */
export async function drainUntilDone(options: DrainOptions): Promise<boolean> {
  const { invoke, isStopped, onLeaseHeld, sleep = wait } = options;
  while (!isStopped()) {
    const { more, leaseHeld } = await invoke();
    if (leaseHeld) {
      onLeaseHeld();
      await sleep(LEASE_POLL_MILLISECONDS);
    } else if (!more) return true;
  }
  return false;
}
export interface InterruptionOptions {
  /** Called at the first signal, to finish. */
  readonly onFirst: () => void;
  /** Called at a later signal, to end at once. */
  readonly onFurther: () => void;
  /** Milliseconds, from any start. */
  readonly now?: () => number;
}

/** The terminal sends Ctrl-C to npm and to its child, and npm forwards it. Signals this close together are one key press. */
const SAME_MILLISECONDS = 500;

/** Handles SIGINT and SIGTERM until disposed. */
export function onInterruption(options: InterruptionOptions): Disposable & { readonly interrupted: boolean } {
  const { onFirst, onFurther, now = () => performance.now() } = options;
  let first: number | undefined;
  const listener = () => {
    if (first === undefined) {
      first = now();
      onFirst();
    } else if (now() - first > SAME_MILLISECONDS) onFurther();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
  return {
    get interrupted() {
      return first !== undefined;
    },
    [Symbol.dispose]() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener);
    },
  };
}

/**
 * Variables of this machine that a run against a real tenant needs to reach it. A container of Lambda has no others, and a proxy
 * could not reach the embedded platform.
 */
const NETWORK = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/;

export interface EnvironmentParts {
  /** Of the local endpoints: their addresses and the names of their resources. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** From the options. */
  readonly settings: Readonly<Record<string, string>>;
  readonly inherited: NodeJS.ProcessEnv;
}

/** As the stack sets them. */
function proxyVariables(proxy: ProxySettings | undefined): Record<string, string> {
  return proxy ? { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.HTTPS_PROXY, NO_PROXY: proxy.NO_PROXY ?? '' } : {};
}

/** The whole environment of the function. */
export function functionEnvironment({ endpoints, settings, inherited }: EnvironmentParts): Record<string, string> {
  const network = Object.entries(inherited).filter(([name, value]) => NETWORK.test(name) && value !== undefined);
  return {
    ...(Object.fromEntries(network) as Record<string, string>),
    ...proxyVariables(machineProxy(inherited)),
    // The user's own profiles, regions and endpoints must not direct the SDK away from this machine.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...endpoints,
    ...settings,
  };
}
