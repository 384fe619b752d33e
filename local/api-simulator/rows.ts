import { membersOf } from '../../lambda/core/json/members.ts';
import { type StreamName, streamOf } from '../../lambda/streams.ts';
import type { ImmutableRow } from './immutable-stream.ts';
import { ProblemError } from './problem.ts';
import { ENVELOPE_MEMBERS } from './settings.ts';
import { positionText, type RowVersion } from './versioned-stream.ts';

/**
 * Stream position in a row: lists show the position, and single reads show null. `none` omits the
 * member, so that contents can be compared.
 */
export type PositionShown = 'position' | 'null' | 'none';

/** Writes a row as JSON text on one line. */
export type RowWriter = (name: StreamName, row: RowVersion | ImmutableRow, shown: PositionShown) => string;

/** Returns the generated members of the row with this index as text, joined by commas. */
export type GenerateMembers = (name: StreamName, index: number) => string;

export function createRowWriter(parentMember: string, generated: GenerateMembers): RowWriter {
  const parentName = JSON.stringify(parentMember);
  return (name, row, shown) => {
    const { timeMember, tombstones, cascadesFrom } = streamOf(name);
    const head = [`"id":${JSON.stringify(row.id)}`];
    if ('position' in row) {
      const { updatedAt, position, deletedAt, parentId } = row;
      head.push(
        `"${timeMember}":${typeof updatedAt === 'number' ? `"${timeText(updatedAt)}"` : JSON.stringify(updatedAt)}`,
      );
      if (shown !== 'none') head.push(`"stream_position":${shown === 'null' ? 'null' : `"${positionText(position)}"`}`);
      if (deletedAt) return `{${head.join(',')},"deleted":true,"deleted_at":"${timeText(deletedAt)}"}`;
      if (tombstones) head.push('"deleted":false');
      if (cascadesFrom) head.push(`${parentName}:${JSON.stringify(parentId)}`);
    } else {
      head.push(
        `"${timeMember}":${JSON.stringify(row.timeText ?? timeText(row.at))}`,
        `"updated_at":"${timeText(row.at)}"`,
      );
      if (shown === 'position') head.push(`"stream_position":"${positionText(row.at * 1000)}"`);
    }
    const members = typeof row.members === 'number' ? generated(name, row.members) : row.members;
    return members === '' ? `{${head.join(',')}}` : `{${head.join(',')},${members}}`;
  };
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * A row from outside, as an object or as JSON text. The text keeps digits and member names as they
 * are.
 */
export type RowInput = string | Readonly<Record<string, unknown>>;

/** A row from outside, split into members that the API simulator manages and all other members. */
export interface ControlRow {
  readonly id: string;
  /**
   * Values of `id`, the row's time, and the member that names the parent, as far as they were
   * given.
   */
  readonly given: ReadonlyMap<string, string>;
  /** All other members as they were written, joined by commas. */
  readonly members: string;
}

/**
 * Reads a row from outside. In addition to `id`, the caller may set the `settable` members. Throws
 * `request/malformed`.
 */
export function readControlRow(row: RowInput, settable: readonly string[]): ControlRow {
  const given = new Map<string, string>();
  const members: string[] = [];
  for (const { name, written, value } of membersOf(objectText(row))) {
    if (name === 'id' || settable.includes(name)) given.set(name, stringValue(name, value));
    else if (ENVELOPE_MEMBERS.has(name))
      throw new ProblemError('request/malformed', `"${name}" is set by the API simulator.`);
    else members.push(`${written}:${value}`);
  }
  const id = given.get('id');
  if (!id) throw new ProblemError('request/malformed', 'A row needs an "id", a string that is not empty.');
  return { id, given, members: members.join(',') };
}

function objectText(row: RowInput): string {
  const text = (typeof row === 'string' ? row : JSON.stringify(row)).trim();
  try {
    JSON.parse(text);
  } catch {
    throw new ProblemError('request/malformed', 'The row is not JSON.');
  }
  if (text.startsWith('{')) return text;
  throw new ProblemError('request/malformed', 'The row is not a JSON object.');
}

function stringValue(name: string, value: string): string {
  if (value.startsWith('"')) return JSON.parse(value) as string;
  throw new ProblemError('request/malformed', `"${name}" must be a string.`);
}
