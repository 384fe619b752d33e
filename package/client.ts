/** What `@security-data-connector/connector/client` exports: the whole API for programs of one's own. */
import './check-node.ts';
import * as v from 'valibot';
import { AUTH_URL, BASE_URL } from '../lambda/options.ts';
import { address } from '../lambda/settings.ts';
import { createApi } from '../lambda/source/api.ts';
import { createTokens } from '../lambda/source/token.ts';
import { systemClock } from '../lambda/system.ts';
import { createClient } from './api-client.ts';
import type { MemberNames, SecurityDataClient } from './client-types.ts';

export {
  AccountRevokedError,
  ApiRefusedError,
  ApiUnavailableError,
  CertificateError,
  ContractError,
  CredentialsError,
  CursorRefusedError,
  OutOfTimeError,
  PageTimeoutError,
  PageTooLargeError,
  ProxyError,
  RoleMissingError,
} from '../lambda/core/errors.ts';

export type { ListOptions, MemberNames, Page, SecurityDataClient } from './client-types.ts';

/** What a client is made from. */
export interface ConnectOptions {
  /** Base URL of the API, without `/v1`. https, or http to loopback. */
  readonly baseUrl: string;
  /** URL of the realm that issues tokens, or of its token endpoint. https, or http to loopback. */
  readonly authUrl: string;
  /** Id of the client. */
  readonly clientId: string;
  /** Secret of the client. No error and no log contains it. */
  readonly clientSecret: string;
  /**
   * Path of the DNS block list, which the API's specification does not show.
   *
   * @default - `dnsBlocks` throws
   */
  readonly dnsBlocksPath?: string;
  /**
   * Names of the members that the API's specification does not show.
   *
   * @default - found by what they hold
   */
  readonly names?: MemberNames;
  /**
   * Seconds that a call, with the requests that are sent again, may take.
   *
   * @default 60
   */
  readonly secondsPerCall?: number;
}

const DEFAULT_SECONDS = 60;

const Options = v.looseObject({
  baseUrl: address(BASE_URL),
  authUrl: address(AUTH_URL),
  clientId: v.pipe(v.string('is missing'), v.nonEmpty('is empty')),
  clientSecret: v.pipe(v.string('is missing'), v.nonEmpty('is empty')),
  secondsPerCall: v.optional(v.pipe(v.number('must be a number'), v.gtValue(0, 'must be greater than 0'))),
});

/**
 * A client of the API. It asks for a token with its first call and renews it. Requests that were throttled or interrupted are sent again.
 *
 *     const client = connect({ baseUrl, authUrl, clientId, clientSecret });
 *     for await (const page of client.assets()) for (const row of page.rows) console.log(JSON.parse(row).id);
 *
 * @throws TypeError naming every option that is wrong. Values are never quoted.
 */
export function connect(options: ConnectOptions): SecurityDataClient {
  const { issues = [] } = v.safeParse(Options, options, { abortPipeEarly: true });
  if (issues.length > 0) throw new TypeError(`The client cannot be made. ${issues.map(faultText).join('; ')}.`);
  const { baseUrl, authUrl, clientId, clientSecret, secondsPerCall = DEFAULT_SECONDS, ...others } = options;
  const clock = systemClock;
  const tokens = createTokens({ authUrl, credentials: { read: async () => ({ clientId, clientSecret }) }, fetch });
  const api = () => {
    const end = clock.now() + secondsPerCall * 1000;
    return createApi({
      baseUrl,
      tokens,
      fetch,
      retryBudget: { clock, random: Math.random, timeLeft: () => end - clock.now() },
    });
  };
  return createClient({
    api: { page: request => api().page(request), single: read => api().single(read) },
    clock,
    ...others,
  });
}

function faultText(issue: v.BaseIssue<unknown>): string {
  return `${v.getDotPath(issue)} ${issue.received === 'undefined' ? 'is missing' : issue.message}`;
}
