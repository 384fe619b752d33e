import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { PositionShown, RowWriter } from './rows.ts';
import { isVersioned, type TenantData } from './tenant-data.ts';

/** What the API would answer if nothing were withheld: by stream and id, the newest row as JSON text. */
export type Truth = Readonly<Record<StreamName, ReadonlyMap<string, string>>>;

export interface TruthSource {
  readonly tenantData: TenantData;
  readonly writeRow: RowWriter;
}

type Entries = Iterable<readonly [id: string, row: string]>;

/** The rows of a stream. A removed row is its tombstone; its child rows are left out. */
function* rowsOf(name: StreamName, { tenantData, writeRow }: TruthSource, shown: PositionShown): Entries {
  if (isVersioned(name)) {
    for (const version of tenantData.streams[name].latest.values())
      if (!tenantData.isHidden(name, version)) yield [version.id, writeRow(name, version, shown)];
  } else for (const row of tenantData.streams[name].all()) yield [row.id, writeRow(name, row, shown)];
}

export function readTruth(source: TruthSource, shown: PositionShown): Truth {
  return Object.fromEntries(
    STREAMS.map(({ name }) => [name, new Map(rowsOf(name, source, shown))]),
  ) as unknown as Truth;
}

/** The truth as JSON text in pieces of some ten kilobytes, so that a million rows are never in memory at once. */
export function* truthText(source: TruthSource, shown: PositionShown): Generator<string> {
  let piece = '{';
  for (const [place, { name }] of STREAMS.entries()) {
    piece += `${place === 0 ? '' : ','}${JSON.stringify(name)}:{`;
    let comma = '';
    for (const [id, row] of rowsOf(name, source, shown)) {
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
