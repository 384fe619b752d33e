/** Batches of DynamoDB, within its limits, until none of their parts is left undone. */
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { Sender } from '../aws-calls.ts';
import { inParallel } from '../core/in-parallel.ts';
import type { AssertLeaseValid } from '../ports.ts';
import type { Item } from './item.ts';
import type { Key } from './keys.ts';
import type { TableCalls } from './table-calls.ts';

const GET_LIMIT = 100;
const WRITE_LIMIT = 25;

export interface TableBatches {
  get(keys: readonly Key[]): Promise<Item[]>;
  write(requests: readonly WriteRequest[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export function createTableBatches(client: Sender, name: string, { call, pause }: TableCalls): TableBatches {
  async function getBatch(keys: readonly Key[], stop: AbortSignal): Promise<Item[]> {
    const items: Item[] = [];
    let left: Record<string, AttributeValue>[] = [...keys];
    for (let tries = 1; left.length > 0; tries++) {
      const input = { RequestItems: { [name]: { Keys: left, ConsistentRead: true } } };
      const answer = await call('read items', () => client.send(new BatchGetItemCommand(input)), undefined, stop);
      items.push(...(answer.Responses?.[name] ?? []));
      left = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      if (left.length > 0) await pause(tries, 'read every item', stop);
    }
    return items;
  }

  async function writeBatch(
    requests: readonly WriteRequest[],
    assertLeaseValid: AssertLeaseValid,
    stop: AbortSignal,
  ): Promise<void> {
    const mayWrite = async () => {
      stop.throwIfAborted();
      await assertLeaseValid();
    };
    let left = [...requests];
    for (let tries = 1; left.length > 0; tries++) {
      const input = { RequestItems: { [name]: left } };
      const answer = await call('write items', () => client.send(new BatchWriteItemCommand(input)), mayWrite, stop);
      left = answer.UnprocessedItems?.[name] ?? [];
      if (left.length > 0) await pause(tries, 'write every item', stop);
    }
  }

  return {
    get: async keys => (await inParallel(chunks(keys, GET_LIMIT), getBatch)).flat(),
    async write(requests, assertLeaseValid) {
      await inParallel(chunks(requests, WRITE_LIMIT), (each, stop) => writeBatch(each, assertLeaseValid, stop));
    },
  };
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
