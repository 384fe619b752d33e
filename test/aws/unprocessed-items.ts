import type { CommandInput, LocalService } from '../../local/aws/call.ts';

/**
 * Leaves the items unprocessed that a fault names by their positions in a batch of DynamoDB, as a
 * throttled table does.
 */
export function leavingItems(service: LocalService): LocalService {
  return {
    ...service,
    async perform(action, input, fault) {
      const { failItems } = fault;
      if (!failItems || !action.startsWith('Batch')) return service.perform(action, input, fault);

      const [[table, requested] = ['', []]] = Object.entries<CommandInput>(input.RequestItems);
      const { Keys: items = requested } = requested;
      const requestOf = (chosen: readonly unknown[]) =>
        chosen.length === 0 ? {} : { [table]: requested.Keys ? { ...requested, Keys: chosen } : chosen };
      const done = items.filter((_: unknown, index: number) => !failItems(index));
      const left = items.filter((_: unknown, index: number) => failItems(index));

      const RequestItems = requestOf(done);
      const answer = done.length > 0 ? await service.perform(action, { ...input, RequestItems }, {}) : NOTHING_DONE;
      const member = requested.Keys ? 'UnprocessedKeys' : 'UnprocessedItems';
      return { ...answer, output: { ...answer.output, [member]: requestOf(left) } };
    },
  };
}

const NOTHING_DONE = { output: { Responses: {} } };
