/** Event lines in OCSF 1.8.0: docs/ocsf.md says what is set and why. */
import { STREAMS, type Stream } from '../../streams.ts';
import {
  type EventContext,
  type EventFormat,
  exceedsRecord,
  oversizeEventId,
  type RowEvent,
  rowEventId,
} from '../event.ts';
import { type RowMember, rowMembers } from '../json/members.ts';
import type { Row } from '../row.ts';
import {
  type Attributes,
  joined,
  type OcsfField,
  type OcsfFields,
  type OcsfStreamFields,
  type Slots,
} from './attributes.ts';
import { attributesOf, classOf, type OcsfClass, withdrawalClass, withEndpoint } from './classes.ts';
import { epochMilliseconds, takeValue } from './values.ts';

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
    withdrawn({ eventId, stream, sequence, subject, parent, reason }, context) {
      const ocsfClass = withdrawalClass(stream, reason);
      const head = ocsfHead({ ocsfClass, eventId, stream, sequence, subject }, context);
      const members = [
        ...(subject.position === undefined ? [] : [`"stream_position":${subject.position}`]),
        ...(reason === undefined ? [] : [`"reason":"${reason}"`]),
      ];
      const unmapped = members.length === 0 ? '' : `,"unmapped":{${members.join(',')}}`;
      return `${head},${body(ocsfClass, idAlone(ocsfClass, subject.id), parent)}${unmapped}}`;
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
  // The row would be there twice, and `raw_data` alone has everything.
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

/** What follows the head of every event. */
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

/** The head of every OCSF event: class, activity, time and `metadata`. */
export interface OcsfHead {
  readonly ocsfClass: OcsfClass;
  readonly eventId: string;
  readonly stream: Stream;
  readonly sequence: string;
  readonly subject: Pick<Row, 'id' | 'time'>;
  readonly known?: boolean;
  readonly refreshOf?: string;
  /** The row is not in the event. */
  readonly truncated?: boolean;
}

/** The beginning of the line; no comma at its end. */
export function ocsfHead(head: OcsfHead, { connector, forwardedAt }: EventContext): string {
  const { ocsfClass, eventId, stream, sequence, subject, known, refreshOf, truncated } = head;
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
    `${truncated ? ',"is_truncated":true' : ''}${refreshOf === undefined ? '' : ',"labels":["refresh"]'}}`
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

/** What of a row becomes OCSF attributes, and what is left for `unmapped`. */
export interface MappedRow {
  /** Attributes at the top of the event, as JSON texts. */
  readonly attributes: Map<string, string>;
  /** Members of the row as they are written. */
  readonly unmapped: readonly RowMember[];
}

interface Target extends OcsfField {
  readonly slot: number;
  readonly captionSlot: number;
}

export interface RowMapping {
  readonly ocsfClass: OcsfClass;
  readonly stream: Stream;
  readonly parentMember: string;
  readonly fields: OcsfStreamFields | undefined;
}

/** @returns maps the rows of one stream to one class */
export function rowMapper({ ocsfClass, stream, parentMember, fields }: RowMapping): (row: Row) => MappedRow {
  const mapped = Object.entries(fields?.fields ?? {});
  const paths = mapped.flatMap(([, { to, sibling }]) => (sibling === undefined ? [to] : [to, sibling]));
  const attributes = attributesOf(ocsfClass, paths, fields?.rules);
  const targets = new Map(mapped.map(([name, field]) => [name, targetOf(field, attributes)]));
  const members = new Map(mapped.map(([name, { to }]) => [attributes.slot(to), name]));
  const idSlot = attributes.slot(ocsfClass.idPath ?? '');
  return row => {
    const slots: Slots = [];
    const all = rowMembers(row.text);
    const unmapped: RowMember[] = [];
    for (const [name, member] of all) {
      const target = targets.get(name);
      const taken = target && place(member.value, target, slots);
      if (!taken && !isElsewhere(name, member.value, row, stream, parentMember)) unmapped.push(member);
    }
    if (idSlot >= 0) slots[idSlot] = JSON.stringify(row.id);
    const lost = (slot: number) => {
      // No member's own is the slot of a caption: it goes with its value.
      const name = members.get(slot);
      if (name !== undefined) unmapped.push(all.get(name)!);
    };
    return { attributes: attributes.write(slots, lost), unmapped };
  };
}

function targetOf(field: OcsfField, attributes: Attributes): Target {
  return { ...field, slot: attributes.slot(field.to), captionSlot: attributes.slot(field.sibling ?? '') };
}

function place(json: string, target: Target, slots: Slots): boolean {
  const taken = takeValue(json, target);
  if (!taken) return false;
  slots[target.slot] = taken.text;
  if (taken.caption !== undefined && target.captionSlot >= 0) slots[target.captionSlot] = taken.caption;
  return true;
}

/** Members that the event has under an attribute of its own, to the last character. */
function isElsewhere(name: string, json: string, row: Row, stream: Stream, parentMember: string): boolean {
  if (name === 'id') return true;
  if (name === (row.deleted ? 'deleted_at' : stream.timeMember))
    return row.time !== undefined && json === `"${row.time}"`;
  return name === parentMember && stream.cascadesFrom !== undefined && row.parent !== undefined;
}
