/** Walks a list of the API from its beginning and notes in a ledger what it holds; nothing is sent or saved. */
import { rowKey, rowPrefix } from '../../../lambda/adapters/keys.ts';
import { sha256 } from '../../../lambda/adapters/sha256.ts';
import { type Row, readRow, rowCut } from '../../../lambda/core/row.ts';
import { walk } from '../../../lambda/core/walk.ts';
import type { MemberNames } from '../../../lambda/ports.ts';
import { type DrainedStream, PAGE_LIMIT } from '../../../lambda/streams.ts';
import type { Access } from '../access/access.ts';
import type { Context } from '../context.ts';
import type { Progress } from '../report/progress.ts';
import { FACT, type Ledger } from './ledger.ts';

export interface Walked {
  readonly pages: number;
  readonly rows: number;
  /** Rows that no event can carry: the connector keeps them as dead letters. */
  readonly unsendable: number;
  /** Digests of what was listed last, by the places of rows that are not equal to their state. */
  readonly digests: ReadonlyMap<number, string>;
  /** The API told the end by `null`, and not by the same cursor again and again. */
  readonly ended: boolean;
}

export interface WalkInput {
  readonly access: Access;
  readonly stream: DrainedStream;
  /** Nothing: rows are counted alone. */
  readonly ledger: Ledger | undefined;
  readonly learned: MemberNames;
  readonly progress: Progress;
}

/** @throws as the API's client does */
export async function walkStream({ clock, signal }: Context, input: WalkInput): Promise<Walked> {
  const { access, stream, ledger, learned, progress } = input;
  const digests = new Map<number, string>();
  let pages = 0;
  let rows = 0;
  let unsendable = 0;
  let ended = true;
  const list = walk({
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
      else if (ledger) news = note(row, stream, ledger, digests) || news;
    }
    progress.advance(page.rows.length, `${rows} rows of ${stream.name} read`);
    // A cursor that comes back would be asked for again and again; as in a run, only news is a reason to go on.
    if (page.repeats && !news) {
      ended = false;
      break;
    }
  }
  return { pages, rows, unsendable, digests, ended };
}

/** The last occurrence of an id counts, as it does for the SIEM. @returns whether the list had not said it yet */
function note(row: Row, { name }: DrainedStream, ledger: Ledger, digests: Map<number, string>): boolean {
  const place = ledger.place(rowKey(name, row.id, sha256).pk.S.slice(rowPrefix(name).length));
  const before = ledger.facts(place);
  const wasListed = (before & (FACT.live | FACT.tombstone)) !== 0;
  const news = !wasListed || (digests.get(place) ?? ledger.digest(place)) !== row.digest;
  const state = before & (FACT.sent | FACT.told | FACT.damaged | FACT.stale);
  const equal = ledger.digest(place) === row.digest;
  ledger.setFacts(place, state | (row.deleted ? FACT.tombstone : FACT.live) | (equal ? FACT.equal : 0));
  if (equal) digests.delete(place);
  // Of what was never sent there may be millions; the ledger has room where no state has put a digest.
  else if (state === 0) ledger.setDigest(place, row.digest);
  else digests.set(place, row.digest);
  return news;
}
