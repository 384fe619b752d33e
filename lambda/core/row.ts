/** A row as the walk sees it: its untouched text, and the few members that the connector reads. */
import type { DeadLetter, FilterResult, Hash, RowSummary } from '../ports.ts';
import type { FilteredStream, Stream } from '../streams.ts';
import { ContractError, JsonError } from './errors.ts';
import { type CutElement, type CutMember, cutBody } from './json/cutter.ts';

export interface Row {
  readonly id: string;
  /** Text of the row as the API sent it, except that line breaks between tokens are left out. */
  readonly text: string;
  /**
   * Digest of the content. It ignores `stream_position`, the order of members and white space, but
   * not digits.
   */
  readonly rowHash: string;
  /** JSON text of `stream_position`; absent when the row does not have this member. */
  readonly position: string | undefined;
  readonly time: string | undefined;
  readonly deleted: boolean;
  /** Id of the parent, if the row names it. The row disappears together with its parent. */
  readonly parent: string | undefined;
  /** Digest of the whole row, including the members that `omit` leaves out. */
  readonly wholeHash: string;
  /**
   * Decision of the stream's filter. A tombstone is always sent, because it may lack the members
   * that the filter reads.
   */
  readonly filter: FilterResult;
  /**
   * Tag by which the window remembers this version of the row. Absent when the tag could not
   * distinguish this version from a later version.
   */
  readonly versionTag: string | undefined;
}

/** A row that cannot become an event, with the tag by which the window remembers it. */
export interface BadRow {
  readonly reason: Exclude<DeadLetter['reason'], 'oversize'>;
  /**
   * Text of the row, or its bytes if they are not UTF-8. It is a summary if members must be left
   * out that cannot be found.
   */
  readonly row: DeadLetter['row'];
  readonly rowHash: string;
  readonly versionTag: string;
}

/** Longest id, in bytes. The table stores the id in several items, whose size is limited. */
const MAX_ID_BYTES = 16_384;
const HASH_LENGTH = 32;
/**
 * Number of hexadecimal characters of a version tag. They hold 96 bits, so that no two rows share a
 * tag by chance. The hash of the content covers the id.
 */
const TAG_LENGTH = 24;

/** Indexes in the list that `membersToCut` returns. */
const POSITION = 0;
const ID = 1;
const TIME = 2;
const DELETED = 3;
const DELETED_AT = 4;
const PARENT = 5;

/**
 * Names of the members to read from each row of a stream. The hash of a row ignores the member that
 * is first in this list, `stream_position`.
 */
export function membersToCut(stream: Stream, parentMember: string): readonly string[] {
  const members = ['stream_position', 'id', stream.timeMember, 'deleted', 'deleted_at'];
  return stream.cascadesFrom ? [...members, parentMember] : members;
}

/** Options with which a walk reads the rows of a stream. */
export function rowReadOptions(stream: FilteredStream, parentMember: string, hash: Hash) {
  return { cut: membersToCut(stream, parentMember), read: (element: CutElement) => readRow(element, stream, hash) };
}

/**
 * Reads one element of the row array. An element that cannot become an event becomes a dead letter.
 */
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
 * Whether the row is a tombstone. A wrong guess would keep a removed asset in the SIEM, or withdraw
 * the threats of an existing asset:
 *
 *     deleted           deleted_at        the asset
 *     true              anything          is removed
 *     false             anything          exists: a restored asset may keep the date of its removal
 *     absent or null    absent or null    exists
 *     absent or null    anything else     unclear
 *     anything else     anything          unclear, for example "true" or 1
 *
 * @returns undefined when the answer is unclear
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
  // The members to leave out cannot be found in such a row, so the whole row is replaced by a
  // summary.
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
  /** Row without the members that `omit` leaves out. */
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
  /** Text of the row before members are left out. The filter decides by this text. */
  readonly #whole: string;
  /** Canonical text of `stream_position`, whatever its type is. */
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

  /**
   * Decision of the filter. It is made only on demand, because a row that is in the window does not
   * need a decision.
   */
  get filter(): FilterResult {
    this.#filter ??= this.deleted ? 'send' : this.#decide();
    return this.#filter;
  }

  #decide(): FilterResult {
    const { filter } = this.#stream;
    // A time that is absent or cannot be read becomes NaN. A comparison with NaN is false, so the
    // row is not filtered here.
    if (filter?.since !== undefined && Date.parse(this.time ?? '') < filter.since) return 'filtered';
    return filter?.decide(this.#whole) ?? 'send';
  }

  /**
   * Computes the tag for the window. An immutable row is identified by its content alone. For a row
   * that changes, the tag must distinguish a version from the same content that returns after
   * another version (A, B, A). Only the position makes this distinction. A row without a position
   * has no tag, so its row state decides.
   */
  #versionTag(hash: Hash): string | undefined {
    if (this.#stream.hasRowStates)
      return this.position && hash(`${this.#position}\n${this.rowHash}`).slice(0, TAG_LENGTH);
    // The tag covers the whole row, because the window must still recognize a DNS block after
    // `omit` has changed.
    return this.wholeHash.slice(0, TAG_LENGTH);
  }
}

/**
 * Whether the id is short enough to be stored in the table. A UTF-16 unit has at most three bytes
 * in UTF-8, so an id is short enough if it has at most a third as many units as the number of bytes
 * that are allowed.
 */
function isStorable(id: string): boolean {
  return id.length <= MAX_ID_BYTES / 3;
}

/** Returns the value of a JSON string; undefined for any other JSON text. */
function textOf(json: string | undefined): string | undefined {
  if (!json?.startsWith('"')) return undefined;
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,12})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/**
 * Returns the text if readers of events can parse it as a time. Any other value stays only in the
 * row.
 */
function asTime(json: string | undefined): string | undefined {
  const text = textOf(json);
  return text !== undefined && ISO_8601.test(text) ? text : undefined;
}

/**
 * Longest position, in characters, that an event repeats outside its row. The part of an event
 * around the row must stay small, even if the row is large.
 */
const MAX_POSITION_LENGTH = 1_024;

/**
 * The specification promises an ordering key or null, so a value that is neither a string nor a
 * number is left out.
 */
function scalar(position: string | undefined): string | undefined {
  const isScalar = position !== undefined && '"-0123456789'.includes(position[0]!);
  return isScalar && position.length <= MAX_POSITION_LENGTH ? position : undefined;
}

/**
 * JSON does not allow raw line breaks inside strings, so each line break here is white space
 * between tokens.
 */
function withoutLineBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+[ \t]*/g, '') : text;
}

/**
 * Finds the row in the answer of a single read. The row is either the whole answer or the only
 * object within it, because the specification does not say which of the two it is.
 * `stream_position` is null in such an answer, but a row's digest ignores it.
 *
 * @throws ContractError when there is no such row
 */
export function singleRow(answer: string, path: string, cut: readonly string[]): CutElement {
  const whole = rowElement(answer, path, cut);
  if (whole.taken[ID] !== undefined) return whole;
  const inner = membersOf(answer, path, cut)
    .filter(({ text }) => text.startsWith('{'))
    .map(({ text }) => rowElement(text, path, cut));
  if (inner.length === 1 && inner[0]!.taken[ID] !== undefined) return inner[0]!;
  throw new ContractError(path, 'neither the answer nor its one object has an id');
}

/**
 * Reads the text of one row as an element.
 *
 * @throws ContractError when the text is not one JSON value
 */
export function rowElement(text: string, path: string, cut: readonly string[]): CutElement {
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
