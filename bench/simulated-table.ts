/** As much of DynamoDB as the connector's own calls need, in memory; keeps what was written, and in which units. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

export interface Written {
  readonly item: Item;
  /** Write units: one a KiB begun. */
  readonly units: number;
}

export class SimulatedTable {
  /** Every write, in order. */
  readonly writes: Written[] = [];
  readonly #partitions = new Map<string, Map<string, Item>>();
  /** Whether to keep the items and the list of writes; without, every read finds nothing. */
  readonly #remembers: boolean;

  constructor(remembers: boolean) {
    this.#remembers = remembers;
  }

  /** Answers the input of a command, by the command's name. */
  // biome-ignore lint/suspicious/noExplicitAny: inputs and answers of seven commands
  answer(command: string, input: any): any {
    const [name] = Object.keys(input.RequestItems ?? {});
    if (command === 'BatchGetItemCommand') {
      const items = input.RequestItems[name!].Keys.map((key: Item) => this.#find(key)).filter(Boolean);
      return { Responses: { [name!]: items }, UnprocessedKeys: {} };
    }
    if (command === 'BatchWriteItemCommand') {
      for (const { PutRequest, DeleteRequest } of input.RequestItems[name!]) {
        if (PutRequest) this.#put(PutRequest.Item);
        else this.#delete(DeleteRequest.Key);
      }
      return { UnprocessedItems: {} };
    }
    if (command === 'PutItemCommand') return this.#put(input.Item);
    if (command === 'QueryCommand') {
      return { Items: [...(this.#partitions.get(input.ExpressionAttributeValues[':pk'].S)?.values() ?? [])] };
    }
    if (command === 'UpdateItemCommand') return this.#update(input.Key, input.ExpressionAttributeValues);
    throw new Error(`The simulated table does not know ${command}`);
  }

  get units(): number {
    return this.writes.reduce((sum, write) => sum + write.units, 0);
  }

  #find(key: Item): Item | undefined {
    return this.#partitions.get(key['pk']!.S!)?.get(key['sk']!.S!);
  }

  #put(item: Item): object {
    if (!this.#remembers) return {};
    this.writes.push({ item, units: Math.ceil(itemBytes(item) / 1024) });
    const partition = this.#partitions.get(item['pk']!.S!) ?? new Map<string, Item>();
    partition.set(item['sk']!.S!, item);
    this.#partitions.set(item['pk']!.S!, partition);
    return {};
  }

  #delete(key: Item): void {
    if (!this.#remembers) return;
    const item = this.#find(key) ?? key;
    this.writes.push({ item, units: Math.ceil(itemBytes(item) / 1024) });
    this.#partitions.get(key['pk']!.S!)?.delete(key['sk']!.S!);
  }

  /** The lease's three updates: nobody else ever holds it. */
  #update(key: Item, values: Item): object {
    const before = this.#find(key);
    const after: Item = { ...key, ...before };
    if (values[':holder']) {
      after['epoch'] = { N: String(Number(before?.['epoch']?.N ?? 0) + 1) };
      after['ended'] = { S: 'no' };
    }
    if (values[':ended']) after['ended'] = values[':ended'];
    if (values[':expires']) after['expires'] = values[':expires'];
    this.#put(after);
    return { Attributes: before ?? {} };
  }
}

/** As DynamoDB counts: names and values in UTF-8, numbers in half their digits and one, booleans as one. */
function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += Buffer.byteLength(name);
    if (value.S !== undefined) bytes += Buffer.byteLength(value.S);
    else if (value.B !== undefined) bytes += value.B.byteLength;
    else if (value.N !== undefined) bytes += Math.ceil(value.N.length / 2) + 1;
    else bytes += 1;
  }
  return bytes;
}
