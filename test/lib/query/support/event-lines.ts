/** The fields of an event. `envelope` and `ocsf` write them as lines of both formats, as the connector does. */
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

const CLASSES = { assets: 5001, threats: 2004, 'dns-blocks': 4003 };

/** In OCSF 1.8: docs/query.md says which attributes the views read. */
export function ocsf(fields: EventFields): string {
  const { sequence, kind = 'upsert', stream = 'assets', id = 'a', eventId, connector = 'acme', time = null } = fields;
  const isGoneAsset = kind === 'tombstone' || (kind === 'withdrawn' && stream === 'assets');
  const classUid = isGoneAsset ? 3004 : CLASSES[stream];
  const activity = { tombstone: 4, withdrawn: 99 }[kind as string] ?? 1;
  const forwarded = Date.parse(fields.forwardedAt ?? FORWARDED_AT);
  return JSON.stringify({
    class_uid: classUid,
    activity_id: activity,
    time: time === null ? forwarded : Date.parse(time),
    metadata: {
      uid: eventId ?? `${stream} ${id} ${sequence}`,
      sequence,
      log_name: stream,
      tenant_uid: connector,
      processed_time: forwarded,
      ...(classUid === 4003 && { original_event_uid: id }),
      ...((kind === 'oversize' || fields.deadLetter !== undefined) && { is_truncated: true }),
    },
    ...(classUid === 5001 && { device: { uid: id } }),
    ...(classUid === 3004 && { entity: { uid: id } }),
    ...(classUid === 2004 && { finding_info: { uid: id } }),
    ...(fields.assetId !== undefined && { resources: [{ uid: fields.assetId, type: 'Asset' }] }),
    ...(fields.row !== undefined && { raw_data: fields.row }),
    unmapped: {
      row: { odd: 'a member of this name' },
      dead_letter: fields.deadLetter ?? 'of the row itself',
      reason: kind === 'withdrawn' ? fields.reason : 'of the row itself',
    },
  });
}
