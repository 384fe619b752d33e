import { parsePage } from '../../lambda/core/page.ts';
import type { StreamName } from '../../lambda/streams.ts';

export interface ApiTarget {
  /** The base URL of the API, which does not end in a slash. */
  readonly baseUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Absent: the DNS block list is not read. */
  readonly dnsBlocksPath?: string | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: callers look anywhere into a body
  readonly body: any;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Page {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
  readonly pageSize: unknown;
}

export interface PageQuery {
  readonly cursor?: string | null;
  readonly limit?: number;
}

export interface Walk {
  readonly rows: readonly Row[];
  /** The next page to read; null at the end of the stream. */
  readonly nextCursor: string | null;
  /** Whether the next page was read before. */
  readonly isCircle: boolean;
}

export const GRANT = { grant_type: 'client_credentials' };

/** Calls the API. Every answer is returned, also a refusal. */
export class ApiClient {
  readonly target: ApiTarget;

  constructor(target: ApiTarget) {
    this.target = target;
  }

  /** The lists that can be read, with their paths. */
  get paths(): ReadonlyMap<StreamName, string> {
    const { dnsBlocksPath } = this.target;
    const paths = new Map<StreamName, string>([
      ['assets', '/v1/assets'],
      ['threats', '/v1/threats'],
    ]);
    return dnsBlocksPath === undefined ? paths : paths.set('dns-blocks', dnsBlocksPath);
  }

  /** Asks the token endpoint, by default with the credentials of the target. */
  requestToken(headers: Record<string, string> = this.#credentials(), form: Record<string, string> = GRANT) {
    return this.#send(this.target.tokenUrl, { method: 'POST', headers, body: new URLSearchParams(form) });
  }

  #credentials(): Record<string, string> {
    return { authorization: basic(this.target.clientId, this.target.clientSecret) };
  }

  /** An Authorization header with a new token. */
  async bearer(): Promise<string> {
    const { status, body } = await this.requestToken();
    if (status !== 200) throw new Error(`The token endpoint answered ${status}.`);
    return `Bearer ${body.access_token}`;
  }

  /** GET below the base URL with this Authorization header; null: without one. */
  async get(path: string, authorization?: string | null): Promise<Reply> {
    const credential = authorization === undefined ? await this.bearer() : authorization;
    return this.#send(this.target.baseUrl + path, {
      headers: credential === null ? {} : { authorization: credential },
    });
  }

  /**
   * A page of a list, as the connector reads it.
   *
   * @throws ContractError; Error if the answer is not 200
   */
  async page(list: StreamName, { cursor, limit }: PageQuery = {}): Promise<Page> {
    const path = this.paths.get(list)!;
    const query = new URLSearchParams();
    if (limit !== undefined) query.set('limit', String(limit));
    if (cursor) query.set('cursor', cursor);

    const { status, text, body } = await this.get(`${path}?${query}`);
    if (status !== 200) throw new Error(`${path} answered ${status}.`);
    const rules = { path, limit: limit ?? 500, cut: ['deleted', 'id'], configured: {}, learned: {} };
    const { rows, nextCursor, names } = parsePage(Buffer.from(text), rules);
    const pagination = names.pagination ? body[names.pagination] : body;
    return { rows: rows.map(row => JSON.parse(row.text)), nextCursor, pageSize: pagination.page_size };
  }

  /** Pages from a cursor on, or from the beginning, until the end of the stream. */
  async walk(
    list: StreamName,
    { cursor = null, limit }: PageQuery = {},
    maxPages = Number.POSITIVE_INFINITY,
  ): Promise<Walk> {
    const rows: Row[] = [];
    const followed = new Set<string | null>();
    let nextCursor: string | null = cursor;
    do {
      followed.add(nextCursor);
      const page: Page = await this.page(list, { cursor: nextCursor, ...(limit !== undefined && { limit }) });
      rows.push(...page.rows);
      nextCursor = page.nextCursor;
    } while (nextCursor !== null && !followed.has(nextCursor) && followed.size < maxPages);
    return { rows, nextCursor, isCircle: nextCursor !== null && followed.has(nextCursor) };
  }

  async #send(url: string, init: RequestInit): Promise<Reply> {
    const response = await this.target.fetch(new Request(url, { ...init, redirect: 'manual' }));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Id and secret encoded as RFC 6749 §2.3.1 asks. */
export function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}
