import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { ReadContext } from './lists.ts';
import type { PositionShown } from './rows.ts';
import { isVersionedStream } from './tenant-data.ts';

/**
 * The rows that the API would return if it withheld nothing: the newest row of each id as JSON
 * text, by stream and id.
 */
export type Truth = Readonly<Record<StreamName, ReadonlyMap<string, string>>>;

type TruthSource = Pick<ReadContext, 'tenantData' | 'writeRow'>;

/** The rows of a stream by id. A removed row is a tombstone, and its child rows are left out. */
function* rowsOf(name: StreamName, source: TruthSource, shown: PositionShown): Generator<readonly [string, string]> {
  const { tenantData, writeRow } = source;
  const rows = isVersionedStream(name) ? tenantData.streams[name].latest.values() : tenantData.streams[name].all();
  for (const row of rows) if (!tenantData.isHidden(name, row)) yield [row.id, writeRow(name, row, shown)];
}

export function readTruth(source: TruthSource, shown: PositionShown): Truth {
  const streams = STREAMS.map(({ name }) => [name, new Map(rowsOf(name, source, shown))]);
  return Object.fromEntries(streams) as unknown as Truth;
}

const PIECE_CHARACTERS = 65_536;

/** The truth as JSON text in pieces, so that a million rows are never in memory at once. */
export function* truthText(source: TruthSource, shown: PositionShown): Generator<string> {
  let piece = '';
  for (const [index, { name }] of STREAMS.entries()) {
    piece += `${index === 0 ? '{' : '},'}${JSON.stringify(name)}:{`;
    let comma = '';
    for (const [id, row] of rowsOf(name, source, shown)) {
      piece += `${comma}${JSON.stringify(id)}:${row}`;
      comma = ',';
      if (piece.length <= PIECE_CHARACTERS) continue;
      yield piece;
      piece = '';
    }
  }
  yield `${piece}}}`;
}
