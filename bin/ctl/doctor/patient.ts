/** What the checks of a deployment share: each part is made once, when a check first asks for it. */

import { assign } from '../../../lambda/compose.ts';
import { type PageContent, parsePage } from '../../../lambda/core/page.ts';
import { rowCut } from '../../../lambda/core/row.ts';
import { readSettings, type Settings } from '../../../lambda/settings.ts';
import type { Api } from '../../../lambda/source/api.ts';
import type { ClientCredentials } from '../../../lambda/source/credentials.ts';
import type { Fetch } from '../../../lambda/source/http.ts';
import { createTokens, type Tokens } from '../../../lambda/source/token.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { operatorCredentials } from '../access/operator-credentials.ts';
import { apiWithShortBudget, freshBudget } from '../access/patience.ts';
import type { Context } from '../context.ts';
import { once } from '../once.ts';

export interface DoctorContext extends Context {
  /** What the function is told, checked as the function checks it. @throws SettingsError, AwsCallError */
  settings(): Promise<Settings>;
  credentials(): Promise<ClientCredentials>;
  token(): Promise<string>;
  /** The API as the function talks to it. */
  api(): Promise<Api>;
  /** The list's first page of one row; nothing of a stream that is off. @throws as the walk of a run does */
  firstPage(stream: StreamName): Promise<PageContent | undefined>;
  /** Notes the time that answers tell, and ends at Ctrl-C. */
  readonly fetch: Fetch;
  /** What the API's and the token endpoint's answers say the time is, less this machine's, in milliseconds; newest last. */
  readonly skews: number[];
}

export function createContext(context: Context): DoctorContext {
  const { clock, aws } = context;
  const skews: number[] = [];
  const settings = once(async () => readSettings(await context.environment()));
  const source = once(async () => operatorCredentials(aws, (await settings()).secretId));
  const fetch = timed(context, skews);
  const tokens = once(async (): Promise<Tokens> => {
    return createTokens({ authUrl: (await settings()).authUrl, credentials: await source(), fetch });
  });
  const api = async () =>
    apiWithShortBudget({ baseUrl: (await settings()).baseUrl, tokens: await tokens(), fetch }, clock);
  const pages = new Map<StreamName, Promise<PageContent | undefined>>();
  const firstPage = (stream: StreamName) => {
    const page = pages.get(stream) ?? readFirstPage(stream, { settings, api, signal: context.signal });
    pages.set(stream, page);
    return page;
  };
  return {
    ...context,
    skews,
    fetch,
    settings,
    credentials: async () => (await source()).read({ fresh: false, retryBudget: freshBudget(clock) }),
    token: async () => (await tokens()).token(freshBudget(clock)),
    api,
    firstPage,
  };
}

type Source = Pick<DoctorContext, 'settings' | 'api' | 'signal'>;

async function readFirstPage(name: StreamName, { settings, api, signal }: Source): Promise<PageContent | undefined> {
  const known = await settings();
  const [stream] = assign(known, [name]).streams;
  if (!stream) return undefined;
  const { path } = stream;
  const limit = 1;
  const body = await (await api()).page({ path, cursor: undefined, limit, signal });
  const cut = rowCut(stream, known.threatAssetField);
  return parsePage(body, { path, limit, cut, configured: known.names, learned: {} });
}

/** Notes what each answer says the time is; Ctrl-C ends a request. */
function timed({ clock, signal }: Context, skews: number[]): Fetch {
  return async (url, init) => {
    const both = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(url, { ...init, signal: both });
    const said = Date.parse(response.headers.get('date') ?? '');
    if (Number.isFinite(said)) skews.push(said - clock.now());
    return response;
  };
}
