/**
 * Decides what a page means: which rows are changes, what is sent for them, what is written before and after, and the state that the
 * next page starts from. Pure: no clock, no table, no randomness. A state is a value: nothing changes in place.
 *
 *     page      [a v2]  [b v1]  [c tombstone]  [a v3]
 *     known      a v1    b v1    c v1
 *     batch      lines    upsert a v3, tombstone c          a v2 was superseded within the page, b is a re-delivery
 *                states   a v3, c removed
 *                removals c                                 its threats are withdrawn once all assets are read
 *
 * The window holds the version tags of the rows read last, so that the page that every poll reads again costs no look-up:
 *
 *     assets, threats   the last page              window {a1 b1}, page [b1 c1] → c1 is looked up → window {b1 c1}
 *                       while it is cut again      window {a1 b1 b2}, page [a1] → window {a1 b1 b2}, page [b1] → window {b1 b2}
 *     DNS blocks        at least two pages         the only memory of them, so it is shortened only at the end of a walk
 */

import type {
  Checkpoint,
  ChildEntry,
  DeadLetter,
  Hash,
  Intent,
  ListedRemoval,
  RowState,
  SavedStream,
} from '../ports.ts';
import { childOf, type NamedStream, type SelectedStream } from '../streams.ts';
import { type EventContext, eventLine, filteredWithdrawal, withdrawnLine } from './event.ts';
import { idTag, SHORT_TAG } from './hashes.ts';
import type { ReadPage } from './read-pages.ts';
import { type BadRow, type Row, readRow } from './row.ts';
import type { StreamResult } from './run.ts';
import { type Sequences, sequenceAt } from './sequence.ts';

/** What a run knows of one stream while it reads it. */
export interface StreamState {
  /** As of the last batch that was decided. Its window is `window`. */
  readonly checkpoint: Omit<Checkpoint, 'window'>;
  /** Version tags of the rows read last, oldest first. */
  readonly window: ReadonlySet<string>;
  /** Tags of the last two pages of this walk, of streams without row states. */
  readonly pages: readonly (readonly string[])[];
  /** Tags of ids that an earlier run may have sent although no row state says so, with the first `sequence` of their batch … */
  readonly unconfirmed: ReadonlyMap<string, string>;
  /** … and those of them that it may have called gone. */
  readonly gone: ReadonlySet<string>;
  /** Row states of the last batch. They may not be in the table yet. */
  readonly staged: ReadonlyMap<string, RowState>;
  /** The intent of the last batch that sent something. */
  readonly intent: Intent | undefined;
}

/** The checkpoint of a stream that was never read. */
export const BEGINNING: Checkpoint = {
  cursor: undefined,
  previous: undefined,
  window: [],
  generation: 0,
  names: {},
  committed: '',
  selection: '',
  selections: 0,
};

/**
 * An intent up to the committed `sequence` is void. Of the others only the first can have been sent, since a batch waits for the commit of
 * the one before it:
 *
 *     committed 5, intents [–: d] [3: a] [6: b c] [8: e]   →   unconfirmed b c d
 *
 * Where one id is in both, the later intent counts.
 */
export function openIntents({ checkpoint, intents }: SavedStream): Pick<StreamState, 'unconfirmed' | 'gone'> {
  const carried = intents.filter(({ sequence }) => sequence === '');
  const sent = intents.filter(({ sequence }) => sequence > checkpoint.committed).slice(0, 1);
  const open = [...carried, ...sent];
  return {
    unconfirmed: new Map(open.flatMap(({ first, idTags }) => idTags.map(tag => [tag, first] as const))),
    gone: new Set(open.flatMap(({ goneTags }) => goneTags)),
  };
}

/** What a run begins with. */
export function initialState(saved: SavedStream, { cascadesFrom }: SelectedStream): StreamState {
  const { window: tags, ...checkpoint } = saved.checkpoint;
  const open = openIntents(saved);
  const window = new Set(tags);
  return {
    checkpoint,
    // A kill before the checkpoint leaves rows in the window that were withdrawn with their parent. When the parent is restored they may
    // reappear where they were.
    window: cascadesFrom ? forget(window, [...open.gone]) : window,
    pages: [],
    ...open,
    staged: new Map(),
    intent: undefined,
  };
}

/** What the table keeps of a state. */
export function toCheckpoint({ checkpoint, window }: StreamState): Checkpoint {
  return { ...checkpoint, window: [...window] };
}

/**
 * Whether the SIEM may have an event of this id that its row state does not know of. A state that is as new as the intent was written after
 * the events were acknowledged.
 */
export function isUnconfirmed(
  { unconfirmed }: Pick<StreamState, 'unconfirmed'>,
  id: string,
  known?: Pick<RowState, 'sequence'>,
): boolean {
  const first = unconfirmed.size === 0 ? undefined : unconfirmed.get(idTag(id));
  return first !== undefined && (known === undefined || known.sequence < first);
}

/** Everything that follows from one page, from one piece of withdrawals, or from one refreshed page. See commit.ts. */
export interface Batch {
  /** 1. Written before anything is sent: the ids that are about to be. */
  readonly intent: Intent | undefined;
  /** 1. Whether ids turned out to be confirmed: what is unconfirmed is written again without them. */
  readonly confirms: boolean;
  /** 1. Written with the intent: which row belongs to which parent. */
  readonly children: readonly ChildEntry[];
  /** 2. Rows that cannot be sent. */
  readonly deadLetters: readonly DeadLetter[];
  /** 3. The events. */
  readonly lines: readonly string[];
  /** 4. Removals whose child rows are to be withdrawn. */
  readonly removals: readonly ListedRemoval[];
  /** 5. What the SIEM has now, by id. */
  readonly states: ReadonlyMap<string, RowState>;
  /** 6. Whether the checkpoint has changed. */
  readonly saves: boolean;
  /** What the next batch starts from. */
  readonly state: StreamState;
  /** Counted once the events are acknowledged. */
  readonly sent: Partial<StreamResult>;
}

export interface DecideOptions {
  readonly stream: SelectedStream & NamedStream;
  /** One for each row. */
  readonly sequences: Sequences;
  readonly context: EventContext;
  /** Where a dead letter will be stored, for the notice that points to it. */
  readonly locate: (deadLetter: DeadLetter) => string;
}

/** The rows of a page that need a decision. */
export interface Candidates {
  readonly rows: readonly Row[];
  readonly bad: readonly BadRow[];
  /** Of every row of the page, superseded ones included. */
  readonly versionTags: readonly string[];
  readonly superseded: number;
  readonly inWindow: number;
}

/** Keeps the last row per id and drops rows that are already in the de-duplication window. */
export function deDuplicate(
  { rows }: Pick<ReadPage, 'rows'>,
  state: StreamState,
  stream: SelectedStream,
  hash: Hash,
): Candidates {
  const last = new Map<string, Row>();
  const bad = new Map<string, BadRow>();
  const versionTags: string[] = [];
  for (const element of rows) {
    const row = readRow(element, stream, hash);
    if (row.versionTag !== undefined) versionTags.push(row.versionTag);
    if ('reason' in row) bad.set(row.rowHash, row);
    else {
      // Deleted first: the row takes its place in the order of the last occurrences.
      last.delete(row.id);
      last.set(row.id, row);
    }
  }
  const inWindow = ({ versionTag }: Row | BadRow) => versionTag !== undefined && state.window.has(versionTag);
  // Also of an unconfirmed id: what the SIEM may have beside this version is read after it, is listed as a removal, or comes with a walk
  // from the beginning. Where every version is kept, this one may be older.
  const candidates = [...last.values()].filter(row => !inWindow(row));
  const candidatesBad = [...bad.values()].filter(row => !inWindow(row));
  return {
    rows: candidates,
    bad: candidatesBad,
    versionTags,
    superseded: rows.length - last.size - bad.size,
    inWindow: last.size - candidates.length + bad.size - candidatesBad.length,
  };
}

/** What was forwarded of one id before. */
export interface Known {
  readonly state: RowState | undefined;
  /** The SIEM may have an event of this id that the state does not know of … */
  readonly unconfirmed: boolean;
  /** … perhaps one that calls it gone. */
  readonly gone: boolean;
  /** States of an earlier generation no longer say what the SIEM has. */
  readonly generation: number;
}

/**
 * `forward`: the SIEM lacks it. `suppress`: the SIEM has it. `adopt`: the SIEM has it, but the state must learn its parent. `unseen`: the
 * tombstone of a row that the SIEM does not have (specification, consumer rule 2). `withhold`: the filter excludes it, and the SIEM does not
 * have it. `withdraw`: the filter excludes it, and the SIEM has it, or may have it.
 */
export type Decision = 'forward' | 'suppress' | 'adopt' | 'unseen' | 'withhold' | 'withdraw';

/** `updated_at` takes no part: a row is a change when its content differs, whatever its times say. */
export function classify(row: Row, { state, unconfirmed, generation }: Known): Decision {
  const status = row.deleted ? 'removed' : 'live';
  if (row.filter === 'withhold') return state?.status === 'live' || unconfirmed ? 'withdraw' : 'withhold';
  const siemHas = state !== undefined && state.status !== 'withheld' && state.rowHash !== '';
  if (row.deleted && !unconfirmed && !siemHas) return 'unseen';
  if (state?.status !== status || unconfirmed) return 'forward';
  if (state.generation < generation || state.rowHash !== row.rowHash) return 'forward';
  return state.parent === row.parent ? 'suppress' : 'adopt';
}

/** What the batch before decided wins over the table: its commit may have ended before, during or after the look-up. */
export function knownOf(id: string, stored: ReadonlyMap<string, RowState>, state: StreamState): Known {
  const { generation } = state.checkpoint;
  const staged = state.staged.get(id);
  if (staged) return { state: staged, unconfirmed: false, gone: false, generation };
  const known = stored.get(id);
  const unconfirmed = isUnconfirmed(state, id, known);
  return { state: known, unconfirmed, gone: unconfirmed && state.gone.has(idTag(id)), generation };
}

/** Revision of the next event that says that the row exists. */
export function nextRevision({ state, gone }: Known): number {
  return (state?.revision ?? 0) + (gone || (state && state.status !== 'live') ? 1 : 0);
}

/** A row that a filter withdrew may come back as it was: the events after a change of the selection are others. */
export function revisionName(revision: number, { selections }: Pick<Checkpoint, 'selections'>): string {
  return revision + selections === 0 ? '' : `${revision}.${selections}`;
}

/** What follows from one row, or from one withdrawal. */
export interface Outcome {
  readonly id: string;
  readonly sequence: string;
  readonly line?: string | undefined;
  readonly deadLetter?: DeadLetter | undefined;
  readonly state?: RowState | undefined;
  readonly child?: ChildEntry | undefined;
  readonly removal?: ListedRemoval | undefined;
  /** Whether the line calls the row gone, or an unconfirmed one before it may have. */
  readonly gone?: boolean;
  /** What is counted once the line is acknowledged. */
  readonly sent?: Partial<StreamResult>;
}

/** Of a row of a stream without row states. */
const NOTHING: Known = { state: undefined, unconfirmed: false, gone: false, generation: 0 };

/** The decision about one row, and what follows from it. @param known absent for streams without row states */
export function decideRow(
  row: Row,
  sequence: string,
  known: Known | undefined,
  checkpoint: Pick<Checkpoint, 'generation' | 'selections'>,
  options: DecideOptions,
): { readonly decision: Decision; readonly outcome: Outcome } {
  const decision = classify(row, known ?? NOTHING);
  return { decision, outcome: outcomeOf(decision, row, sequence, known, checkpoint, options) };
}

function outcomeOf(
  decision: Decision,
  row: Row,
  sequence: string,
  known: Known | undefined,
  checkpoint: Pick<Checkpoint, 'generation' | 'selections'>,
  options: DecideOptions,
): Outcome {
  const { id } = row;
  const before = known?.state;
  if (decision === 'forward') return forwarded(row, sequence, known, checkpoint, options);
  if (decision === 'withdraw') {
    const { stream, context } = options;
    const revision = revisionName(before?.revision ?? 0, checkpoint);
    const line = withdrawnLine(filteredWithdrawal({ row, stream, sequence, revision }, context), context);
    const state = stateOf('withheld', row, sequence, before?.revision ?? 0, checkpoint, options);
    return { id, sequence, line, state: known && state, gone: true, sent: { withdrawn: 1, withdrawnByFilter: 1 } };
  }
  if (decision === 'adopt') {
    const state: RowState = { ...before!, parent: row.parent };
    return { id, sequence, state, child: childEntry(row, state.sequence, before) };
  }
  if (decision === 'suppress' || !childOf(options.stream.name)) return { id, sequence };
  // Whether an asset exists decides what becomes of its threats. So a state says it of a row that the SIEM does not have, too.
  if (decision === 'withhold')
    return { id, sequence, state: stateOf('withheld', row, sequence, before?.revision ?? 0, checkpoint, options) };
  // Listed even when the asset was never seen: its threats may have been, between the asset walk and the threat walk.
  return before?.status === 'removed' ? { id, sequence } : { id, sequence, removal: removalOf(row, sequence) };
}

function forwarded(
  row: Row,
  sequence: string,
  known: Known | undefined,
  checkpoint: Pick<Checkpoint, 'generation' | 'selections'>,
  options: DecideOptions,
): Outcome {
  const { stream, context, locate } = options;
  const { id, deleted } = row;
  const before = known?.state;
  const revision = deleted ? (before?.revision ?? 0) : nextRevision(known ?? NOTHING);
  const event = { row, stream, sequence, revision: revisionName(revision, checkpoint) };
  const { line, deadLetter } = eventLine(event, context, locate);
  const state = known && stateOf(deleted ? 'removed' : 'live', row, sequence, revision, checkpoint, options);
  return {
    id,
    sequence,
    line,
    deadLetter,
    state,
    child: childEntry(row, sequence, before),
    removal: deleted && childOf(stream.name) ? removalOf(row, sequence) : undefined,
    gone: deleted || known?.gone === true,
    sent: {
      forwarded: 1,
      tombstones: deleted ? 1 : 0,
      oversize: deadLetter ? 1 : 0,
      withoutParent: stream.cascadesFrom && row.parent === undefined ? 1 : 0,
    },
  };
}

function stateOf(
  status: RowState['status'],
  row: Row,
  sequence: string,
  revision: number,
  { generation }: Pick<Checkpoint, 'generation'>,
  { context: { forwardedAt } }: DecideOptions,
): RowState {
  const isWithheld = status === 'withheld';
  const rowHash = isWithheld ? '' : row.rowHash;
  // A withheld row has no event that could be withdrawn with its parent.
  const parent = isWithheld ? undefined : row.parent;
  return { status, rowHash, generation, parent, sequence, forwardedAt, revision };
}

/** The entry under a parent that was left stays until that parent's removal, which passes it over. */
function childEntry({ id, parent }: Row, sequence: string, before: RowState | undefined): ChildEntry | undefined {
  const isChild = before?.status === 'live' && before.parent === parent;
  return parent === undefined || isChild ? undefined : { parent, id, sequence };
}

function removalOf({ id, time: deletedAt, position }: Row, sequence: string): ListedRemoval {
  return { id, deletedAt, position, sequence };
}

/** Everything that follows from a page. @param stored row states found in the table, for the candidates that are not staged */
export function decide(
  page: Omit<ReadPage, 'rows'>,
  candidates: Candidates,
  stored: ReadonlyMap<string, RowState>,
  state: StreamState,
  options: DecideOptions,
): { readonly batch: Batch; readonly read: Partial<StreamResult> } {
  const { stream, sequences } = options;
  const decisions = candidates.rows.map((row, index) => {
    const sequence = sequenceAt(sequences, index + 1);
    const known = stream.hasRowStates ? knownOf(row.id, stored, state) : undefined;
    return decideRow(row, sequence, known, state.checkpoint, options);
  });
  const deadLetters = candidates.bad.map(({ reason, row, rowHash }) => ({ stream: stream.name, reason, row, rowHash }));
  const batch = batchOf(
    decisions.map(({ outcome }) => outcome),
    state,
    options,
    {
      deadLetters,
      confirmed: confirmedTags(candidates, stored, state),
      checkpoint: positionAfter(page, state),
      ...windowAfter(page, candidates, state, stream),
    },
  );
  return { batch, read: readCounts(candidates, decisions) };
}

/** Of unconfirmed ids whose state is as new as their intent. */
function confirmedTags(
  { rows }: Candidates,
  stored: ReadonlyMap<string, RowState>,
  { unconfirmed }: StreamState,
): string[] {
  if (unconfirmed.size === 0) return [];
  return rows.flatMap(({ id }) => {
    const tag = idTag(id);
    const known = stored.get(id);
    return unconfirmed.has(tag) && known && !isUnconfirmed({ unconfirmed }, id, known) ? [tag] : [];
  });
}

function readCounts(
  { rows, versionTags: _, superseded, inWindow, bad }: Candidates,
  decisions: readonly { readonly decision: Decision }[],
): Partial<StreamResult> {
  const counts = { suppress: inWindow, adopt: 0, unseen: 0, withhold: 0, withdraw: 0, forward: 0 };
  for (const { decision } of decisions) counts[decision]++;
  return {
    rows: rows.length + bad.length + superseded + inWindow,
    superseded,
    suppressed: counts.suppress + counts.adopt,
    unseenTombstones: counts.unseen,
    filtered: counts.withhold + counts.withdraw,
    filterFaults: rows.filter(({ filter }) => filter === 'fault').length,
  };
}

/** Saves the newest non-null cursor (walk rule 1), unless it leads around a circle (rule 4). */
function positionAfter(page: Omit<ReadPage, 'rows'>, { checkpoint }: StreamState) {
  const { rows, pagination } = checkpoint.names;
  const isSame = page.names.rows === rows && page.names.pagination === pagination;
  return { ...cursorsAfter(page, checkpoint), names: isSame ? checkpoint.names : page.names };
}

/**
 * The cursor that was sent has just worked, so it is the one to fall back to. Where the next one leads around a circle the cursor stays, and
 * the one that is not followed takes the place of the one before. The next run knows it as followed, and stops after one page:
 *
 *     c1 → c2 → c3          saved: cursor c3, previous c2
 *     c1 → c2 → c3 → c1     saved: cursor c3, previous c1
 */
function cursorsAfter(
  { sent, next, repeats }: Omit<ReadPage, 'rows'>,
  { cursor, previous }: StreamState['checkpoint'],
) {
  if (repeats) return { cursor: sent, previous: next === null || next === sent ? previous : next };
  const after = next ?? sent;
  return { cursor: after, previous: after === cursor ? previous : next === null ? undefined : sent };
}

/** Tags that the window keeps at most, where it is the only memory: two pages, and two more with which the walk began. */
const MOST_TAGS = 2_000;

function windowAfter(
  { next }: Pick<ReadPage, 'next'>,
  { versionTags }: Candidates,
  { window, pages: before }: StreamState,
  stream: SelectedStream,
): Pick<StreamState, 'window' | 'pages'> {
  if (versionTags.length === 0 && next !== null) return { window, pages: before };
  if (stream.hasRowStates)
    return { window: versionTags.length > 0 ? lastPage(versionTags, window, next) : window, pages: [] };
  const pages = versionTags.length > 0 ? [...before, versionTags].slice(-2) : before;
  const isWhole = next === null && pages.length === 2;
  const kept = new Set(isWhole ? pages[0] : window);
  for (const tag of versionTags.length > 0 ? versionTags : (pages.at(-1) ?? [])) {
    // A Set keeps the order of insertion: a tag that is seen again becomes the newest.
    kept.delete(tag);
    kept.add(tag);
  }
  for (const oldest of kept) {
    if (kept.size <= MOST_TAGS) break;
    kept.delete(oldest);
  }
  return { window: kept, pages };
}

/** The last page, and what is still to come of the one before while that is cut again. */
function lastPage(versionTags: readonly string[], window: ReadonlySet<string>, next: string | null) {
  const page = new Set(versionTags);
  const before = next === null ? [] : [...window];
  const read = before.findLastIndex(tag => page.has(tag));
  if (read >= 0) for (const tag of before.slice(read + 1)) page.add(tag);
  return page;
}

/** What a batch changes beside the states of its rows. */
export interface BatchChanges extends Partial<Pick<StreamState, 'window' | 'pages'>> {
  readonly checkpoint?: Partial<Checkpoint>;
  readonly deadLetters?: readonly DeadLetter[];
  /** Tags of unconfirmed ids whose state is as new as their intent. */
  readonly confirmed?: readonly string[];
}

/** Puts the outcomes of rows together. */
export function batchOf(
  outcomes: readonly Outcome[],
  state: StreamState,
  { stream }: Pick<DecideOptions, 'stream'>,
  changes: BatchChanges = {},
): Batch {
  const { checkpoint, window = state.window, pages = state.pages, deadLetters = [], confirmed = [] } = changes;
  const lines: string[] = [];
  const states = new Map<string, RowState>();
  const children: ChildEntry[] = [];
  const removals: ListedRemoval[] = [];
  const rejected = [...deadLetters];
  const idTags: string[] = [];
  const goneTags: string[] = [];
  const sent: Record<string, number> = { deadLetters: deadLetters.length };
  let first = '';
  let committed = '';
  for (const outcome of outcomes) {
    if (outcome.state) states.set(outcome.id, outcome.state);
    if (outcome.child) children.push(outcome.child);
    if (outcome.removal) removals.push(outcome.removal);
    if (outcome.deadLetter) rejected.push(outcome.deadLetter);
    if (outcome.line === undefined) continue;
    lines.push(outcome.line);
    first ||= outcome.sequence;
    committed = outcome.sequence;
    if (stream.hasRowStates) {
      const tag = idTag(outcome.id);
      idTags.push(tag);
      if (outcome.gone) goneTags.push(tag);
    }
    for (const [name, count] of Object.entries(outcome.sent ?? {})) sent[name] = (sent[name] ?? 0) + Number(count);
  }
  const intent = idTags.length > 0 ? { first, sequence: committed, idTags, goneTags } : undefined;
  const next = { ...state.checkpoint, ...checkpoint };
  const saves =
    lines.length > 0 ||
    Object.entries(checkpoint ?? {}).some(([name, value]) => value !== state.checkpoint[name as 'cursor']) ||
    !sameTags(window, state.window);
  return {
    intent,
    confirms: confirmed.length > 0,
    children,
    deadLetters: rejected,
    lines,
    removals,
    states,
    saves,
    sent: { ...sent, deadLetters: rejected.length },
    state: {
      checkpoint: { ...next, committed: next.committed < committed ? committed : next.committed },
      window,
      pages,
      // The batch's own intent stands for its ids from here on.
      unconfirmed: without(state.unconfirmed as Map<string, string>, [...idTags, ...confirmed]),
      gone: without(state.gone as Set<string>, [...idTags, ...confirmed]),
      staged: states,
      intent: intent ?? state.intent,
    },
  };
}

/** A copy without these entries. An empty collection is returned as it is. */
function without<T extends Set<string> | Map<string, string>>(all: T, removed: readonly string[]): T {
  if (all.size === 0) return all;
  const left = new (all.constructor as new (from: T) => T)(all);
  for (const each of removed) left.delete(each);
  return left;
}

/** Forgets every version of the ids with these tags, so that one that comes back unchanged is looked up. */
export function forget(window: ReadonlySet<string>, idTags: readonly string[]): ReadonlySet<string> {
  if (idTags.length === 0 || window.size === 0) return window;
  const tags = new Set(idTags.map(tag => tag.slice(-SHORT_TAG)));
  const kept = [...window].filter(tag => !tags.has(tag.slice(0, SHORT_TAG)));
  return kept.length === window.size ? window : new Set(kept);
}

/** Whether two windows hold the same tags, in whatever order. */
function sameTags(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const tag of one) if (!other.has(tag)) return false;
  return true;
}
