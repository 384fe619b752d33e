import type { DnsBlocks } from './dns-blocks.ts';
import type { TenantData } from './estate.ts';
import { readJson, shuffled, writeJson } from './json-text.ts';
import { type PageCutter, readLimit } from './page.ts';
import { ProblemError } from './problem.ts';
import type { RowWriter } from './rows.ts';
import type { PlatformSettings } from './settings.ts';
import type { Version, VersionedStream } from './versioned-stream.ts';

/** What the read endpoints work on. */
export interface Readable {
  readonly tenantData: TenantData;
  readonly dnsBlocks: DnsBlocks;
  readonly rows: RowWriter;
  readonly cutPage: PageCutter;
  readonly clock: () => number;
  readonly random: () => number;
  readonly settings: PlatformSettings;
}

/** Body of a page of a list. */
export function listBody(
  source: Readable,
  stream: 'assets' | 'threats' | 'dns-blocks',
  parameters: ReadonlyMap<string, string>,
): string {
  const limit = readLimit(parameters.get('limit'));
  const request = { endpoint: stream, limit, cursor: parameters.get('cursor') };
  const { rows, tenantData, dnsBlocks } = source;
  if (stream === 'dns-blocks') {
    dnsBlocks.settle();
    const page = source.cutPage(request, seq => dnsBlocks.log.after(seq));
    return pageBody(source.settings, page.entries.map(rows.dnsBlock), page.nextCursor);
  }
  const page = source.cutPage(request, seq => shown(tenantData[stream], seq, source));
  const write = stream === 'assets' ? rows.asset : rows.threat;
  const texts = page.entries.map(version => write(version, 'position'));
  return pageBody(source.settings, texts, page.nextCursor);
}

/** Positions never fall along the log, so what is withheld is its tail. */
function* shown(stream: VersionedStream, seq: number, { clock, settings }: Readable): Generator<Version> {
  const limit = settings.withholdMs > 0 ? (clock() - settings.withholdMs) * 1000 : Number.POSITIVE_INFINITY;
  for (const version of stream.log.after(seq)) {
    if (version.position > limit) return;
    yield version;
  }
}

function pageBody(settings: PlatformSettings, rows: readonly string[], nextCursor: string | null): string {
  const pagination = JSON.stringify({ next_cursor: nextCursor, page_size: rows.length });
  const [data, page] = [settings.rowsMember, settings.paginationMember].map(name => JSON.stringify(name));
  return `{${data}:[${rows.join(',')}],${page}:${pagination}}`;
}

/** Body of a read of one asset or threat. What no list shows as live data cannot be read. */
export function singleBody(source: Readable, kind: 'asset' | 'threat', id: string): string {
  const version = liveVersion(source.tenantData, kind, id);
  return source.rows[kind](version, 'null');
}

function liveVersion(tenantData: TenantData, kind: 'asset' | 'threat', id: string): Version {
  const version = tenantData[`${kind}s`].latest.get(id);
  const gone = version && (kind === 'asset' ? version.deletedAt !== 0 : tenantData.isHidden(version));
  if (!version || gone) throw new ProblemError('resource/not-found', `There is no such ${kind}.`);
  return version;
}

/** Body of the neighbours of an asset: the live ones among those created beside it. Never a tombstone. */
export function relatedBody(source: Readable, id: string): string {
  const { ordinal } = liveVersion(source.tenantData, 'asset', id);
  const { ids, latest } = source.tenantData.assets;
  const neighbours = [ordinal ^ 1, ordinal ^ 2, ordinal ^ 4]
    .map(other => latest.get(ids[other] ?? ''))
    .filter(version => version !== undefined && version.deletedAt === 0);
  const rows = neighbours.map(version => source.rows.asset(version!, 'null'));
  return `{${JSON.stringify(source.settings.rowsMember)}:[${rows.join(',')}]}`;
}

/** Lays a body out as the settings say, digits and names untouched. */
export function layOut(body: string, random: () => number, settings: PlatformSettings): string {
  if (!settings.shuffleMembers && !settings.prettyPrint) return body;
  const order = settings.shuffleMembers ? { order: shuffled(random) } : {};
  return writeJson(readJson(body), { indent: settings.prettyPrint ? 2 : 0, ...order });
}
