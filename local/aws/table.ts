/**
 * DynamoDB with one table in memory, limited to the features that the connector and its operator
 * use: conditions, the limits at which the service refuses a request, the order of answers, and the
 * capacity that a call consumes.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  applyUpdate,
  conditionOf,
  type ExpressionInput,
  type Item,
  type ItemCondition,
  requireUsedNames,
  validationError,
} from './expressions.ts';
import { AwsError } from './service.ts';

export type { Item } from './expressions.ts';

export interface TableOptions {
  /** Items at the start. @default no items */
  readonly items?: Iterable<Item>;
  /**
   * Called after each write with the key and the stored item, or with undefined after a deletion.
   */
  readonly onWrite?: (key: Item, item: Item | undefined) => void;
  /**
   * Size of a page: an answer to a query or a scan ends with the item that exceeds it.
   *
   * @default a megabyte, as in the service
   */
  readonly pageBytes?: number;
}

/** An answer, with the capacity units that the call consumed. */
export interface TableAnswer {
  readonly output: Readonly<Record<string, unknown>>;
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: inputs of several actions
type Input = any;
type Partition = Map<string, Item>;

const KIB = 1024;
const READ_UNIT_BYTES = 4 * KIB;
const PAGE_BYTES = KIB * KIB;
const LONGEST_ITEM_BYTES = 400 * KIB;
const MOST_READS = 100;
const MOST_WRITES = 25;
const LONGEST_KEY_BYTES = { pk: 2048, sk: 1024 };

export class MemoryTable {
  readonly name: string;
  /**
   * Items by sort key, within partitions by partition key. An item is never changed, only replaced.
   */
  readonly #partitions = new Map<string, Partition>();
  /** Partition keys in the order of a scan. Undefined after partition keys have changed. */
  #order: string[] | undefined;
  readonly #onWrite: NonNullable<TableOptions['onWrite']>;
  readonly #pageBytes: number;

  constructor(name: string, { items = [], onWrite = () => undefined, pageBytes = PAGE_BYTES }: TableOptions = {}) {
    this.name = name;
    this.#onWrite = onWrite;
    this.#pageBytes = pageBytes;
    for (const item of items) this.set(item, item);
  }

  /** @throws AwsError */
  perform(action: string, input: Input): TableAnswer {
    if (action === 'BatchGetItem') return this.#readBatch(input);
    if (action === 'BatchWriteItem') return this.#writeBatch(input);

    if (!ACTIONS.has(action))
      throw new AwsError(400, 'UnknownOperationException', 'An unknown operation was requested.');
    this.#requireTable(input.TableName);
    requireUsedNames(
      EXPRESSIONS.map(name => input[name]),
      input,
    );
    switch (action) {
      case 'GetItem':
        return this.#read(input);
      case 'PutItem':
        return this.#change(input.Item, input, () => input.Item);
      case 'UpdateItem':
        return this.#change(input.Key, input, before => updatedItem(before, input));
      case 'Query':
        return this.#query(input);
      default:
        return this.#page(this.#itemsAfter(input.ExclusiveStartKey), input);
    }
  }

  get(key: Item): Item | undefined {
    return this.#partitions.get(key['pk']!.S!)?.get(key['sk']!.S!);
  }

  *items(): Generator<Item> {
    for (const partition of this.#partitions.values()) yield* partition.values();
  }

  get size(): number {
    return [...this.#partitions.values()].reduce((sum, partition) => sum + partition.size, 0);
  }

  #requireTable(name: unknown): void {
    if (name !== this.name) throw new AwsError(400, 'ResourceNotFoundException', 'Requested resource not found');
  }

  #read({ Key: key, ConsistentRead: consistent }: Input): TableAnswer {
    requireKey(key);
    const item = this.get(key);
    return { output: item ? { Item: item } : {}, readUnits: readUnits([item], consistent) };
  }

  #readBatch({ RequestItems: requested }: Input): TableAnswer {
    const { Keys: keys, ConsistentRead: consistent } = this.#ofThisTable(requested) as Input;
    requireDistinct(keys, MOST_READS);
    const items = keys.map((key: Item) => this.get(key));
    // The service does not promise an order, so the answer is reversed, and a caller that relies on
    // the order of the keys fails.
    const found = items.filter((item: Item | undefined) => item !== undefined).reverse();
    return {
      output: { Responses: { [this.name]: found }, UnprocessedKeys: {} },
      readUnits: readUnits(items, consistent),
    };
  }

  #writeBatch({ RequestItems: requested }: Input): TableAnswer {
    const requests = this.#ofThisTable(requested) as Input[];
    if (requests.some(({ PutRequest: put, DeleteRequest: gone }) => (put === undefined) === (gone === undefined)))
      throw validationError('Each request of a batch must put an item, or delete one');

    requireDistinct(
      requests.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest.Key),
      MOST_WRITES,
    );
    for (const { PutRequest } of requests) if (PutRequest) requireSize(PutRequest.Item);
    const units = requests.map(({ PutRequest, DeleteRequest }) =>
      this.#write(PutRequest?.Item ?? DeleteRequest.Key, PutRequest?.Item),
    );
    return { output: { UnprocessedItems: {} }, writeUnits: units.reduce((sum, each) => sum + each, 0) };
  }

  #ofThisTable(requested: object): unknown {
    const [[name, requests] = [], ...others] = Object.entries(requested);
    if (name === undefined || others.length > 0) throw validationError('A request must be about one table');
    this.#requireTable(name);
    return requests;
  }

  #change(key: Item, input: Input, change: (before: Item | undefined) => Item): TableAnswer {
    requireKey(key);
    const before = this.get(key);
    if (!conditionOf(input.ConditionExpression, input)(before ?? {}))
      throw new AwsError(400, 'ConditionalCheckFailedException', 'The conditional request failed');

    const after = change(before);
    requireSize(after);
    const writeUnits = this.#write(key, after);
    const returned = { ALL_OLD: before, ALL_NEW: after }[input.ReturnValues as 'ALL_OLD' | 'ALL_NEW'];
    return { output: returned ? { Attributes: returned } : {}, writeUnits };
  }

  /** @returns the write units of the larger item, before or after the write */
  #write(key: Item, after: Item | undefined): number {
    const bytes = [this.get(key), after].map(item => (item ? bytesOf(item) : 0));
    this.set(key, after);
    this.#onWrite(itemKeyOf(key), after);
    return Math.max(1, Math.ceil(Math.max(...bytes) / KIB));
  }

  /** Stores an item without a call, or deletes the item if `item` is undefined. */
  set({ pk, sk }: Item, item: Item | undefined): void {
    const partition = this.#partitions.get(pk!.S!) ?? new Map<string, Item>();
    if (item) partition.set(sk!.S!, item);
    else partition.delete(sk!.S!);
    if (partition.size > 0 === this.#partitions.has(pk!.S!)) return;

    this.#order = undefined;
    if (item) this.#partitions.set(pk!.S!, partition);
    else this.#partitions.delete(pk!.S!);
  }

  /** Queries one partition. `pk = :pk` is the only condition on keys that the connector uses. */
  #query(input: Input): TableAnswer {
    const { KeyConditionExpression: condition, ExpressionAttributeValues: values } = input;
    if (condition !== 'pk = :pk') throw validationError(`Query key condition not supported: ${condition}`);
    const pk = values[':pk'].S;
    requireKey({ pk: { S: pk }, sk: { S: 's' } });
    if (input.ExclusiveStartKey) requireKey(input.ExclusiveStartKey);
    return this.#page(this.#partitionAfter(pk, input.ExclusiveStartKey), input);
  }

  *#itemsAfter(start: Item | undefined): Generator<Item> {
    this.#order ??= [...this.#partitions.keys()].sort();
    const from = start?.['pk']?.S;
    for (const pk of this.#order) {
      if (from === undefined || pk >= from) yield* this.#partitionAfter(pk, pk === from ? start : undefined);
    }
  }

  /** The items of a partition in the order of the sort keys' bytes, from a start key on. */
  *#partitionAfter(pk: string, start: Item | undefined): Generator<Item> {
    const sorted = [...(this.#partitions.get(pk) ?? [])].sort(([one], [other]) => byBytes(one, other));
    for (const [sk, item] of sorted) if (!start || byBytes(sk, start['sk']!.S!) > 0) yield item;
  }

  /**
   * Reads one page. The filter applies to items that were already read, so a page may be empty
   * without being the last page.
   */
  #page(candidates: Iterable<Item>, input: Input): TableAnswer {
    const { Limit: limit = Number.POSITIVE_INFINITY, ConsistentRead: consistent } = input;
    if (limit < 1) throw validationError('Limit must be greater than or equal to 1');
    const passes: ItemCondition = conditionOf(input.FilterExpression, input);
    const read: Item[] = [];
    let bytes = 0;
    let last: Item | undefined;
    for (const item of candidates) {
      read.push(item);
      bytes += bytesOf(item);
      if (read.length < limit && bytes <= this.#pageBytes) continue;
      last = item;
      break;
    }
    const found = read.filter(passes);
    const output = {
      Items: found,
      Count: found.length,
      ScannedCount: read.length,
      ...(last && { LastEvaluatedKey: itemKeyOf(last) }),
    };
    return { output, readUnits: unitsOf(bytes, consistent) };
  }
}

const ACTIONS = new Set(['GetItem', 'PutItem', 'UpdateItem', 'Query', 'Scan']);
const EXPRESSIONS = ['ConditionExpression', 'UpdateExpression', 'KeyConditionExpression', 'FilterExpression'];

export function itemKeyOf({ pk, sk }: Item): Item {
  return { pk: pk!, sk: sk! };
}

function updatedItem(before: Item | undefined, { Key: key, UpdateExpression: expression, ...input }: Input): Item {
  const after = applyUpdate(expression, before ?? key, input as ExpressionInput);
  if (after['pk'] === (before ?? key).pk && after['sk'] === (before ?? key).sk) return after;
  throw validationError('Cannot update an attribute that is part of the key');
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function requireKey(item: Item): void {
  for (const [name, longest] of Object.entries(LONGEST_KEY_BYTES)) {
    const text = item?.[name]?.S;
    if (text === undefined) throw validationError(`The provided key element ${name} does not match the schema`);
    if (text === '') throw validationError(`The key attribute ${name} cannot contain an empty string value`);
    if (Buffer.byteLength(text) > longest) throw validationError(`${name} exceeds the size limit of ${longest} bytes`);
  }
}

function requireSize(item: Item): void {
  if (bytesOf(item) > LONGEST_ITEM_BYTES) throw validationError('Item size has exceeded the maximum allowed size');
}

function requireDistinct(keys: readonly Item[], most: number): void {
  if (keys.length === 0 || keys.length > most) throw validationError(`A batch must have 1 to ${most} requests`);
  for (const key of keys) requireKey(key);
  const distinct = new Set(keys.map(({ pk, sk }) => JSON.stringify([pk, sk])));
  if (distinct.size < keys.length) throw validationError('Provided list of item keys contains duplicates');
}

/** Units that a read consumes. A key without an item consumes as much as a small item. */
function readUnits(items: readonly (Item | undefined)[], consistent: boolean): number {
  return items.reduce((sum, item) => sum + unitsOf(item ? bytesOf(item) : 0, consistent), 0);
}

function unitsOf(bytes: number, consistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (consistent ? 1 : 0.5);
}

/** Size of an item, as DynamoDB counts it. */
function bytesOf(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += Buffer.byteLength(name) + bytesOfValue(value);
  return bytes;
}

/**
 * Size of a value: the UTF-8 bytes of a text, half the digits of a number and one, and for a list
 * three bytes and one for each entry.
 */
function bytesOfValue(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return value.B.length;
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.L !== undefined) return value.L.reduce((sum, entry) => sum + 1 + bytesOfValue(entry), 3);
  return 1;
}
