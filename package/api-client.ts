/** The API for programs of one's own, by the walk of the connector itself. Rows and answers are JSON text as the API sent it: no digit is lost. */
import { type ReadPagesOptions, readPages } from '../lambda/core/read-pages.ts';
import { rowCut } from '../lambda/core/row.ts';
import type { Clock } from '../lambda/ports.ts';
import type { Api } from '../lambda/source/api.ts';
import { PAGE_LIMIT, STREAMS, type Stream, type StreamName } from '../lambda/streams.ts';
import { sha256 } from '../lambda/system.ts';
import type { ListOptions, MemberNames, Page, SecurityDataClient } from './client-types.ts';

export interface ClientOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly dnsBlocksPath?: string;
  readonly names?: MemberNames;
}

/** Every method rejects as `Api` does; the iterators also with ContractError. */
export function createClient({ api, clock, dnsBlocksPath, names = {} }: ClientOptions): SecurityDataClient {
  const list = (stream: Stream, path: string, options: ListOptions = {}): AsyncIterable<Page> => {
    const { cursor, limit = PAGE_LIMIT.default, signal = new AbortController().signal } = options;
    if (!Number.isInteger(limit) || limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max) {
      throw new RangeError(`limit must be a whole number from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}`);
    }
    return pages({
      source: api,
      clock,
      hash: sha256,
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
  for await (const { rows, next } of readPages(options)) yield { rows: rows.map(row => row.text), nextCursor: next };
}
