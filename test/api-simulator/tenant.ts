import { createRandom } from '../../local/api-simulator/random.ts';
import { type ApiSimulator, createSimulator, type SimulatorOptions } from '../../local/api-simulator/simulator.ts';

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };
export type List = 'assets' | 'threats' | 'dns-blocks';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look anywhere into a body
  readonly body: any;
}

export interface Page {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/** An API simulator with a clock that tests move, and a caller. */
export interface Tenant {
  readonly simulator: ApiSimulator;
  readonly clock: { now: number };
  token(): Promise<string>;
  /** GET with a good token, or with the given Authorization header; null = none. */
  get(target: string, authorization?: string | null): Promise<Reply>;
  requestToken(headers: Record<string, string>, form: Record<string, string>): Promise<Reply>;
  page(list: List, query?: { cursor?: string | null; limit?: number }): Promise<Page>;
  /** The rows from a cursor on, or from the beginning, until the end of the stream. */
  walk(list: List, limit?: number, cursor?: string | null): Promise<Row[]>;
}

const ORIGIN = 'http://simulator.test';

export function createTenant(options: Partial<SimulatorOptions> = {}): Tenant {
  const clock = { now: Date.parse('2026-11-20T12:00:00.000Z') };
  const simulator = createSimulator({ clock: () => clock.now, random: createRandom(42), ...options });
  const send = async (target: string, init: RequestInit): Promise<Reply> => {
    const response = await simulator.fetch(new Request(ORIGIN + target, init));
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, body: JSON.parse(text) };
  };
  return { simulator, clock, ...callers(simulator, send) };
}

function callers(simulator: ApiSimulator, send: (target: string, init: RequestInit) => Promise<Reply>) {
  const { settings, account, tokenPath } = simulator;
  const requestToken = (headers: Record<string, string>, form: Record<string, string>): Promise<Reply> =>
    send(tokenPath, { method: 'POST', headers, body: new URLSearchParams(form) });
  const token = async (): Promise<string> => {
    const reply = await requestToken({ authorization: basic(account.clientId, account.clientSecret) }, GRANT);
    return `Bearer ${reply.body.access_token}`;
  };
  const get = async (target: string, authorization?: string | null): Promise<Reply> => {
    const credential = authorization === undefined ? await token() : authorization;
    return send(target, { headers: credential === null ? {} : { authorization: credential } });
  };
  const page: Tenant['page'] = async (list, { cursor, limit = 100 } = {}) => {
    const path = list === 'dns-blocks' ? settings.dnsBlocksPath : `/v1/${list}`;
    const query = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) });
    const { status, body } = await get(`${path}?${query}`);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return { rows: body[settings.rowsMember], nextCursor: body[settings.paginationMember].next_cursor };
  };
  const walk: Tenant['walk'] = async (list, limit = 100, from = null) => {
    const rows: Row[] = [];
    let cursor = from;
    do {
      const next: Page = await page(list, { cursor, limit });
      rows.push(...next.rows);
      cursor = next.nextCursor;
    } while (cursor !== null);
    return rows;
  };
  return { requestToken, token, get, page, walk };
}

export const GRANT = { grant_type: 'client_credentials' };

/** Id and secret encoded as RFC 6749 §2.3.1 asks. */
export function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}
