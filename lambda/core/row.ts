/** A row as the walk sees it: its untouched text, and the few members that the connector reads. */
import type { DeadLetter, Hash } from '../ports.ts';
import type { Stream } from '../streams.ts';
import { idTag, SHORT_TAG } from './id-tag.ts';
import type { CutElement, CutOptions } from './json-cutter.ts';

export interface Row {
  readonly id: string;
  /** As the API sent it, but for line breaks between its tokens. */
  readonly text: string;
  /** Digest of the content, `stream_position` aside: blind to the order of members and to white space, not to digits. */
  readonly digest: string;
  /** Raw JSON text of `stream_position`; absent when the row has none. */
  readonly position: string | undefined;
  readonly time: string | undefined;
  readonly deleted: boolean;
  /** Id of the row that this one vanishes with, where the row says so. */
  readonly owner: string | undefined;
  /** Identity of this delivery of this version: equal only for the same row, content and position. */
  readonly delivery: string;
  /** What the window remembers; absent when the window cannot tell this version from a later one. */
  readonly fingerprint: string | undefined;
}

/** A row that cannot be an event, with what the window remembers of it. */
export interface BadRow {
  readonly reason: Exclude<DeadLetter['reason'], 'oversize'>;
  readonly text: string;
  readonly digest: string;
  readonly fingerprint: string;
}

/** Ids longer than this, in bytes, would not fit the items that remember them. */
const MAX_ID_BYTES = 16_384;
const DIGEST_LENGTH = 32;
const FINGERPRINT_LENGTH = 16;

/** The members to cut from each row of a stream; `readRow` relies on this order. */
export function rowCut(stream: Stream, ownerMember: string): CutOptions {
  return {
    wanted: [
      'id',
      'stream_position',
      stream.timeMember,
      'deleted',
      'deleted_at',
      stream.vanishesWith ? ownerMember : '',
    ],
    excluded: 'stream_position',
  };
}

/** Reads one element of the row array (rule: no non-empty string `id`, no event). */
export function readRow(body: string, element: CutElement, stream: Stream, hash: Hash): Row | BadRow {
  const text = withoutLineBreaks(body.slice(element.start, element.end));
  const digest = hash(element.canonical).slice(0, DIGEST_LENGTH);
  const bad = (reason: BadRow['reason']): BadRow => ({ reason, text, digest, fingerprint: fingerprintOf('', digest) });
  if (!element.isObject) return bad('not-an-object');
  const [id, position, time, deleted, deletedAt, owner] = element.wanted;
  const rowId = asString(id);
  if (!rowId) return bad('no-id');
  if (rowId.length > MAX_ID_BYTES / 3) return bad('id-too-long');
  const removed = stream.tombstones && deleted === 'true';
  const delivery = hash(`${stream.name}\n${removed ? 'tombstone' : stream.kind}\n${id}\n${position ?? ''}\n${digest}`);
  return {
    id: rowId,
    text,
    digest,
    position: scalar(position),
    time: asTime(removed ? deletedAt : time) ?? asTime(time),
    deleted: removed,
    owner: stream.vanishesWith ? asString(owner) || undefined : undefined,
    delivery,
    fingerprint: fingerprint(stream, rowId, position, digest, delivery),
  };
}

/**
 * Immutable rows are known by content alone. Of a row that changes, the window must tell a version from the same content
 * come again after another (A, B, A): only the position does, and without one the row states decide.
 */
function fingerprint(stream: Stream, id: string, position: string | undefined, digest: string, delivery: string) {
  if (stream.memory === 'window') return fingerprintOf(id, digest);
  return scalar(position) === undefined ? undefined : fingerprintOf(id, delivery);
}

function fingerprintOf(id: string, digest: string): string {
  return idTag(id).slice(-SHORT_TAG) + digest.slice(0, FINGERPRINT_LENGTH);
}

/** The value of a JSON string; nothing for any other JSON text. */
function asString(json: string | undefined): string | undefined {
  if (json === undefined || json.charCodeAt(0) !== 0x22) return undefined;
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Only what a reader of events may take for a time; anything else still stands in the row. */
function asTime(json: string | undefined): string | undefined {
  const value = asString(json);
  return value !== undefined && ISO_8601.test(value) ? value : undefined;
}

/** The specification promises an ordering key or null; what is neither text nor number is not passed off as one. */
function scalar(position: string | undefined): string | undefined {
  return position !== undefined && /^["\d-]/.test(position) ? position : undefined;
}

/** Inside strings JSON allows no raw line break, so each one here is white space between tokens. */
function withoutLineBreaks(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+[ \t]*/g, '') : text;
}
