/**
 * The event of `connectorctl test-event`. Every view of the events leaves it out, because of its
 * kind and its stream. Its sequence is smaller than that of every other event, so that it is never
 * the latest event, even to a reader that ignores kinds.
 */
export const TEST_EVENT = { kind: 'test', stream: 'test', sequence: '0'.repeat(20) } as const;

export interface TestEvent {
  readonly connector: string;
  /** Id of the test event, which is also its `event_id`: 32 lowercase hex digits. */
  readonly id: string;
  readonly time: Date;
}

/** Writes the test event as one JSON line, including the line end. */
export function testEventLine({ connector, id, time }: TestEvent): string {
  const forwarded_at = time.toISOString();
  const event = {
    event_id: id,
    sequence: TEST_EVENT.sequence,
    kind: TEST_EVENT.kind,
    stream: TEST_EVENT.stream,
    id,
    time: forwarded_at,
    stream_position: null,
    connector,
    forwarded_at,
  };
  return `${JSON.stringify(event)}\n`;
}
