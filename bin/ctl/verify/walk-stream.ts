/** Walks a list of the API from its beginning and notes in a ledger what it holds; nothing is sent or saved. */

import { readPages } from '../../../lambda/core/read-pages.ts';
import { type Row, readRow, rowCut } from '../../../lambda/core/row.ts';
import type { MemberNames } from '../../../lambda/ports.ts';
import { rowKey, rowPrefix } from '../../../lambda/store/item.ts';
import { PAGE_LIMIT, type SyncedStream } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import type { Access } from '../access/access.ts';
import type { Context } from '../context.ts';
import type { Progress } from '../report/progress.ts';
import { FACT, type IdIndex } from './ledger.ts';

export interface Walked {
  readonly pages: number;
  readonly rows: number;
  /** Rows that no event can carry: the connector keeps them as dead letters. */
  readonly unsendable: number;
  /** Digests of what was listed last, by the places of rows that are not equal to their state. */
  readonly rowHashes: ReadonlyMap<number, string>;
  /** The API told the end by `null`, and not by the same cursor again and again. */
  readonly ended: boolean;
}

export interface WalkInput {
  readonly access: Access;
  readonly stream: SyncedStream;
  /** Nothing: rows are counted alone. */
  readonly idIndex: IdIndex | undefined;
  readonly learned: MemberNames;
  readonly progress: Progress;
}

/** @throws as the API's client does */
export async function walkStream({ clock, signal }: Context, input: WalkInput): Promise<Walked> {
  const { access, stream, idIndex, learned, progress } = input;
  const rowHashes = new Map<number, string>();
  let pages = 0;
  let rows = 0;
  let unsendable = 0;
  let ended = true;
  const list = readPages({
    source: access.api,
    clock,
    path: stream.path,
    cut: rowCut(stream, access.settings.threatAssetField),
    cursor: undefined,
    previous: undefined,
    rewinds: false,
    limit: PAGE_LIMIT.max,
    configuredNames: access.settings.names,
    learnedNames: learned,
    signal,
    onRefusedCursor: () => undefined,
  });
  for await (const page of list) {
    pages++;
    rows += page.rows.length;
    let news = false;
    for (const element of page.rows) {
      const row = readRow(element, stream, sha256);
      if ('reason' in row) unsendable++;
      else if (idIndex) news = note(row, stream, idIndex, rowHashes) || news;
    }
    progress.advance(page.rows.length, `${rows} rows of ${stream.name} read`);
    // A cursor that comes back would be asked for again and again; as in a run, only news is a reason to go on.
    if (page.repeats && !news) {
      ended = false;
      break;
    }
  }
  return { pages, rows, unsendable, rowHashes, ended };
}

/** The last occurrence of an id counts, as it does for the SIEM. @returns whether the list had not said it yet */
function note(row: Row, { name }: SyncedStream, idIndex: IdIndex, rowHashes: Map<number, string>): boolean {
  const place = idIndex.place(rowKey(name, row.id, sha256).pk.S.slice(rowPrefix(name).length));
  const before = idIndex.facts(place);
  const wasListed = (before & (FACT.live | FACT.tombstone)) !== 0;
  const news = !wasListed || (rowHashes.get(place) ?? idIndex.rowHash(place)) !== row.rowHash;
  const state = before & (FACT.sent | FACT.told | FACT.damaged | FACT.stale);
  const equal = idIndex.rowHash(place) === row.rowHash;
  idIndex.setFacts(place, state | (row.deleted ? FACT.tombstone : FACT.live) | (equal ? FACT.equal : 0));
  if (equal) rowHashes.delete(place);
  // Of what was never sent there may be millions; the ledger has room where no state has put a digest.
  else if (state === 0) idIndex.setDigest(place, row.rowHash);
  else rowHashes.set(place, row.rowHash);
  return news;
}
