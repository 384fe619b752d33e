import { type JsonNode, readJson } from '../../../local/platform/json-text.ts';
import { contentOf } from '../../../local/siem/lossless.ts';

export interface ReadPage {
  readonly next: string | null;
  /** The last row of each id. */
  readonly rows: ReadonlyMap<string, ReadRow>;
  /** Rows that a later row of the page replaces. */
  readonly superseded: readonly (readonly [id: string, content: string])[];
}

export interface ReadRow {
  readonly content: string;
  readonly deleted: boolean;
}

/** A list answer, by the names that the platform gives its members. */
export function readAnswer(body: string, names: { rowsMember: string; paginationMember: string }): ReadPage {
  const answer = readJson(body);
  const { array: rows } = member(answer, names.rowsMember) as { readonly array: readonly JsonNode[] };
  const last = new Map<string, ReadRow>();
  const superseded: (readonly [string, string])[] = [];
  for (const row of rows) {
    const id: string = JSON.parse(member(row, 'id') as string);
    const before = last.get(id);
    if (before) superseded.push([id, before.content]);
    last.set(id, { content: contentOf(row), deleted: member(row, 'deleted') === 'true' });
  }
  const next = member(member(answer, names.paginationMember)!, 'next_cursor') as string;
  return { next: JSON.parse(next), rows: last, superseded };
}

/** The last of several members of one name counts. */
function member(node: JsonNode, name: string): JsonNode | undefined {
  if (typeof node === 'string' || 'array' in node) throw new Error('Not an object');
  return node.object.findLast(({ key }) => key === name)?.value;
}
