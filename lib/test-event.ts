/**
 * The event of `connectorctl test-event`, in both formats. Every view leaves out its kind and its stream. Its sequence is below that of every
 * other event, so that it is never the latest, even to a reader that ignores kinds.
 */
export const TEST = { kind: 'test', stream: 'test', sequence: '0'.repeat(20) } as const;

export interface TestEvent {
  readonly connector: string;
  /** Also its `event_id`: 32 lowercase hex digits. */
  readonly id: string;
  readonly time: Date;
}

/** One JSON line with its line end. */
export function testEventLine(format: string, { connector, id, time }: TestEvent): string {
  const forwarded_at = time.toISOString();
  const envelope = {
    event_id: id,
    sequence: TEST.sequence,
    kind: TEST.kind,
    stream: TEST.stream,
    id,
    time: forwarded_at,
    stream_position: null,
    connector,
    forwarded_at,
  };
  return `${JSON.stringify(format === 'ocsf' ? baseEvent(id, connector, time.getTime()) : envelope)}\n`;
}

/** OCSF's Base Event, a class that no row has. */
function baseEvent(uid: string, tenant_uid: string, time: number) {
  return {
    class_uid: 0,
    category_uid: 0,
    activity_id: 99,
    type_uid: 99,
    activity_name: 'Test',
    severity_id: 1,
    time,
    message: 'A test of the delivery from the connector to the SIEM.',
    metadata: {
      version: '1.8.0',
      product: { name: 'Security Data External API', vendor_name: 'Security Data', version: 'v1' },
      uid,
      sequence: 0,
      log_name: TEST.stream,
      tenant_uid,
      processed_time: time,
      original_event_uid: uid,
    },
  };
}
