import { hold } from './rule.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A list answer whose member names were found by their content, since the specification does not show them. */
export interface PageSeen {
  readonly rows: readonly Json[];
  readonly nextCursor: string | null;
  readonly pageSize: unknown;
}

/** Finds the rows and the pagination object of a list answer. Throws RuleBroken if none or several could be meant. */
export function findPage(body: unknown): PageSeen {
  hold(isObject(body), 'The answer is not a JSON object.');
  const names = Object.keys(body).join(', ');
  const paginations = Object.values(body).filter(value => isObject(value) && Object.hasOwn(value, 'next_cursor'));
  hold(paginations.length === 1, `Not exactly one member holds next_cursor; members: ${names}.`);
  const pagination = paginations[0] as Json;
  const nextCursor = pagination['next_cursor'];
  hold(nextCursor === null || typeof nextCursor === 'string', 'next_cursor is neither a string nor null.');
  const arrays = Object.values(body).filter(value => Array.isArray(value));
  const rowArrays = arrays.filter(array => array.length > 0 && array.every(row => isObject(row) && 'id' in row));
  hold(rowArrays.length === 1 || arrays.some(array => array.length === 0), `No member holds rows; members: ${names}.`);
  hold(rowArrays.length <= 1, `Several members could hold the rows; members: ${names}.`);
  return { rows: (rowArrays[0] as Json[] | undefined) ?? [], nextCursor, pageSize: pagination['page_size'] };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
