/** What stands first in every OCSF event: class, activity, time and `metadata`. */
import type { Stream } from '../../streams.ts';
import type { EventContext } from '../event.ts';
import type { Row } from '../row.ts';
import type { OcsfClass } from './classes.ts';
import { epochMilliseconds } from './time.ts';

export interface OcsfHead {
  readonly ocsfClass: OcsfClass;
  readonly eventId: string;
  readonly stream: Stream;
  readonly sequence: string;
  readonly subject: Pick<Row, 'id' | 'time'>;
  readonly known?: boolean;
  /** The row is not in the event. */
  readonly truncated?: boolean;
}

/** The beginning of the line; no comma at its end. */
export function ocsfHead(head: OcsfHead, { connector, forwardedAt }: EventContext): string {
  const { ocsfClass, eventId, stream, sequence, subject, known, truncated } = head;
  const { uid, category, update, profiles } = ocsfClass;
  const activity = known ? (update ?? ocsfClass.activity) : ocsfClass.activity;
  const processed = Date.parse(forwardedAt);
  const { id, time: original } = subject;
  const time = (original === undefined ? undefined : epochMilliseconds(original)) ?? processed;
  return (
    `{"class_uid":${uid},"category_uid":${category},"activity_id":${activity},"type_uid":${uid * 100 + activity},` +
    `"time":${time},"metadata":{"version":"1.8.0",${PRODUCT}${profilesMember(profiles)},"uid":"${eventId}",` +
    `"sequence":${integerOf(sequence)},"log_name":"${stream.name}","tenant_uid":${JSON.stringify(connector)},` +
    `"processed_time":${processed},"original_event_uid":${JSON.stringify(id)}` +
    `${original === undefined ? '' : `,"original_time":${JSON.stringify(original)}`}` +
    `${truncated ? ',"is_truncated":true' : ''}}`
  );
}

const PRODUCT = '"product":{"name":"Security Data External API","vendor_name":"Security Data","version":"v1"}';

function profilesMember(profiles: readonly string[] | undefined): string {
  return profiles === undefined ? '' : `,"profiles":${JSON.stringify(profiles)}`;
}

/** JSON allows no leading zeros. */
function integerOf(sequence: string): string {
  return sequence.replace(/^0+(?=\d)/, '');
}
