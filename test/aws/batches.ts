/** Batches of DynamoDB of which the service leaves a part unprocessed. */
import type { LocalService, ServiceAnswer } from '../../local/aws/call.ts';
import type { JsonObject } from './protocols.ts';

type Requests = Readonly<Record<string, unknown>>;

/** The service, whose batches lack the items that a fault names. */
export function splittingTable(service: LocalService): LocalService {
  return {
    ...service,
    async perform(action, input, fault) {
      const split = fault.failItems && splitBatch(action, input, fault.failItems);
      if (!split) return service.perform(action, input, fault);
      const done: ServiceAnswer = split.done ? await service.perform(action, split.done, fault) : { output: {} };
      return { ...done, output: withUnprocessed(action, done.output, split.left) };
    },
  };
}

/**
 * Splits a batch by the position of its items, counted over all tables: the request without the items that `isLeft` names, and
 * those items as the answer returns them. Undefined for other actions.
 */
function splitBatch(action: string, input: JsonObject, isLeft: (index: number) => boolean) {
  if (action !== 'BatchGetItem' && action !== 'BatchWriteItem') return undefined;
  let index = 0;
  const done: Record<string, unknown> = {};
  const left: Record<string, unknown> = {};
  for (const [table, entry] of Object.entries((input['RequestItems'] ?? {}) as Record<string, unknown[]>)) {
    const keys = entry as unknown as { readonly Keys: readonly unknown[] };
    const parts = Object.groupBy(action === 'BatchGetItem' ? keys.Keys : entry, () =>
      isLeft(index++) ? 'left' : 'done',
    );
    const wrap = (items: readonly unknown[]) => (action === 'BatchGetItem' ? { ...keys, Keys: items } : items);
    if (parts.done) done[table] = wrap(parts.done);
    if (parts.left) left[table] = wrap(parts.left);
  }
  return { done: Object.keys(done).length > 0 ? { ...input, RequestItems: done } : undefined, left };
}

/** The answer of a batch with unprocessed items. */
function withUnprocessed(action: string, answer: object, left: Requests): object {
  if (Object.keys(left).length === 0) return answer;
  const member = action === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  const before = ((answer as JsonObject)[member] ?? {}) as Requests;
  return { ...(action === 'BatchGetItem' ? { Responses: {} } : {}), ...answer, [member]: { ...before, ...left } };
}
