import type { DnsBlocks } from './dns-blocks.ts';
import type { PositionShown, RowWriter } from './rows.ts';
import type { TenantData } from './tenant-data.ts';

/** What the API would answer if nothing were withheld: by stream and id, the newest row as JSON text. */
export type Truth = Readonly<Record<'assets' | 'threats' | 'dns-blocks', ReadonlyMap<string, string>>>;

export interface TruthSource {
  readonly tenantData: TenantData;
  readonly dnsBlocks: DnsBlocks;
  readonly rows: RowWriter;
}

type Entries = Iterable<readonly [id: string, row: string]>;

/** The rows of each stream. A removed asset is its tombstone; its threats are left out. */
function truthRows({ tenantData, dnsBlocks, rows }: TruthSource, shown: PositionShown): Record<keyof Truth, Entries> {
  return {
    assets: mapped(tenantData.assets.latest.values(), version => [version.id, rows.asset(version, shown)]),
    threats: mapped(tenantData.threats.latest.values(), version =>
      tenantData.isHidden(version) ? undefined : [version.id, rows.threat(version, shown)],
    ),
    'dns-blocks': mapped(dnsBlocks.all(), block => [block.id, rows.dnsBlock(block)]),
  };
}

function* mapped<T>(source: Iterable<T>, entry: (item: T) => readonly [string, string] | undefined) {
  for (const item of source) {
    const result = entry(item);
    if (result) yield result;
  }
}

export function readTruth(source: TruthSource, shown: PositionShown): Truth {
  const { assets, threats, 'dns-blocks': dnsBlocks } = truthRows(source, shown);
  return { assets: new Map(assets), threats: new Map(threats), 'dns-blocks': new Map(dnsBlocks) };
}

/** The truth as JSON text in pieces of some ten kilobytes, so that a million rows are never in memory at once. */
export function* truthText(source: TruthSource, shown: PositionShown): Generator<string> {
  let piece = '{';
  let stream = '';
  for (const [name, entries] of Object.entries(truthRows(source, shown))) {
    piece += `${stream === '' ? '' : ','}${JSON.stringify(name)}:{`;
    stream = name;
    let comma = '';
    for (const [id, row] of entries) {
      piece += `${comma}${JSON.stringify(id)}:${row}`;
      comma = ',';
      if (piece.length > 65_536) {
        yield piece;
        piece = '';
      }
    }
    piece += '}';
  }
  yield `${piece}}`;
}
