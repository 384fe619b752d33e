/** The fields of an event. */
export interface EventFields {
  readonly sequence: number;
  readonly kind?: 'upsert' | 'tombstone' | 'withdrawn' | 'dns_block' | 'oversize';
  readonly stream?: 'assets' | 'threats' | 'dns-blocks';
  readonly id?: string;
  readonly eventId?: string;
  readonly connector?: string;
  /** JSON text. */
  readonly row?: string;
  readonly time?: string | null;
  readonly forwardedAt?: string;
  readonly assetId?: string;
  readonly deadLetter?: string;
  readonly reason?: string;
}

const FORWARDED_AT = '2026-11-20T09:15:00.412Z';

/** The line of an event, as the connector writes it. */
export function envelope(fields: EventFields): string {
  const { sequence, kind = 'upsert', stream = 'assets', id = 'a', eventId, connector = 'acme', time = null } = fields;
  const head = {
    event_id: eventId ?? `${stream} ${id} ${sequence}`,
    sequence: String(sequence).padStart(20, '0'),
    kind,
    stream,
    id,
    time,
    stream_position: '7',
    connector,
    forwarded_at: fields.forwardedAt ?? FORWARDED_AT,
    asset_id: fields.assetId,
    dead_letter: fields.deadLetter,
    reason: fields.reason,
  };
  const text = JSON.stringify(head);
  return fields.row === undefined ? text : `${text.slice(0, -1)},"row":${fields.row}}`;
}
