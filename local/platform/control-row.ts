import { type JsonNode, readJson, writeJson } from './json-text.ts';
import { ProblemError } from './problem.ts';
import { ENVELOPE } from './settings.ts';

/** A row given from outside: an object, or its JSON text where digits and member names must arrive untouched. */
export type RowInput = string | Readonly<Record<string, unknown>>;

/** A row from outside, cut into what the platform manages and what it passes on as written. */
export interface ControlRow {
  readonly id: string;
  /** Member values that are strings, by name: `updated_at`, `blocked_at` and the asset's member, where given. */
  readonly given: ReadonlyMap<string, string>;
  /** All other members as text, joined by commas. */
  readonly members: string;
}

/** Cuts a row. `settable` are the members beside `id` that the caller may set. Throws `request/malformed`. */
export function cutControlRow(row: RowInput, settable: readonly string[]): ControlRow {
  const given = new Map<string, string>();
  const members: string[] = [];
  for (const { key, name, value } of objectMembers(row)) {
    if (key === 'id' || settable.includes(key)) given.set(key, stringValue(key, value));
    else if (ENVELOPE.has(key)) throw new ProblemError('request/malformed', `"${key}" is the platform's to set.`);
    else members.push(`${name}:${writeJson(value)}`);
  }
  const id = given.get('id');
  if (!id) throw new ProblemError('request/malformed', 'A row needs an "id", a string that is not empty.');
  return { id, given, members: members.join(',') };
}

function objectMembers(row: RowInput) {
  let node: JsonNode;
  try {
    node = readJson(typeof row === 'string' ? row : JSON.stringify(row));
  } catch {
    throw new ProblemError('request/malformed', 'The row is not JSON.');
  }
  if (typeof node === 'string' || !('object' in node)) {
    throw new ProblemError('request/malformed', 'The row is not a JSON object.');
  }
  return node.object;
}

function stringValue(key: string, node: JsonNode): string {
  if (typeof node === 'string' && node.startsWith('"')) return JSON.parse(node) as string;
  throw new ProblemError('request/malformed', `"${key}" must be a string.`);
}
