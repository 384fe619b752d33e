import { hold, type Rule, RuleBroken } from './rule.ts';

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
  /** Whether it ended at a page whose cursor it had already followed. */
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

  /** The token endpoint's answer; asked once, and again after `forgetToken`. */
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
    const followed = new Set<string>();
    let cursor: string | null = null;
    let stalled = false;
    do {
      if (cursor !== null) followed.add(cursor);
      const page: PageSeen = await this.page(path, { cursor, limit: 500 });
      pages.push(page);
      cursor = page.nextCursor;
      stalled = cursor !== null && followed.has(cursor);
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

export type Json = Readonly<Record<string, unknown>>;

/** A list answer whose member names were found by their content, since the specification does not show them. */
export interface PageSeen {
  readonly rows: readonly Json[];
  readonly nextCursor: string | null;
  readonly pageSize: unknown;
}

/** Finds the rows and the pagination object of a list answer. Throws RuleBroken if none or several could be meant. */
export function findPage(body: unknown): PageSeen {
  hold(isObject(body), 'The answer is not a JSON object.');
  const names = Object.keys(body).join(', ');
  const paginations = Object.values(body).filter(value => isObject(value) && Object.hasOwn(value, 'next_cursor'));
  hold(paginations.length === 1, `Not exactly one member holds next_cursor; members: ${names}.`);
  const pagination = paginations[0] as Json;
  const nextCursor = pagination['next_cursor'];
  hold(nextCursor === null || typeof nextCursor === 'string', 'next_cursor is neither a string nor null.');
  const pageSize = pagination['page_size'];
  const arrays = Object.values(body).filter(value => Array.isArray(value));
  const rowArrays = arrays.filter(array => array.length > 0 && array.every(row => isObject(row) && 'id' in row));
  const hasEmpty = arrays.some(array => array.length === 0);
  hold(rowArrays.length === 1 || hasEmpty, `No member holds rows; members: ${names}.`);
  hold(rowArrays.length <= 1, `Several members could hold the rows; members: ${names}.`);
  const [rows = []] = rowArrays as [Json[]?];
  const isClear = rows.length === 0 || !hasEmpty || pageSize === rows.length;
  hold(isClear, `An empty array, and one that page_size does not count, could hold the rows; members: ${names}.`);
  return { rows, nextCursor, pageSize };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Holds a refusal against the problem-document rules: status, and a type that ends in the suffix where one is specified. */
export function refusal({ status, body }: Reply, expected: number, suffix?: string): void {
  hold(status === expected, `The answer was ${status}, not ${expected}.`);
  hold(isObject(body), 'The error body is not a JSON object.');
  const type = body['type'];
  hold(typeof type === 'string' && type !== '', 'The problem document has no type.');
  if (suffix !== undefined) hold(type.endsWith(suffix), `The type ${type} does not end in ${suffix}.`);
}

export interface RuleResult {
  readonly rule: Rule;
  readonly result: 'holds' | 'broken' | 'not seen' | 'unobservable';
  /** Why, where the result is not `holds`. */
  readonly reason?: string;
}

/** Checks one rule. A connection that fails breaks the rule too: nothing is known to hold. */
export async function checkRule(rule: Rule, client: ContractClient): Promise<RuleResult> {
  if (!rule.check) return { rule, result: 'unobservable', reason: rule.unobservable ?? '' };
  try {
    const missing = await rule.check(client);
    return missing ? { rule, result: 'not seen', reason: missing.notSeen } : { rule, result: 'holds' };
  } catch (error) {
    const reason = error instanceof RuleBroken ? error.message : `could not be checked: ${(error as Error).message}`;
    return { rule, result: 'broken', reason };
  }
}

/** Checks rules one after the other on one target. */
export async function* checkRules(rules: readonly Rule[], target: ContractTarget): AsyncGenerator<RuleResult> {
  const client = new ContractClient(target);
  for (const rule of rules) yield await checkRule(rule, client);
}
