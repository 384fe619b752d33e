import { findPage, isObject, type Json, type PageSeen } from './page-shape.ts';
import { hold } from './rule.ts';

export interface ContractTarget {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Absent = the DNS block list is not checked. */
  readonly dnsBlocksPath?: string | undefined;
  readonly threatAssetMember: string;
  /** Pages of each stream that are read at most. */
  readonly maxPages: number;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Lets 300 seconds pass; absent = expiry is not checked. */
  readonly letTokenExpire?: (() => Promise<unknown>) | undefined;
}

export interface Reply {
  readonly status: number;
  readonly contentType: string;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export type StreamName = 'assets' | 'threats' | 'dns-blocks';

export interface Walk {
  readonly pages: readonly PageSeen[];
  readonly rows: readonly Json[];
  /** Whether the end of the stream was reached within `maxPages`. */
  readonly complete: boolean;
  /** Whether it ended at an empty page whose cursor was the one sent. */
  readonly stalled: boolean;
}

/** Reads a tenant as the rules need it. Walks and the token are kept, so that the tenant is read once. */
export class ContractClient {
  readonly target: ContractTarget;
  readonly #walks = new Map<StreamName, Promise<Walk>>();
  #token: Promise<Reply> | undefined;

  constructor(target: ContractTarget) {
    this.target = target;
  }

  /** Streams that can be read, with their paths. */
  get streams(): readonly (readonly [StreamName, string])[] {
    const { dnsBlocksPath } = this.target;
    const dns = dnsBlocksPath === undefined ? [] : ([['dns-blocks', dnsBlocksPath]] as const);
    return [['assets', '/v1/assets'], ['threats', '/v1/threats'], ...dns];
  }

  /** The token endpoint's answer; asked once, or anew after `forgetToken`. */
  token(): Promise<Reply> {
    this.#token ??= this.#requestToken();
    return this.#token;
  }

  forgetToken(): void {
    this.#token = undefined;
  }

  async bearer(): Promise<string> {
    const { body } = await this.token();
    hold(isObject(body) && typeof body['access_token'] === 'string', 'The token endpoint gave no access_token.');
    return `Bearer ${body['access_token']}`;
  }

  /** GET below the base URL. `authorization` undefined = the token; null = none. */
  async get(path: string, authorization?: string | null): Promise<Reply> {
    const credential = authorization === undefined ? await this.bearer() : authorization;
    const headers = credential === null ? {} : { authorization: credential };
    return this.#send(() => new Request(this.target.baseUrl + path, { headers, redirect: 'manual' }));
  }

  /** A page of a list; the answer must be 200. */
  async page(path: string, query: { cursor?: string | null; limit?: number } = {}): Promise<PageSeen> {
    const parameters = new URLSearchParams();
    if (query.limit !== undefined) parameters.set('limit', String(query.limit));
    if (query.cursor) parameters.set('cursor', query.cursor);
    const { status, body } = await this.get(`${path}${parameters.size > 0 ? `?${parameters}` : ''}`);
    hold(status === 200, `A page answered ${status}.`);
    return findPage(body);
  }

  /** The stream from its beginning, at most `maxPages` pages of 500. */
  walk(stream: StreamName): Promise<Walk> {
    const known = this.#walks.get(stream) ?? this.#walk(stream);
    this.#walks.set(stream, known);
    return known;
  }

  async #walk(stream: StreamName): Promise<Walk> {
    const path = this.streams.find(([name]) => name === stream)![1];
    const pages: PageSeen[] = [];
    let cursor: string | null = null;
    let stalled = false;
    do {
      const page: PageSeen = await this.page(path, { cursor, limit: 500 });
      pages.push(page);
      stalled = page.rows.length === 0 && page.nextCursor !== null && page.nextCursor === cursor;
      cursor = page.nextCursor;
    } while (cursor !== null && !stalled && pages.length < this.target.maxPages);
    return { pages, rows: pages.flatMap(page => page.rows), complete: cursor === null, stalled };
  }

  #requestToken(): Promise<Reply> {
    const { tokenUrl, clientId, clientSecret } = this.target;
    const basic = Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64');
    const body = 'grant_type=client_credentials';
    const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
    return this.#send(() => new Request(tokenUrl, { method: 'POST', headers, body, redirect: 'manual' }));
  }

  /** Sends, again after 429 and 503, which are not this suite's subject. */
  async #send(request: () => Request, attempts = 5): Promise<Reply> {
    const response = await this.target.fetch(request());
    const text = await response.text();
    if ((response.status === 429 || response.status === 503) && attempts > 1) {
      await this.target.sleep(1000 * Math.min(Number(response.headers.get('retry-after')) || 2, 60));
      return this.#send(request, attempts - 1);
    }
    return { status: response.status, contentType: response.headers.get('content-type') ?? '', body: parse(text) };
  }
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
