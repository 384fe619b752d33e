import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

const KIB = 1024;

/** DynamoDB in memory, as far as the connector calls it, with the units that it would bill. Conditions always hold. */
export class Table {
  readUnits = 0;
  writeUnits = 0;
  readonly #partitions = new Map<string, Map<string, Item>>();
  /** If false, nothing is kept and every read finds nothing. */
  readonly #keeps: boolean;

  constructor(keeps = true) {
    this.#keeps = keeps;
  }

  // biome-ignore lint/suspicious/noExplicitAny: inputs and answers of six actions
  answer(action: string, input: any): any {
    const [name] = Object.keys(input.RequestItems ?? {});
    switch (action) {
      case 'BatchGetItem':
        return { Responses: { [name!]: this.#get(input.RequestItems[name!].Keys) }, UnprocessedKeys: {} };
      case 'BatchWriteItem':
        for (const { PutRequest, DeleteRequest } of input.RequestItems[name!]) {
          if (PutRequest) this.#put(PutRequest.Item);
          else this.#delete(DeleteRequest.Key);
        }
        return { UnprocessedItems: {} };
      case 'PutItem':
        this.#put(input.Item);
        return {};
      case 'Query':
        return { Items: this.#query(input.ExpressionAttributeValues[':pk'].S).slice(0, input.Limit) };
      case 'UpdateItem':
        return this.#update(input);
      default:
        throw new Error(`The table of the benchmark does not know ${action}`);
    }
  }

  #find(key: Item): Item | undefined {
    return this.#partitions.get(key['pk']!.S!)?.get(key['sk']!.S!);
  }

  #get(keys: readonly Item[]): Item[] {
    const found = keys.map(key => this.#find(key));
    // A key without an item costs a unit too.
    for (const item of found) this.readUnits += Math.max(1, Math.ceil(bytesOf(item ?? {}) / (4 * KIB)));
    return found.filter(item => item !== undefined);
  }

  #query(pk: string): Item[] {
    const items = [...(this.#partitions.get(pk)?.values() ?? [])];
    const bytes = items.reduce((sum, item) => sum + bytesOf(item), 0);
    this.readUnits += Math.max(1, Math.ceil(bytes / (4 * KIB)));
    return items;
  }

  #put(item: Item): void {
    if (!this.#keeps) return;
    this.writeUnits += Math.ceil(bytesOf(item) / KIB);
    const partition = this.#partitions.get(item['pk']!.S!) ?? new Map<string, Item>();
    this.#partitions.set(item['pk']!.S!, partition.set(item['sk']!.S!, item));
  }

  #delete(key: Item): void {
    this.writeUnits += Math.ceil(bytesOf(this.#find(key) ?? key) / KIB);
    this.#partitions.get(key['pk']!.S!)?.delete(key['sk']!.S!);
  }

  /** `SET name = :value`, and `SET name = if_not_exists(name, :start) + :step`. */
  #update({ Key, UpdateExpression, ExpressionAttributeValues, ReturnValues }: UpdateItemCommandInput) {
    const values = ExpressionAttributeValues!;
    const before = this.#find(Key!);
    const after: Item = { ...(before ?? Key!) };
    const sets = UpdateExpression!.matchAll(/(\w+) = (?:if_not_exists\(\w+, (:\w+)\) \+ )?(:\w+)/g);
    for (const [, name, start, value] of sets) {
      const base = start && Number((before?.[name!] ?? values[start])?.N);
      after[name!] = start ? { N: String(Number(base) + Number(values[value!]!.N)) } : values[value!]!;
    }
    this.#put(after);
    return { Attributes: ReturnValues?.endsWith('NEW') ? after : (before ?? {}) };
  }
}

/** As DynamoDB counts: names and values in UTF-8, numbers in half their digits and one, booleans as one. */
function bytesOf(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += Buffer.byteLength(name);
    if (value.S !== undefined) bytes += Buffer.byteLength(value.S);
    // In an item of a request, bytes are base64.
    else if (value.B !== undefined) bytes += Math.ceil((value.B.length * 3) / 4);
    else if (value.N !== undefined) bytes += Math.ceil(value.N.length / 2) + 1;
    else bytes += 1;
  }
  return bytes;
}
