/**
 * The whole API for programs of one's own: the lists as async iterators of pages, and the single reads. The connector's
 * drain uses the same walk beneath. Rows and answers are JSON text as the API sent it, so that no digit is lost.
 *
 *     for await (const page of client.assets()) for (const row of page.rows) console.log(JSON.parse(row).id);
 */

import { type ReadPagesOptions, readPages } from '../core/read-pages.ts';
import { rowCut } from '../core/row.ts';
import type { Clock, MemberNames } from '../ports.ts';
import { PAGE_LIMIT, STREAMS, type Stream, type StreamName } from '../streams.ts';
import type { Api } from './api.ts';

export interface ClientOptions {
  readonly api: Api;
  readonly clock: Clock;
  /** Path of the DNS block list, which the specification does not show. */
  readonly dnsBlocksPath?: string;
  /** Names of the members that the specification does not show. @default found by what they hold */
  readonly names?: MemberNames;
}

export interface ListOptions {
  /** From an earlier page's `nextCursor`. @default from the beginning */
  readonly cursor?: string;
  /** Rows per page, 1 to 500. @default 500 */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface Page {
  /** One JSON text per row. */
  readonly rows: readonly string[];
  /** null: the end of the stream. Keep the newest that is not null, and poll with it. */
  readonly nextCursor: string | null;
}

/** Every method rejects as `Api` does; the iterators also with ContractError. */
export interface SecurityDataClient {
  assets(options?: ListOptions): AsyncIterable<Page>;
  threats(options?: ListOptions): AsyncIterable<Page>;
  /** @throws RangeError when the client was made without `dnsBlocksPath` */
  dnsBlocks(options?: ListOptions): AsyncIterable<Page>;
  /** @throws RangeError when no path can hold the id */
  asset(id: string): Promise<string>;
  /** The asset's current neighbours; no change stream, and never a tombstone. The payload's shape is not specified. */
  relatedAssets(id: string): Promise<string>;
  threat(id: string): Promise<string>;
}

export function createClient({ api, clock, dnsBlocksPath, names = {} }: ClientOptions): SecurityDataClient {
  const list = (stream: Stream, path: string, options: ListOptions = {}): AsyncIterable<Page> => {
    const { cursor, limit = PAGE_LIMIT.default, signal = new AbortController().signal } = options;
    if (!Number.isInteger(limit) || limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max) {
      throw new RangeError(`limit must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}`);
    }
    return pages({
      source: api,
      clock,
      path,
      cut: rowCut(stream, ''),
      cursor,
      previous: undefined,
      // The caller chose the cursor, so a refused one is not replaced.
      rewinds: false,
      limit,
      configuredNames: names,
      learnedNames: {},
      signal,
      onRefusedCursor: () => undefined,
    });
  };
  const { assets, threats, 'dns-blocks': blocks } = byName;
  return {
    assets: options => list(assets, assets.path, options),
    threats: options => list(threats, threats.path, options),
    dnsBlocks: options => {
      if (dnsBlocksPath === undefined) throw new RangeError('The path of the DNS block list was not given');
      return list(blocks, dnsBlocksPath, options);
    },
    asset: id => api.single({ path: assets.path, id }),
    relatedAssets: id => api.single({ path: assets.path, id, below: '/related' }),
    threat: id => api.single({ path: threats.path, id }),
  };
}

type Streams = { [Name in StreamName]: Extract<(typeof STREAMS)[number], { readonly name: Name }> };
const byName = Object.fromEntries(STREAMS.map(each => [each.name, each])) as unknown as Streams;

async function* pages(options: ReadPagesOptions): AsyncGenerator<Page, void, void> {
  for await (const { rows, next, repeats } of readPages(options)) {
    yield { rows: rows.map(row => row.text), nextCursor: next };
    // A cursor that comes back unchanged would be asked for again and again.
    if (repeats) return;
  }
}
