/** The network between a process and the platform. */
import type { Fetch } from '../../../lambda/source/http.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { Platform } from '../../../local/platform/platform.ts';
import { pathOf } from '../../../local/platform/settings.ts';
import type { FaultKind, History, StubbornFault } from '../history.ts';
import type { SimProcess } from './process.ts';

export const ORIGIN = 'http://127.0.0.1';

export interface NetworkHooks {
  readonly platform: Platform;
  readonly history: Pick<History, 'rowsThatFit' | 'badRow'>;
  readonly isForgotten: (cursor: string) => boolean;
  /** Called with each list answer; returns how many rows it holds. */
  readonly onPage: (stream: StreamName, body: string, fits: number) => number;
  readonly onBadRow: () => void;
  readonly onRefusedCursor: () => void;
}

export function networkOf(process: SimProcess, hooks: NetworkHooks): Fetch {
  return (url, init) => {
    const answered = process.io({
      effect: () => answer(url, init, hooks),
      strike: (fault, effect) => strike(fault, url, effect as () => Promise<Response>, process, hooks),
    });
    return Promise.race([answered, aborted(init.signal)]);
  };
}

/** A row that can be no event; the walk must continue after it. */
export const BAD_ROW = '{"note":"a row without an id"}';
const TOO_LARGE = String(2 ** 30);

async function answer(url: string, init: RequestInit, hooks: NetworkHooks): Promise<Response> {
  const { platform, history, isForgotten, onRefusedCursor, onPage } = hooks;
  const cursor = new URL(url).searchParams.get('cursor');
  if (cursor !== null && isForgotten(cursor)) {
    onRefusedCursor();
    return problem(400, 'request/invalid-cursor');
  }
  // The caller's signal stays here: whoever gives up must not stop what has already left.
  const stream = streamOf(url, platform);
  const hasBadRow = history.badRow && stream === 'assets';
  const asked = hasBadRow ? withRoom(url) : url;
  const response = await platform.fetch(new Request(asked, { ...init, signal: null }));
  if (!stream || response.status !== 200) return response;
  const body = await response.text();
  const { rowsThatFit: fits = Number.POSITIVE_INFINITY } = history;
  const rows = onPage(stream, body, fits);
  if (rows > fits) return new Response(body, { status: 200, headers: { 'content-length': TOO_LARGE } });
  const isBad = hasBadRow && asked !== url && body.includes('"asset-0"');
  if (isBad) hooks.onBadRow();
  return new Response(isBad ? withBadRow(body) : body, { status: 200 });
}

/**
 * A page never holds more rows than were asked for. The platform is asked for one less, so that the bad row is delivered whenever its
 * asset is. Otherwise a killed run could see it and no later run.
 */
function withRoom(url: string): string {
  const { href, searchParams } = new URL(url);
  const limit = Number(searchParams.get('limit'));
  return limit > 1 ? href.replace(`limit=${limit}`, `limit=${limit - 1}`) : url;
}

function withBadRow(body: string): string {
  const grown = body.replace(/"page_size":\s*(\d+)/, (_, size: string) => `"page_size":${Number(size) + 1}`);
  return grown.replace(/\[\s*\{/, `[${BAD_ROW},{`);
}

function problem(status: number, type: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: `https://problems.example/${type}` }), { status, headers });
}

function strike(
  fault: FaultKind | StubbornFault,
  url: string,
  effect: () => Promise<Response>,
  process: SimProcess,
  { platform, onRefusedCursor }: NetworkHooks,
): (() => Promise<Response>) | undefined {
  const list = streamOf(url, platform);
  const answers = (status: number, type: string, headers?: Record<string, string>) => async () =>
    problem(status, type, headers);
  switch (fault) {
    case 'throttle':
      return answers(429, 'request/too-many', { 'retry-after': String(process.random.int(0, 3)) });
    case 'server-error':
      return answers(503, 'server/unavailable');
    case 'unauthorised':
      return list && answers(401, 'auth/expired-token');
    case 'refuse-cursor':
      if (!list || !new URL(url).searchParams.has('cursor')) return undefined;
      onRefusedCursor();
      return answers(400, 'request/invalid-cursor');
    case 'not-json':
      return async () => new Response('<html>Bad gateway</html>', { status: 200 });
    case 'partial':
      return async () => cutShort(await effect());
    default:
      return undefined;
  }
}

function streamOf(url: string, platform: Platform): StreamName | undefined {
  const { pathname } = new URL(url);
  return STREAMS.find(({ name }) => pathOf(name, platform.settings) === pathname)?.name;
}

async function cutShort(response: Response): Promise<Response> {
  const body = await response.text();
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body.slice(0, body.length >> 1)));
    },
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(broken, { status: response.status });
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    else signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
