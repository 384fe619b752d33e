import { membersOf } from '../../lambda/core/json/members.ts';
import { type StreamName, streamOf } from '../../lambda/streams.ts';
import type { Immutable } from './immutable-stream.ts';
import { ProblemError } from './problem.ts';
import { ENVELOPE } from './settings.ts';
import { positionText, type Version } from './versioned-stream.ts';

/** Lists show the position and single reads show null. `none` omits the member, to compare contents. */
export type PositionShown = 'position' | 'null' | 'none';

/** Writes a row as JSON text on one line. */
export type RowWriter = (name: StreamName, row: Version | Immutable, shown: PositionShown) => string;

/** Returns the other members of the generated row with that index, joined by commas. */
export type Generated = (name: StreamName, index: number) => string;

export function createRowWriter(parentMember: string, generated: Generated): RowWriter {
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

/** A row from outside: an object, or its JSON text where digits and member names must not change. */
export type RowInput = string | Readonly<Record<string, unknown>>;

/** A row from outside: members that the API simulator manages, and the others as written. */
export interface ControlRow {
  readonly id: string;
  /** The given strings among the time of the row and the member that names its parent. */
  readonly given: ReadonlyMap<string, string>;
  /** All other members as text, joined by commas. */
  readonly members: string;
}

/** Reads a row. Besides `id`, the caller may set the `settable` members. Throws `request/malformed`. */
export function cutControlRow(row: RowInput, settable: readonly string[]): ControlRow {
  const given = new Map<string, string>();
  const members: string[] = [];
  for (const { name, written, value } of membersOf(objectText(row))) {
    if (name === 'id' || settable.includes(name)) given.set(name, stringValue(name, value));
    else if (ENVELOPE.has(name)) throw new ProblemError('request/malformed', `"${name}" is set by the API simulator.`);
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
