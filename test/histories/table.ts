/** DynamoDB in memory, as far as a connector uses it, with the limits at which the service refuses a request. */
import { type Condition, conditionOf, type ExpressionInput, type Item, updated } from './expressions.ts';

/** A command of the SDK: its class names the operation. */
export interface Command {
  readonly constructor: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: inputs of many commands
  readonly input: any;
}

export type Keep = (item: Item) => Item;

type Input = Command['input'];
type Answer = Readonly<Record<string, unknown>>;

const MOST_READS = 100;
const MOST_WRITES = 25;
/** The service cuts an answer at a megabyte. Pages of so few items show whether the caller goes on. */
const PAGE = 60;

export class Table {
  /** Items by their keys. An item is never changed, only replaced. */
  items = new Map<string, Item>();
  /** Keys that were written. */
  readonly written: string[] = [];
  readonly #keep: Keep;

  /** @param keep what is stored of an item that is written @default all of it */
  constructor(keep: Keep = item => item) {
    this.#keep = keep;
  }

  execute({ constructor: { name }, input }: Command): Answer {
    switch (name) {
      case 'GetItemCommand':
        return { Item: this.items.get(keyOf(input.Key)) };
      case 'BatchGetItemCommand':
        return this.#readBatch(input);
      case 'BatchWriteItemCommand':
        return this.#writeBatch(input);
      case 'PutItemCommand':
        return this.#change(keyOf(input.Item), input, () => input.Item);
      case 'DeleteItemCommand':
        return this.#change(keyOf(input.Key), input, () => undefined);
      case 'UpdateItemCommand':
        return this.#change(keyOf(input.Key), input, before =>
          updated(input.UpdateExpression, before ?? input.Key, input),
        );
      case 'QueryCommand':
        return this.#page(input, conditionOf(input.KeyConditionExpression, input));
      case 'ScanCommand':
        return this.#page(input, () => true);
      default:
        throw new Error(`${name} is not granted`);
    }
  }

  #readBatch(input: Input): Answer {
    const [[table, { Keys: keys }]] = Object.entries(input.RequestItems) as [[string, { Keys: Item[] }]];
    requireDistinct(keys.map(keyOf), MOST_READS);
    // The service answers in no order.
    const found = keys.map(key => this.items.get(keyOf(key))).filter(item => item !== undefined);
    return { Responses: { [table]: found.reverse() }, UnprocessedKeys: {} };
  }

  #writeBatch(input: Input): Answer {
    const [requests] = Object.values(input.RequestItems) as [Input[]];
    requireDistinct(
      requests.map(({ PutRequest, DeleteRequest }) => keyOf(PutRequest?.Item ?? DeleteRequest.Key)),
      MOST_WRITES,
    );
    for (const { PutRequest, DeleteRequest } of requests) {
      if (PutRequest) this.#write(keyOf(PutRequest.Item), PutRequest.Item);
      else this.#write(keyOf(DeleteRequest.Key), undefined);
    }
    return { UnprocessedItems: {} };
  }

  #change(key: string, input: ExpressionInput & Input, change: (before: Item | undefined) => Item | undefined): Answer {
    const before = this.items.get(key);
    if (!conditionOf(input.ConditionExpression, input)(before ?? {})) fail('ConditionalCheckFailedException', 400);
    const after = change(before);
    this.#write(key, after);
    if (input.ReturnValues === 'ALL_OLD') return { Attributes: before };
    return input.ReturnValues === 'ALL_NEW' ? { Attributes: after } : {};
  }

  #write(key: string, item: Item | undefined): void {
    this.written.push(key);
    if (item) this.items.set(key, this.#keep(item));
    else this.items.delete(key);
  }

  /** A filter applies to what was read: a page may be empty and still not be the last one. */
  #page(input: Input, isRead: Condition): Answer {
    const { ExclusiveStartKey: after, Limit: limit = PAGE } = input;
    const all = [...this.items].sort(([one], [other]) => (one < other ? -1 : 1));
    const left = all.filter(([key, item]) => isRead(item) && (!after || key > keyOf(after)));
    const read = left.slice(0, limit).map(([, item]) => item);
    const last = left.length > read.length ? read.at(-1) : undefined;
    const found = read.filter(conditionOf(input.FilterExpression, input));
    return { Items: found, ...(last && { LastEvaluatedKey: { pk: last['pk'], sk: last['sk'] } }) };
  }
}

export function keyOf({ pk, sk }: Item): string {
  return `${pk!.S}\n${sk!.S}`;
}

function requireDistinct(keys: readonly string[], most: number): void {
  if (keys.length === 0 || keys.length > most || new Set(keys).size < keys.length) fail('ValidationException', 400);
}

export function fail(name: string, status: number): never {
  throw Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status } });
}
