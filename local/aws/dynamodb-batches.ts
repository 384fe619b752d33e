import type { JsonObject } from './json-protocol.ts';

type Items = readonly unknown[];
type Requests = Readonly<Record<string, unknown>>;

/** A batch request without the items that are to stay undone, and those items as its answer must return them. */
export interface SplitBatch {
  /** Undefined when every item stays undone. */
  readonly done: JsonObject | undefined;
  readonly undone: Requests;
}

const LISTS: Readonly<
  Record<string, { read: (entry: unknown) => Items; write: (entry: unknown, items: Items) => unknown }>
> = {
  BatchWriteItem: { read: entry => entry as Items, write: (_entry, items) => items },
  BatchGetItem: {
    read: entry => (entry as { Keys: Items }).Keys,
    write: (entry, items) => ({ ...(entry as object), Keys: items }),
  },
};

/** Splits a batch by the items' places in the call, counted over all its tables; other actions are not batches. */
export function splitBatch(
  action: string,
  input: JsonObject,
  undone: (index: number) => boolean,
): SplitBatch | undefined {
  const list = LISTS[action];
  if (!list) return undefined;
  let index = 0;
  const kept: Record<string, unknown> = {};
  const left: Record<string, unknown> = {};
  for (const [table, entry] of Object.entries((input['RequestItems'] ?? {}) as Requests)) {
    const parts: { kept: unknown[]; left: unknown[] } = { kept: [], left: [] };
    for (const item of list.read(entry)) {
      const part = undone(index) ? parts.left : parts.kept;
      part.push(item);
      index += 1;
    }
    if (parts.kept.length > 0) kept[table] = list.write(entry, parts.kept);
    if (parts.left.length > 0) left[table] = list.write(entry, parts.left);
  }
  return { done: Object.keys(kept).length > 0 ? { ...input, RequestItems: kept } : undefined, undone: left };
}

/** The answer of a batch of which some items stayed undone. */
export function withUndone(action: string, answer: JsonObject, undone: Requests): JsonObject {
  if (Object.keys(undone).length === 0) return answer;
  const member = action === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  const before = (answer[member] ?? {}) as Requests;
  return { ...(action === 'BatchGetItem' ? { Responses: {} } : {}), ...answer, [member]: { ...before, ...undone } };
}
