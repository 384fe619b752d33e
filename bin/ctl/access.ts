/**
 * Reads the API and the table with the settings of the deployed function and the operator's
 * permissions. It writes nothing.
 */
import { createAssignment } from '../../lambda/compose.ts';
import { CredentialsError } from '../../lambda/core/errors.ts';
import type { Clock } from '../../lambda/ports.ts';
import { readSettings, type Settings, SettingsError } from '../../lambda/settings.ts';
import { type Api, type ApiOptions, createApi } from '../../lambda/source/api.ts';
import {
  type ClientCredentials,
  type CredentialsReader,
  createCredentialsReader,
} from '../../lambda/source/credentials.ts';
import type { Fetch } from '../../lambda/source/http.ts';
import { createRequestPace } from '../../lambda/source/request-pace.ts';
import { createTokenSource, tokenSourceOfRun } from '../../lambda/source/token.ts';
import { createCheckpointStore } from '../../lambda/store/checkpoints.ts';
import { createRowStateStore } from '../../lambda/store/rows.ts';
import { createTable } from '../../lambda/store/table.ts';
import type { StreamName, SyncedStream } from '../../lambda/streams.ts';
import { sha256 } from '../../lambda/system.ts';
import type { Aws } from './aws.ts';
import type { Context } from './context.ts';
import { AwsCallError, RefusedError } from './errors.ts';
import { startRetryBudget } from './retry-budget.ts';
import { tableCall } from './state.ts';

export type ConnectorAccess = Awaited<ReturnType<typeof openAccess>>;

/**
 * @param given credentials that are used instead of the stored credentials
 * @throws RefusedError, AwsCallError
 */
export async function openAccess(context: Context, given?: ClientCredentials) {
  const { aws, clock } = context;
  const settings = settingsOf(await context.environment());
  const { table: tableName } = await context.deployment();
  const credentials = given ? { read: async () => given } : operatorCredentials(aws, settings.secretId);
  const fetch = interruptibleFetch(context);
  const tokens = tokenSourceOfRun(createTokenSource({ authUrl: settings.authUrl, credentials, fetch }));
  const table = () => createTable(aws.dynamodb(), tableName, startRetryBudget(clock));

  const { baseUrl, requestsPerMinute } = settings;
  const pace = requestsPerMinute === undefined ? undefined : createRequestPace(requestsPerMinute);
  return {
    settings,
    /** The streams that are on, with their paths. */
    streams: createAssignment(settings).streams,
    api: apiWithShortBudget({ baseUrl, tokens, fetch, pace }, clock),
    /**
     * Client id and secret of the API's client.
     *
     * @throws AwsCallError without permission to read the secret
     */
    credentials: () => credentials.read(startRetryBudget(clock)),
    token: async () => (await tokens.token(startRetryBudget(clock))).value,
    readRowStates: (stream: StreamName, ids: readonly string[]) =>
      tableCall(aws, tableName, createRowStateStore(table(), sha256).get(stream, ids)),
    loadCheckpoints: (streams: readonly StreamName[]) =>
      tableCall(aws, tableName, createCheckpointStore(table()).load(streams)),
  };
}

/** @throws RefusedError if the stream is off */
export function requireStream({ streams }: ConnectorAccess, name: StreamName): SyncedStream {
  const stream = streams.find(each => each.name === name);
  if (!stream) throw new RefusedError(`The connector does not read ${name}. Nothing was done.`);
  return stream;
}

function settingsOf(environment: Readonly<Record<string, string>>): Settings {
  try {
    return readSettings(environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new RefusedError(`The settings of the function do not suit this version. ${error.message}`, { cause: error });
  }
}

/** Wraps fetch so that Ctrl-C aborts every request, token requests included. */
function interruptibleFetch({ fetch, signal }: Pick<Context, 'fetch' | 'signal'>): Fetch {
  return (url, init) => fetch(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal });
}

/**
 * Reports a missing permission to read the secret as an AwsCallError, because the function's own
 * advice would make the operator overwrite a valid secret.
 */
function operatorCredentials(aws: Aws, secretId: string): CredentialsReader {
  const source = createCredentialsReader(aws.secrets(), secretId);
  return {
    async read(retryBudget) {
      try {
        return await source.read(retryBudget);
      } catch (error) {
        if (!(error instanceof CredentialsError) || error.cause === undefined) throw error;
        throw new AwsCallError(`The secret ${secretId} could not be read`, error.cause);
      }
    },
  };
}

/**
 * Creates an API client with a new retry budget for each request, so that a request that is always
 * answered with 429 fails after 20 seconds.
 */
export function apiWithShortBudget(options: Omit<ApiOptions, 'retryBudget'>, clock: Clock): Api {
  const api = () => createApi({ ...options, retryBudget: startRetryBudget(clock) });
  return { single: read => api().single(read), page: request => api().page(request) };
}
