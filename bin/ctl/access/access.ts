/** The API and the table as the deployed function sees them, with the operator's own rights; nothing is written. */

import { assign } from '../../../lambda/compose.ts';
import type { Checkpoints, RowStates } from '../../../lambda/ports.ts';
import { readSettings, type Settings, SettingsError } from '../../../lambda/settings.ts';
import type { Api } from '../../../lambda/source/api.ts';
import { createTokens, failingOnce } from '../../../lambda/source/token.ts';
import { createCheckpoints } from '../../../lambda/store/checkpoints.ts';
import { createRowStates } from '../../../lambda/store/rows.ts';
import { createTable } from '../../../lambda/store/table.ts';
import type { SyncedStream } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import type { Context } from '../context.ts';
import { AwsCallError, RefusedError } from '../errors.ts';
import { operatorCredentials } from './operator-credentials.ts';
import { apiWithShortBudget, freshBudget } from './patience.ts';

export interface Access {
  readonly settings: Settings;
  /** The streams that are on, with their paths. */
  readonly streams: readonly SyncedStream[];
  readonly api: Api;
  readonly rowStates: Pick<RowStates, 'get'>;
  readonly checkpoints: Pick<Checkpoints, 'load'>;
}

/** @throws RefusedError, AwsCallError */
export async function openAccess(context: Context): Promise<Access> {
  const { aws, clock } = context;
  const settings = settingsOf(await context.environment());
  const { table: tableName } = await context.deployment();
  const credentials = operatorCredentials(aws, settings.secretId);
  const fetch = interruptibleFetch(context.signal);
  const tokens = failingOnce(createTokens({ authUrl: settings.authUrl, credentials, fetch }));
  const table = () => createTable(aws.dynamodb(), tableName, freshBudget(clock));
  const read = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const advice = 'Nothing was changed. You need dynamodb:BatchGetItem on it.';
      throw new AwsCallError(`The state table ${tableName} could not be read`, advice, cause);
    }
  };
  return {
    settings,
    streams: assign(settings).streams,
    api: apiWithShortBudget({ baseUrl: settings.baseUrl, tokens, fetch }, clock),
    rowStates: { get: (stream, ids) => read(createRowStates(table(), sha256).get(stream, ids)) },
    checkpoints: { load: streams => read(createCheckpoints(table(), sha256).load(streams)) },
  };
}

function settingsOf(environment: Readonly<Record<string, string>>): Settings {
  try {
    return readSettings(environment);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new RefusedError(`The function is not set up as this version needs it. ${error.message}`, { cause: error });
  }
}

/** Ctrl-C ends a request, also one for a token. */
function interruptibleFetch(signal: AbortSignal): typeof fetch {
  return (url, init = {}) =>
    fetch(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal });
}
