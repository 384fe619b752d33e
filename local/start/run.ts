import { lookup } from 'node:dns/promises';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { machineProxy } from '../../bin/machine-proxy.ts';
import { readClientSecret } from '../../bin/terminal/client-secret.ts';
import type { InvocationResult } from '../../lambda/invocation.ts';
import { environmentVariableOf } from '../../lambda/options.ts';
import { enabledStreams, STREAMS, streamKey } from '../../lambda/streams.ts';
import { seedCountsIn } from '../api-simulator/seed.ts';
import { startSimulatorServer } from '../api-simulator/server.ts';
import { deliveredObjects } from '../aws/delivered.ts';
import { lockDirectory } from '../aws/directory-lock.ts';
import { LOCAL_NAMES, localFoldersOf, resourceEnvironment } from '../aws/local-aws.ts';
import { onInterruption } from '../interruption.ts';
import { rebuildSimulator } from './embedded-simulator.ts';
import { failureText } from './failure-text.ts';
import { FunctionHost } from './function-host.ts';
import type { StartRequest, TenantTarget } from './options.ts';
import { countText, Progress } from './progress.ts';
import { resetFolder } from './reset.ts';
import { logFileIn, makeFolder, readSource, type StateSource, sourceOfRun, writeSource } from './source.ts';
import { nextStepsText, placesText, readLoggedMetrics, summaryNotes, summaryTable } from './summary.ts';

/**
 * Seconds after which the lease of a killed run expires. They are few, because the folder is
 * locked, so no other run can hold the lease.
 */
const LEASE_SECONDS = '15';

type Settings = Readonly<Record<string, string>>;

/** The settings and the secret with which the function starts. */
interface Start {
  /** Settings of the function, by the names of its variables. */
  readonly settings: Settings;
  readonly secret: string;
}

/**
 * @returns the exit status.
 * @throws StartProblemsError, PromptAbortedError, DirectoryInUseError, UnknownHostError
 */
export async function runConnector(request: StartRequest): Promise<number> {
  const { folder, target, reset } = request;
  const before = reset ? undefined : await readSource(folder);
  const source = sourceOfRun(request, before, Date.now());
  const tenant = 'baseUrl' in target ? await reachTenant(target) : undefined;
  if (reset) await resetFolder(folder);

  await using resources = new AsyncDisposableStack();
  await makeFolder(folder);
  resources.defer(await lockDirectory(folder));
  await writeSource(folder, source);
  const { settings, secret } = tenant ?? (await startSimulator(source, resources));
  console.log(`${introduction(request.name, source)}\n`);
  const start = { settings: { ...request.settings, LEASE_SECONDS, ...settings }, secret };
  // The result is awaited, because the API simulator must stay open until all rows are read.
  return await drainAndReport(request, start);
}

async function reachTenant({ baseUrl, authUrl, clientId }: TenantTarget): Promise<Start> {
  const clientSecret = await readClientSecret({ authUrl, clientId }, process.env);
  await lookUpHosts([baseUrl, authUrl], process.env);
  return { settings: {}, secret: JSON.stringify({ client_id: clientId, client_secret: clientSecret }) };
}

async function startSimulator({ tenantData }: StateSource, resources: AsyncDisposableStack): Promise<Start> {
  const simulator = rebuildSimulator(tenantData!, Date.now);
  const server = await startSimulatorServer({ simulator });
  resources.defer(() => server.close());
  const { clientId, clientSecret } = simulator.account;
  return {
    settings: {
      API_BASE_URL: server.baseUrl,
      AUTH_URL: server.authUrl,
      [environmentVariableOf('dnsBlocksPath')]: simulator.settings.dnsBlocksPath,
      THREAT_ASSET_FIELD: simulator.settings.threatAssetMember,
    },
    secret: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
  };
}

function introduction(name: string, { tenantData, tenant }: StateSource): string {
  if (!tenantData) return `Connector "${name}" drains ${tenant?.baseUrl} into local files.`;
  const { seed, changes } = tenantData;
  const counts = seedCountsIn(tenantData);
  const rows = STREAMS.map(({ name, singular }) => countText(counts[streamKey(name)], singular)).join(', ');
  const changed = changes.reduce((sum, { count }) => sum + count, 0);
  return `Connector "${name}" drains the embedded API simulator: ${rows} (seed ${seed}), ${countText(changed, 'change')} since.`;
}

/** The name of a tenant's host cannot be resolved. No request was sent. */
class UnknownHostError extends Error {
  override readonly name = 'UnknownHostError';
  constructor(host: string, options?: ErrorOptions) {
    const what = `This machine cannot resolve the host ${host}.`;
    super(`${what} Nothing was read or changed. Check the URL, the name server and the VPN.`, options);
  }
}

/**
 * Reports a mistyped URL at once, because the handler would retry, as it does for a host that is
 * down.
 *
 * @throws UnknownHostError
 */
async function lookUpHosts(urls: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  // Behind a proxy, only the proxy resolves hosts.
  if (machineProxy(environment)) return;
  for (const url of urls) {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    await lookup(host).catch(cause => {
      throw new UnknownHostError(host, { cause });
    });
  }
}

/**
 * Runs the handler until every stream is caught up, then prints the outcome of the rows.
 *
 * @returns the exit status
 */
async function drainAndReport(request: StartRequest, { settings, secret }: Start): Promise<number> {
  const { deliveredFolder: delivered, deadLetterFolder: deadLetters } = localFoldersOf(request.folder);
  const log = logFileIn(request.folder);
  const filesBefore = new Set(await deliveredObjects(delivered));
  const logged = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  const start = performance.now();
  const outcome = await catchUp(request, { settings, secret }, log);
  const seconds = (performance.now() - start) / 1000;
  const files = (await deliveredObjects(delivered)).filter(file => !filesBefore.has(file));
  const streams = streamsIn(settings).map(({ name }) => name);
  const metrics = await readLoggedMetrics(log, logged);
  const notes = summaryNotes(streams, metrics);
  const hasDeadLetters = streams.some(stream => metrics(stream).DeadLetters > 0);
  const places = { delivered, files: files.length, log, ...(hasDeadLetters && { deadLetters }) };
  console.log(`\n${[summaryTable(streams, metrics), ...notes].join('\n')}\n\n${placesText(places)}\n`);
  if (outcome.isDone) {
    console.log(`Caught up in ${seconds.toFixed(1)} s.\n\n${nextStepsText(request, delivered)}`);
    return 0;
  }
  if (outcome.isInterrupted) {
    console.error('Interrupted. Nothing is lost: the next run continues from the saved state.');
    return 130;
  }
  console.error(failureText(outcome.failure, request.verbose));
  if (outcome.trouble) console.error(`  Last seen on the network: ${outcome.trouble}`);
  return 1;
}

/**
 * Invokes the function until it has caught up, fails or is interrupted.
 *
 * @throws the error of a file that cannot be read or written
 */
async function catchUp(request: StartRequest, { settings, secret }: Start, logFile: string) {
  const progress = new Progress(streamsIn(settings), process.stdout);
  const inherited = 'baseUrl' in request.target ? process.env : {};
  const broken = new AbortController();
  const host = new FunctionHost({
    environment: functionEnvironment(settings, inherited),
    folder: request.folder,
    secret,
    logFile,
    onAnswer: answer => progress.observe(answer),
    onFilesFailure: error => broken.abort(error),
  });
  // The process is ended at once, because the function would retry for half a minute, as if the
  // files were AWS.
  broken.signal.addEventListener('abort', () => void host.end());
  const onFirst = () => {
    progress.say('Stopping: the current page is finished and saved. Press Ctrl-C again to stop at once.');
    host.hurry();
  };
  using interruption = onInterruption({ onFirst, onFurther: () => void host.end() });
  let isDone = false;
  let failure: unknown;
  try {
    isDone = await drainUntilDone({
      invoke: () => host.invoke(),
      isStopped: () => interruption.isInterrupted || broken.signal.aborted,
      onLeaseHeld: () => progress.waitsFor('waiting for the lease of an earlier run, which was killed, to expire'),
    });
  } catch (error) {
    failure = error;
  }
  await host.end();
  progress.end();
  broken.signal.throwIfAborted();
  return { isDone, isInterrupted: interruption.isInterrupted, failure, trouble: progress.trouble };
}

function streamsIn(settings: Settings) {
  const base = settings['API_BASE_URL']!.trim().replace(/\/+$/, '');
  const on = enabledStreams(({ pathOption }) => settings[environmentVariableOf(pathOption)]?.trim());
  return on.map(({ name, path }) => ({ name, url: base + path }));
}

export interface DrainOptions {
  readonly invoke: () => Promise<InvocationResult>;
  /** Whether the function must not be invoked again. */
  readonly isStopped: () => boolean;
  /** Called each time another run holds the lease. */
  readonly onLeaseHeld: () => void;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

const LEASE_POLL_MILLISECONDS = 1000;

/**
 * Acts as the schedule: invokes the function until every stream is caught up. If a killed run still
 * has the lease, waits until the lease expires.
 *
 * @returns whether every stream is caught up
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

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/**
 * The whole environment of the function. Other variables of this machine are left out, because a
 * container of Lambda does not have them either.
 *
 * @param settings settings from the options
 * @param inherited variables of this machine, but only for a run against a real tenant, because a
 * proxy could not reach the embedded API simulator
 */
export function functionEnvironment(settings: Settings, inherited: NodeJS.ProcessEnv): Record<string, string> {
  const certificates = CERTIFICATES.flatMap(name => (inherited[name] === undefined ? [] : [[name, inherited[name]]]));
  const proxy = machineProxy(inherited);
  return {
    ...Object.fromEntries(certificates),
    // The stack sets the same variables for a proxy.
    ...(proxy && { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.HTTPS_PROXY, NO_PROXY: proxy.NO_PROXY ?? '' }),
    ...resourceEnvironment(LOCAL_NAMES),
    ...settings,
  };
}
