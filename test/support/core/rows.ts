/** Rows and list answers as JSON text. */
type Members = Readonly<Record<string, unknown>>;

/** `version` is the content of the row, `position` the stream_position of this delivery. */
interface Version extends Members {
  readonly version?: number;
  readonly position?: string | null;
}

const UPDATED = '2026-11-20T09:00:00Z';

function row(id: string, { position, ...members }: Version, others: Members): string {
  const place = position === undefined ? `p${members['version'] ?? 1}` : position;
  return JSON.stringify({ id, updated_at: UPDATED, stream_position: place, ...others, version: 1, ...members });
}

export function asset(id: string, version: Version = {}): string {
  return row(id, version, { deleted: false });
}

export function tombstone(id: string, version: Version = {}): string {
  return row(id, version, { deleted: true, deleted_at: '2026-11-20T09:10:00Z' });
}

export function threat(id: string, parent: string | undefined, version: Version = {}): string {
  return row(id, version, { asset_id: parent });
}

export function dnsBlock(id: string): string {
  return JSON.stringify({ id, blocked_at: '2026-11-20T09:05:00.120Z', domain: 'malware.example' });
}

/** The body of a list answer. */
export function answer(rows: readonly string[], nextCursor: string | null): string {
  const pagination = JSON.stringify({ next_cursor: nextCursor, page_size: rows.length });
  return `{"items":[${rows.join(',')}],"pagination":${pagination}}`;
}
