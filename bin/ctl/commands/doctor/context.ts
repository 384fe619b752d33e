/** Shared by the checks. Each part is read once, when a check first needs it. */
import { assign } from '../../../../lambda/compose.ts';
import { type PageContent, parsePage } from '../../../../lambda/core/page.ts';
import { rowCut } from '../../../../lambda/core/row.ts';
import { readSettings, type Settings } from '../../../../lambda/settings.ts';
import type { Api } from '../../../../lambda/source/api.ts';
import type { ClientCredentials } from '../../../../lambda/source/credentials.ts';
import type { Fetch } from '../../../../lambda/source/http.ts';
import { createTokens, type Tokens } from '../../../../lambda/source/token.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { apiWithShortBudget, freshBudget, operatorCredentials } from '../../access.ts';
import { once } from '../../aws.ts';
import type { Context } from '../../context.ts';

export interface DoctorContext extends Context {
  /** Settings of the function, validated as the function does. @throws SettingsError, AwsCallError */
  settings(): Promise<Settings>;
  credentials(): Promise<ClientCredentials>;
  token(): Promise<string>;
  /** The API with the function's settings. */
  api(): Promise<Api>;
  /** A page of one row, undefined for a disabled stream. @throws as a run does */
  firstPage(stream: StreamName): Promise<PageContent | undefined>;
  /** Records the time in each answer and aborts at Ctrl-C. */
  readonly fetch: Fetch;
  /** Milliseconds by which the clocks of AWS and the API are ahead of this machine, newest last. */
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

function timed({ fetch, clock, signal }: Context, skews: number[]): Fetch {
  return async (url, init) => {
    const both = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(url, { ...init, signal: both });
    const date = Date.parse(response.headers.get('date') ?? '');
    if (Number.isFinite(date)) skews.push(date - clock.now());
    return response;
  };
}

export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly text: string;
  readonly remedy?: string;
}

export interface Check<C = DoctorContext> {
  /** In kebab case. Other checks and the JSON output refer to it. */
  readonly name: string;
  /** Checks that must succeed first. */
  readonly needs?: readonly string[];
  /** A thrown error counts as a failure. */
  readonly run: (context: C) => Promise<Finding>;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

export const ok = (text: string): Finding => ({ status: 'ok', text });
export const warn = (text: string, remedy: string): Finding => ({ status: 'warn', text, remedy });
export const fail = (text: string, remedy: string): Finding => ({ status: 'fail', text, remedy });
export const skipped = (text: string): Finding => ({ status: 'skipped', text });
