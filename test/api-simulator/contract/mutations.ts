/** An answer of the API simulator. A mutation changes it in place. */
interface Exchange {
  readonly url: URL;
  readonly authorization: string;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a mutation reaches anywhere into an answer
  body: any;
}

/** A way of breaking one rule. */
interface Mutation {
  /** Changes the request's URL before the API simulator sees it. */
  readonly request?: (url: URL) => void;
  readonly answer?: (exchange: Exchange) => void;
}

type Fetch = (request: Request) => Promise<Response>;

/** An API simulator that breaks a rule. */
export function mutated(fetch: Fetch, { request: changeUrl, answer }: Mutation): Fetch {
  return async original => {
    const url = new URL(original.url);
    changeUrl?.(url);
    const response = await fetch(new Request(url, original));
    const authorization = original.headers.get('authorization') ?? '';
    const exchange: Exchange = { url, authorization, status: response.status, body: await response.json() };
    answer?.(exchange);
    return new Response(JSON.stringify(exchange.body), { status: exchange.status });
  };
}

const isDns = (url: URL): boolean => url.pathname.endsWith('dns-blocks');
const limitOf = (url: URL): number => Number(url.searchParams.get('limit') ?? 100);

/** Changes the rows of every page of a stream. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function rows(change: (rows: any[]) => unknown, applies: (url: URL) => boolean = url => !isDns(url)): Mutation {
  return {
    answer({ url, body }) {
      if (body.pagination && applies(url)) change(body.data);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function eachRow(change: (row: any) => unknown, applies?: (url: URL) => boolean): Mutation {
  return rows(list => list.forEach(change), applies);
}

/** Changes the pagination object of every page. */
function pagination(change: (pagination: { next_cursor: string; page_size: number }) => unknown): Mutation {
  return {
    answer({ body }) {
      if (body.pagination) change(body.pagination);
    },
  };
}

function otherType(status: number): Mutation {
  return {
    answer({ status: given, body }) {
      if (given === status) body.type = 'about:blank';
    },
  };
}

/** Adds members to the answers of an endpoint. */
function members(path: RegExp, added: object): Mutation {
  return {
    answer({ url, body }) {
      if (path.test(url.pathname)) Object.assign(body, added);
    },
  };
}

/** Gives other limits to the API simulator than the request has. */
function limits(change: (limit: number) => number): Mutation {
  return { request: url => url.searchParams.set('limit', String(change(limitOf(url)))) };
}

/** Answers each call with a token but the first one with 401. */
function oncePerToken(): Mutation {
  const used = new Set<string>();
  return {
    answer(exchange) {
      if (exchange.url.pathname.endsWith('/token')) return;
      if (used.has(exchange.authorization)) exchange.status = 401;
      used.add(exchange.authorization);
    },
  };
}

/** Each page has one of these cursors, in turn. */
function circle(...cursors: string[]): Mutation {
  return {
    request: url => url.searchParams.delete('cursor'),
    ...pagination(page => {
      page.next_cursor = cursors[0]!;
      cursors.push(cursors.shift()!);
    }),
  };
}

function everySecondReversed(): Mutation {
  let calls = 0;
  return rows(list => (calls++ % 2 === 0 ? list : list.reverse()));
}

const TOKEN = /\/token$/;
const POSITION = { stream_position: '2026-01-01T00:00:00.000000Z' };

/** For each rule an API simulator that breaks it. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'lists-1': { answer: ({ body }) => delete body.pagination },
  'lists-2': pagination(page => page.page_size++),
  'lists-3': limits(limit => (limit === 100 ? 150 : limit)),
  'lists-4': limits(limit => (limit === 2 ? 3 : limit)),
  'lists-5': limits(limit => Math.min(limit, 500)),
  'lists-6': otherType(400),
  'lists-7': rows(
    list => list.splice(1, 1),
    url => limitOf(url) === 3,
  ),
  'lists-8': { request: url => url.searchParams.delete('cursor') },
  'lists-9': circle('one', 'two', 'three'),
  'lists-10': everySecondReversed(),
  'rows-1': eachRow(row => Object.assign(row, { id: 5 })),
  'rows-2': eachRow(row => Object.assign(row, { updated_at: '2026-01-01T00:00:00' }), isDns),
  'rows-3': rows(list => delete list[0]?.stream_position, isDns),
  'rows-4': rows(list => list.reverse()),
  'rows-5': eachRow(row => delete row.deleted_at),
  'rows-6': eachRow(row => Object.assign(row, { deleted: 'false' })),
  'rows-7': eachRow(row => delete row.blocked_at, isDns),
  'rows-8': rows(list => list.reverse(), isDns),
  'rows-9': rows(list => delete list[1]?.asset_id),
  'rows-10': eachRow(row => Object.assign(row, { asset_id: 'removed' })),
  'single-1': members(/assets\/[^/]+$/, POSITION),
  'single-2': members(/threats\/[^/]+$/, POSITION),
  'single-3': members(/\/related$/, { data: [{ id: 'x', deleted: true }] }),
  'auth-1': members(TOKEN, { token_type: 'bearer' }),
  'auth-2': members(TOKEN, { expires_in: 3600 }),
  'auth-3': members(TOKEN, { refresh_token: 'x' }),
  'auth-4': oncePerToken(),
  'auth-5': otherType(401),
  'auth-6': otherType(401),
  'auth-7': otherType(401),
  'auth-8': otherType(401),
  'auth-9': {
    request(url) {
      if (!url.searchParams.has('organization_id')) return;
      url.searchParams.delete('organization_id');
      url.searchParams.set('limit', '4');
    },
  },
};
