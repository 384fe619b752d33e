import type { Column } from '../../../lib/delivery/parquet-columns.ts';
import { membersOf } from './duckdb-type.ts';

/** Paths of the members of a line that no column holds: Firehose drops them without a word. */
export function withoutColumn(line: string, columns: readonly Column[]): string[] {
  return lost(
    JSON.parse(line),
    columns.map(({ name, type }) => [name, type]),
    '',
  );
}

function lost(value: object, declared: readonly (readonly [string, string])[], prefix: string): string[] {
  const types = new Map(declared);
  return Object.entries(value).flatMap(([name, each]) => {
    const type = types.get(name);
    return type === undefined ? [`${prefix}${name}`] : within(each, type, `${prefix}${name}.`);
  });
}

function within(value: unknown, type: string, prefix: string): string[] {
  const element = /^array<(.*)>$/.exec(type)?.[1];
  if (element !== undefined && Array.isArray(value)) return value.flatMap(each => within(each, element, prefix));
  const members = /^struct<(.*)>$/.exec(type)?.[1];
  // Text holds whatever it is given.
  if (members === undefined || typeof value !== 'object' || value === null) return [];
  return lost(value, membersOf(members), prefix);
}
