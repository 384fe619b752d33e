/** A row as the walk sees it: its untouched text, and the few members that the connector reads. */
import type { DeadLetter, FilterResult, Hash, RowSummary } from '../ports.ts';
import type { FilteredStream, Stream } from '../streams.ts';
import { ContractError, JsonError } from './errors.ts';
import { type CutElement, type CutMember, cutBody } from './json/cutter.ts';

export interface Row {
  readonly id: string;
  /** As the API sent it, but for line breaks between its tokens. */
  readonly text: string;
  /** Digest of the content, `stream_position` aside: blind to the order of members and to white space, not to digits. */
  readonly rowHash: string;
  /** JSON text of `stream_position`; absent when the row has none. */
  readonly position: string | undefined;
  readonly time: string | undefined;
  readonly deleted: boolean;
  /** Id of the row that this one disappears with, where the row names it. */
  readonly parent: string | undefined;
  /** Digest of the row before members are left out. */
  readonly wholeHash: string;
  /** What the filter of its stream says. A tombstone is always sent: it may lack what the filter asks for. */
  readonly filter: FilterResult;
  /** What the window holds of it. Absent when the window could not distinguish this version from a later one. */
  readonly versionTag: string | undefined;
}

/** A row that cannot be an event, with what the window remembers of it. */
export interface BadRow {
  readonly reason: Exclude<DeadLetter['reason'], 'oversize'>;
  /** Bytes where they are not UTF-8, or nested too deep to be read; of such a row a summary where members are left out. */
  readonly row: DeadLetter['row'];
  readonly rowHash: string;
  readonly versionTag: string;
}

/** Ids longer than this, in bytes, would not fit the items that remember them. */
const MAX_ID_BYTES = 16_384;
const HASH_LENGTH = 32;
/** Hexadecimal characters of a version tag: 96 bits, so that no two rows share one by chance. The hash of the content covers the id. */
const TAG_LENGTH = 24;

/** Places among the members that are read from each row. */
const POSITION = 0;
const ID = 1;
const TIME = 2;
const DELETED = 3;
const DELETED_AT = 4;
const PARENT = 5;

/** The members to read from each row of a stream. The hash of a row is blind to the first of them. */
export function rowCut(stream: Stream, parentMember: string): readonly string[] {
  const members = ['stream_position', 'id', stream.timeMember, 'deleted', 'deleted_at'];
  return stream.cascadesFrom ? [...members, parentMember] : members;
}

/** How a walk reads the rows of a stream. */
export function rowReading(stream: FilteredStream, parentMember: string, hash: Hash) {
  return { cut: rowCut(stream, parentMember), read: (element: CutElement) => readRow(element, stream, hash) };
}

/** Reads one element of the row array (rule 13: what cannot be an event is a dead letter). */
export function readRow(whole: CutElement, stream: FilteredStream, hash: Hash): Row | BadRow {
  if (whole.violation) return badRow(whole.violation, whole, stream, hash);
  if (!whole.isObject) return badRow('not-an-object', whole, stream, hash);

  const element = stream.filter?.reduce(whole) ?? whole;
  const id = textOf(element.taken[ID]);
  if (!id) return badRow('no-id', element, stream, hash);
  if (!isStorable(id)) return badRow('id-too-long', element, stream, hash);

  const isRemoved = stream.tombstones ? removalIn(element) : false;
  if (isRemoved === undefined) return badRow('unclear-removal', element, stream, hash);
  return new CutRow({ id, isRemoved, element, whole, stream, hash });
}

/**
 * Whether the row is a tombstone. A wrong guess would keep a removed asset in the SIEM, or withdraw the threats of one that exists:
 *
 *     deleted           deleted_at        the asset
 *     true              anything          is removed
 *     false             anything          exists: one that was restored may keep the date of its removal
 *     absent or null    absent or null    exists
 *     absent or null    anything else     unclear
 *     anything else     anything          unclear, such as "true" or 1
 *
 * @returns undefined when that is unclear
 */
function removalIn({ taken }: CutElement): boolean | undefined {
  const deleted = taken[DELETED] ?? 'null';
  if (deleted === 'true' || deleted === 'false') return deleted === 'true';
  const hasDate = (taken[DELETED_AT] ?? 'null') !== 'null';
  return deleted === 'null' && !hasDate ? false : undefined;
}

function badRow(reason: BadRow['reason'], element: CutElement, { filter }: FilteredStream, hash: Hash): BadRow {
  const { violation, isObject, bytes, text } = element;
  const rowHash = contentHash(element, hash);
  const versionTag = rowHash.slice(0, TAG_LENGTH);
  // Members that are to be left out cannot be found in such a row, so all of it is.
  if (filter?.omits && (violation || !isObject)) return { reason, row: summaryOf(element), rowHash, versionTag };
  return { reason, row: bytes ?? withoutLineBreaks(text), rowHash, versionTag };
}

function summaryOf({ text, bytes, taken }: CutElement): RowSummary {
  const id = textOf(taken[ID]);
  // Bytes of an id that are not UTF-8 are read as replacement characters.
  const isReadable = id && isStorable(id) && !id.includes('\ufffd');
  return { bytes: bytes?.length ?? Buffer.byteLength(text), ...(isReadable && { id }) };
}

function contentHash({ content, bytes, text }: CutElement, hash: Hash): string {
  return hash(content ?? (bytes ? Buffer.from(bytes).toString('latin1') : text)).slice(0, HASH_LENGTH);
}

interface RowParts {
  readonly id: string;
  readonly isRemoved: boolean;
  /** The row without the members that are left out. */
  readonly element: CutElement;
  readonly whole: CutElement;
  readonly stream: FilteredStream;
  readonly hash: Hash;
}

class CutRow implements Row {
  readonly id: string;
  readonly text: string;
  readonly rowHash: string;
  readonly wholeHash: string;
  readonly position: string | undefined;
  readonly time: string | undefined;
  readonly deleted: boolean;
  readonly parent: string | undefined;
  readonly versionTag: string | undefined;
  readonly #stream: FilteredStream;
  /** The row before members are left out, of which the filter decides. */
  readonly #whole: string;
  /** Canonical text of `stream_position`, of whatever type it is. */
  readonly #position: string | undefined;
  #filter: FilterResult | undefined;

  constructor(parts: RowParts) {
    const { id, isRemoved, element, whole, stream, hash } = parts;
    const { taken, text } = element;
    this.#stream = stream;
    this.#whole = whole.text;
    this.#position = taken[POSITION];
    this.id = id;
    this.text = withoutLineBreaks(text);
    this.rowHash = contentHash(element, hash);
    this.wholeHash = whole === element ? this.rowHash : contentHash(whole, hash);
    this.position = scalar(this.#position);
    this.time = (isRemoved ? asTime(taken[DELETED_AT]) : undefined) ?? asTime(taken[TIME]);
    this.deleted = isRemoved;
    const parent = stream.cascadesFrom ? textOf(taken[PARENT]) : undefined;
    this.parent = parent && isStorable(parent) ? parent : undefined;
    this.versionTag = this.#versionTag(hash);
  }

  /** Evaluated when it is asked for: of a row that is in the window, it never is. */
  get filter(): FilterResult {
    this.#filter ??= this.deleted ? 'send' : this.#decide();
    return this.#filter;
  }

  #decide(): FilterResult {
    const { filter } = this.#stream;
    // A comparison with NaN, for a time that is absent or cannot be read, is false.
    if (filter?.since !== undefined && Date.parse(this.time ?? '') < filter.since) return 'filtered';
    return filter?.decide(this.#whole) ?? 'send';
  }

  /**
   * Immutable rows are known by content alone. Of a row that changes, the window must distinguish a version from the same
   * content come again after another (A, B, A): only the position does, and without one the row states decide.
   */
  #versionTag(hash: Hash): string | undefined {
    if (this.#stream.hasRowStates)
      return this.position && hash(`${this.#position}\n${this.rowHash}`).slice(0, TAG_LENGTH);
    // The tag is that of the whole row, because a block stays the same when other members are left out.
    return this.wholeHash.slice(0, TAG_LENGTH);
  }
}

/** Whether the items that remember the id have room for it. */
function isStorable(id: string): boolean {
  return id.length <= MAX_ID_BYTES / 3;
}

/** The value of a JSON string; undefined for any other JSON text. */
function textOf(json: string | undefined): string | undefined {
  if (!json?.startsWith('"')) return undefined;
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,12})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** A text that readers of events can parse as a time. Anything else is still in the row. */
function asTime(json: string | undefined): string | undefined {
  const text = textOf(json);
  return text !== undefined && ISO_8601.test(text) ? text : undefined;
}

/** Longer positions are left to the row itself: what repeats members of a row must stay small when the row is not. */
const MAX_POSITION_LENGTH = 1_024;

/** The specification promises an ordering key or null; a value that is neither text nor number is left out. */
function scalar(position: string | undefined): string | undefined {
  const isScalar = position !== undefined && '"-0123456789'.includes(position[0]!);
  return isScalar && position.length <= MAX_POSITION_LENGTH ? position : undefined;
}

/** Inside strings JSON allows no raw line break, so each one here is white space between tokens. */
function withoutLineBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+[ \t]*/g, '') : text;
}

/**
 * The row in the answer of a single read. It may be the whole answer, or the one object within it: the specification does not say.
 * `stream_position` is null here, and a row's digest is blind to it.
 *
 * @throws ContractError when there is no such row
 */
export function singleRow(answer: string, path: string, cut: readonly string[]): CutElement {
  const whole = rowOf(answer, path, cut);
  if (whole.taken[ID] !== undefined) return whole;
  const inner = membersOf(answer, path, cut)
    .filter(({ text }) => text.startsWith('{'))
    .map(({ text }) => rowOf(text, path, cut));
  if (inner.length === 1 && inner[0]!.taken[ID] !== undefined) return inner[0]!;
  throw new ContractError(path, 'neither the answer nor its one object has an id');
}

/** The one element that a row's text is. @throws ContractError when it is not JSON */
export function rowOf(text: string, path: string, cut: readonly string[]): CutElement {
  const members = membersOf(`{"rows":[${text}]}`, path, cut);
  const [only, ...others] = members[0]?.elements ?? [];
  if (only && members.length === 1 && others.length === 0) return only;
  throw new ContractError(path, 'not one JSON value');
}

function membersOf(text: string, path: string, cut: readonly string[]): CutMember[] {
  try {
    return [...cutBody(Buffer.from(text), cut)];
  } catch (error) {
    if (error instanceof JsonError) throw new ContractError(path, `not JSON (${error.message})`, { cause: error });
    throw error;
  }
}
