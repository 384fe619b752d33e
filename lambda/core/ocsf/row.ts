/** What of a row becomes OCSF attributes, and what is left for `unmapped`. */
import type { Stream } from '../../streams.ts';
import { type RowMember, rowMembers } from '../json/members.ts';
import type { Row } from '../row.ts';
import type { Attributes, Slots } from './attributes.ts';
import { attributesOf, type OcsfClass } from './classes.ts';
import type { OcsfField, OcsfStreamFields } from './fields.ts';
import { takeValue } from './values.ts';

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
      if (!taken && !isToldElsewhere(name, member.value, row, stream, parentMember)) unmapped.push(member);
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

/** Members that stand in the event under an attribute of their own, to the last character. */
function isToldElsewhere(name: string, json: string, row: Row, stream: Stream, parentMember: string): boolean {
  if (name === 'id') return true;
  if (name === (row.deleted ? 'deleted_at' : stream.timeMember))
    return row.time !== undefined && json === `"${row.time}"`;
  return name === parentMember && stream.cascadesFrom !== undefined && row.parent !== undefined;
}
