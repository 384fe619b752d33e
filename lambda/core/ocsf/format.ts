/** Event lines in OCSF 1.8.0: docs/ocsf.md says what is set and why. */
import { STREAMS } from '../../streams.ts';
import {
  type EventContext,
  type EventFormat,
  exceedsRecord,
  oversizeEventId,
  type RowEvent,
  rowEventId,
  withdrawnEventId,
} from '../event.ts';
import type { Row } from '../row.ts';
import { joined } from './attributes.ts';
import { attributesOf, classOf, type OcsfClass, WITHDRAWAL, withEndpoint } from './classes.ts';
import type { OcsfFields } from './fields.ts';
import { ocsfHead } from './head.ts';
import { type MappedRow, rowMapper } from './row.ts';

export interface OcsfOptions {
  /** Member of a threat that names its asset. */
  readonly parentMember: string;
  readonly fields: OcsfFields;
}

export function ocsfFormat(options: OcsfOptions): EventFormat {
  const mappers = mappersOf(options);
  return {
    row: (event, context) => rowLine(event, context, mappers),
    oversize: oversizeLine,
    withdrawn(id, tombstone, stream, sequence, context) {
      const eventId = withdrawnEventId(id, tombstone, stream, context);
      const subject = { id, time: tombstone.deletedAt, parent: tombstone.id };
      const head = ocsfHead({ ocsfClass: WITHDRAWAL, eventId, stream, sequence, subject }, context);
      const unmapped = tombstone.position === undefined ? '' : `,"unmapped":{"stream_position":${tombstone.position}}`;
      return `${head},${body(WITHDRAWAL, idAlone(WITHDRAWAL, id), tombstone.id)}${unmapped}}`;
    },
  };
}

type Mappers = Readonly<Record<'live' | 'removed', ReadonlyMap<string, (row: Row) => MappedRow>>>;

function mappersOf({ parentMember, fields }: OcsfOptions): Mappers {
  const mappers = (deleted: boolean) =>
    STREAMS.map(stream => {
      const ocsfClass = classOf(stream, deleted);
      // The class of removals has none of the attributes that assets are mapped to.
      const mapping = { ocsfClass, stream, parentMember, fields: deleted ? undefined : fields[stream.name] };
      return [stream.name as string, rowMapper(mapping)] as const;
    });
  return { live: new Map(mappers(false)), removed: new Map(mappers(true)) };
}

function rowLine(event: RowEvent, context: EventContext, mappers: Mappers): string {
  const { row, stream } = event;
  const ocsfClass = classOf(stream, row.deleted);
  const { attributes, unmapped } = mappers[row.deleted ? 'removed' : 'live'].get(stream.name)!(row);
  const head = ocsfHead({ ...event, ocsfClass, eventId: rowEventId(event, context), subject: row }, context);
  const { text } = row;
  const line = `${head},${body(ocsfClass, attributes, row.parent)},"raw_data":${JSON.stringify(text)}`;
  if (unmapped.length === 0) return `${line}}`;
  const members = unmapped.map(({ name, value }) => `${name}:${value}`).join(',');
  const whole = `${line},"unmapped":{${members}}}`;
  // The row stands there twice, and `raw_data` alone says everything.
  return exceedsRecord(whole) ? `${line}}` : whole;
}

function oversizeLine(event: RowEvent, context: EventContext, deadLetter: string): string {
  const { row, stream } = event;
  const ocsfClass = classOf(stream, row.deleted);
  const eventId = oversizeEventId(event, context);
  const head = ocsfHead({ ...event, ocsfClass, eventId, subject: row, truncated: true }, context);
  const position = row.position === undefined ? '' : `"stream_position":${row.position},`;
  const unmapped = `{${position}"dead_letter":${JSON.stringify(deadLetter)}}`;
  return `${head},${body(ocsfClass, idAlone(ocsfClass, row.id), row.parent)},"unmapped":${unmapped}}`;
}

/** What every event has behind its head. */
function body(ocsfClass: OcsfClass, attributes: Map<string, string>, parent: string | undefined): string {
  const constants = ocsfClass.constants === undefined ? '' : `,${ocsfClass.constants}`;
  const resources = parent === undefined ? '' : `,"resources":[{"uid":${JSON.stringify(parent)},"type":"Asset"}]`;
  return `${joined(withEndpoint(ocsfClass, attributes))}${constants}${resources}`;
}

function idAlone(ocsfClass: OcsfClass, id: string): Map<string, string> {
  const attributes = attributesOf(ocsfClass);
  const slots: string[] = [];
  const slot = attributes.slot(ocsfClass.idPath ?? '');
  if (slot >= 0) slots[slot] = JSON.stringify(id);
  return attributes.write(slots, () => undefined);
}
