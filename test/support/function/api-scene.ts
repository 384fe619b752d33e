import { type Api, createApi } from '../../../lambda/source/api.ts';
import type { Fetch } from '../../../lambda/source/http.ts';
import type { Token } from '../../../lambda/source/token.ts';
import { type Act, type HttpHarness, httpHarness, watchedFetch } from './http-harness.ts';
import { retryBudget, type SteppedClock, steppedClock } from './stepped-clock.ts';

interface ApiScene extends AsyncDisposable {
  readonly server: HttpHarness;
  readonly clock: SteppedClock;
  readonly api: Api;
  /** Tokens handed out, in order. */
  readonly handed: string[];
  /** Discarded tokens, in order. */
  readonly discarded: string[];
  /** Resolves once the heads of that many answers have been read. */
  begun(count: number): Promise<void>;
  page(request?: { readonly cursor?: string; readonly limit?: number }): Promise<string>;
}

interface ApiSceneOptions {
  readonly maxBodyBytes?: number;
  /** Milliseconds until retries must end. */
  readonly budget?: number;
  readonly random?: () => number;
  /** @default the API simulator's own */
  readonly fetch?: Fetch;
  /** @default canary-token */
  readonly token?: string;
}

/**
 * The client against a server that plays the given acts. Each discarded token is followed by
 * another.
 */
export async function apiScene(acts: readonly Act[], options: ApiSceneOptions = {}): Promise<ApiScene> {
  const server = await httpHarness(...acts);
  const clock = steppedClock();
  const handed: string[] = [];
  const discarded: string[] = [];
  const tokens = {
    async token() {
      const value = `${options.token ?? 'canary-token'}-${discarded.length + 1}`;
      handed.push(value);
      return { value, clientId: 'acme' };
    },
    discard: ({ value }: Token) => void discarded.push(value),
  };
  const { budget, random, maxBodyBytes } = options;
  const { fetch, begun } = watchedFetch();
  const api = createApi({
    baseUrl: `${server.url}/base/`,
    tokens,
    fetch: options.fetch ?? fetch,
    retryBudget: retryBudget(clock, budget, random),
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
  });
  const { signal } = new AbortController();
  return {
    server,
    clock,
    begun,
    api,
    handed,
    discarded,
    page: async ({ cursor, limit = 500 } = {}) => {
      const body = await api.page({ path: '/v1/assets', cursor, limit, signal });
      return Buffer.from(body).toString();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
