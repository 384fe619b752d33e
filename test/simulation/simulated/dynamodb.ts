/** DynamoDB as far as the connector uses it, in memory, with its limits. */
import type { Item } from '../../../lambda/store/item.ts';
import type { FaultKind, StubbornCall, StubbornFault, WithdrawalStep } from '../history.ts';
import type { Service, SimProcess } from './process.ts';

// The SDK's commands are distinguished by name, as the wire does by target.
// biome-ignore lint/suspicious/noExplicitAny: inputs of many commands
type Input = any;
// biome-ignore lint/suspicious/noExplicitAny: answers of many commands
type Answer = any;
export interface Command {
  readonly constructor: { readonly name: string };
  readonly input: Input;
}

export class SimDynamoDb {
  readonly items = new Map<string, Item>();
  /** Writes so far, by partition key; those of the lease apart. */
  readonly writes: string[] = [];
  onWrite: (item: Item) => void = () => undefined;
  /** Called when a run writes although another one has taken the lease. */
  onLeaseless: (sentence: string) => void = () => undefined;
  /** Called when the lease is taken from a run that has not given it back: what that run was about may be done again. */
  onTakeover: () => void = () => undefined;
  #epoch = 0;

  service(command: Command, sender: SimProcess): Service<Answer> {
    const call = callOf(command);
    return {
      effect: () => this.#execute(command, sender),
      strike: fault => this.#strike(fault, command, sender),
      request: {
        call,
        isAbout: what => keysOf(command).some(key => key.split(/[\n#=]/).includes(what)),
        writes: command.constructor.name !== 'BatchGetItemCommand' && call !== 'query' && call !== 'lease',
        step: stepOf(command),
        late: () => void this.#execute(command),
      },
    };
  }

  #strike(fault: FaultKind | StubbornFault, command: Command, sender: SimProcess): (() => Answer) | undefined {
    if (fault === 'refused') return () => raise('AccessDeniedException', 400);
    if (fault === 'throttle') return () => raise('ProvisionedThroughputExceededException', 400);
    if (fault === 'server-error') return () => raise('InternalServerError', 500);
    if (fault !== 'partial') return undefined;
    const { name } = command.constructor;
    if (name === 'BatchGetItemCommand') return () => this.#half(command, sender, 'UnprocessedKeys');
    return name === 'BatchWriteItemCommand' ? () => this.#half(command, sender, 'UnprocessedItems') : undefined;
  }

  /** Does the first half and hands the rest back. */
  #half(command: Command, sender: SimProcess, rest: 'UnprocessedKeys' | 'UnprocessedItems'): Answer {
    const [[table, requests]] = Object.entries(command.input.RequestItems) as [[string, Input]];
    const all: Input[] = rest === 'UnprocessedKeys' ? requests.Keys : requests;
    const wrap = (part: Input[]) => ({ [table]: rest === 'UnprocessedKeys' ? { ...requests, Keys: part } : part });
    const done = all.slice(0, all.length >> 1);
    const left = all.slice(all.length >> 1);
    const answer =
      done.length > 0
        ? this.#execute({ constructor: command.constructor, input: { RequestItems: wrap(done) } }, sender)
        : { Responses: { [table]: [] } };
    return { ...answer, [rest]: left.length > 0 ? wrap(left) : {} };
  }

  /** @param sender absent: it waits for the answer no longer */
  #execute({ constructor: { name }, input }: Command, sender?: SimProcess): Answer {
    if (name === 'BatchGetItemCommand') return this.#batchGet(input);
    if (name === 'BatchWriteItemCommand') {
      // Batches take no condition: that the lease is held still is all that keeps them from another run's items.
      if (sender) this.requireLease(sender, 'writes');
      const answer = this.#batchWrite(input);
      if (sender?.withdrawing) sender.withdrawing = [...this.items.keys()].some(key => key.startsWith(REMOVALS));
      return answer;
    }
    if (name === 'PutItemCommand') return this.#put(input);
    if (name === 'UpdateItemCommand') {
      const isTake = input.UpdateExpression.startsWith(TAKE);
      const isHeld = this.items.get(LEASE)?.['ended']?.S === 'no';
      const answer = this.#update(input);
      if (isTake) this.#taken(sender);
      if (isTake && isHeld) this.onTakeover();
      return answer;
    }
    if (name === 'QueryCommand') return this.#query(input, sender);
    throw new Error(`${name} is not granted`);
  }

  #taken(sender: SimProcess | undefined): void {
    this.#epoch = Number(this.items.get(LEASE)!['epoch']!.N);
    if (sender) sender.epoch = this.#epoch;
  }

  /** Once another run has taken the lease, the one before must not write any more. */
  requireLease({ epoch }: SimProcess, does: string): void {
    if (epoch < this.#epoch) this.onLeaseless(`A run that has lost its lease still ${does}`);
  }

  #batchGet(input: Input): Answer {
    const [[table, { Keys, ConsistentRead }]] = Object.entries(input.RequestItems) as [[string, Input]];
    if (!ConsistentRead) throw new Error('A decision hangs on this read');
    distinct(Keys.map(keyOf), 100);
    const found = Keys.map((key: Item) => this.items.get(keyOf(key))).filter(Boolean);
    // Unordered, as the service is.
    return { Responses: { [table]: found.reverse() } };
  }

  #batchWrite(input: Input): Answer {
    const [[, requests]] = Object.entries(input.RequestItems) as [[string, Input[]]];
    distinct(
      requests.map(each => keyOf(each.PutRequest?.Item ?? each.DeleteRequest.Key)),
      25,
    );
    for (const { PutRequest: put, DeleteRequest: remove } of requests) {
      if (put) this.#write(put.Item);
      else {
        this.writes.push(remove.Key.pk.S);
        this.items.delete(keyOf(remove.Key));
      }
    }
    return { UnprocessedItems: {} };
  }

  #put({ Item: item, ConditionExpression: condition, ExpressionAttributeValues: values }: Input): Answer {
    this.#require(condition, keyOf(item), values);
    this.#write(item);
    return {};
  }

  #update(input: Input): Answer {
    const key = keyOf(input.Key);
    const { ExpressionAttributeValues: values } = input;
    this.#require(input.ConditionExpression, key, values);
    const before = this.items.get(key);
    this.#write(updated(input.UpdateExpression, before ?? input.Key, values));
    return input.ReturnValues === 'ALL_OLD' && before ? { Attributes: before } : {};
  }

  /** Entries of the child index under these assets. */
  childrenOf(isParent: (asset: string) => boolean): string[] {
    const parents = [...this.items.values()].map(({ pk }) => pk!.S!).filter(pk => pk.startsWith(CHILDREN));
    return parents.filter(pk => isParent(pk.slice(CHILDREN.length)));
  }

  #query(
    { ExpressionAttributeValues: values, Limit: limit = Number.POSITIVE_INFINITY, ExclusiveStartKey: from }: Input,
    sender?: SimProcess,
  ): Answer {
    const pk = values[':pk'].S;
    const after = from?.['sk']?.S ?? '';
    const found = [...this.items.values()].filter(item => item['pk']!.S === pk && item['sk']!.S! > after);
    found.sort((one, other) => (one['sk']!.S! < other['sk']!.S! ? -1 : 1));
    if (sender && found.length > 0 && pk.startsWith(REMOVALS)) sender.withdrawing = true;
    return { Items: found.slice(0, limit) };
  }

  #require(condition: string, key: string, values: Input): void {
    if (!holds(condition, this.items.get(key), values)) raise('ConditionalCheckFailedException', 400);
  }

  #write(item: Item): void {
    if (keyOf(item) !== LEASE) this.writes.push(item['pk']!.S!);
    this.items.set(keyOf(item), item);
    this.onWrite(item);
  }
}

const LEASE = 'connector\nlease';
/** How the lease is taken; it is renewed and given back otherwise. */
const TAKE = 'SET epoch = :epoch, holder';

/** What the partitions of the list of removals, and of the threats under an asset, begin with. */
const REMOVALS = 'removals#';
const CHILDREN = 'children#threats#=';

function stepOf(command: Command): WithdrawalStep | undefined {
  if (command.constructor.name !== 'BatchWriteItemCommand') return undefined;
  const [key = ''] = keysOf(command);
  if (key.startsWith('row#threats#')) return 'states';
  if (key.startsWith(CHILDREN)) return 'child-index';
  return key.startsWith(REMOVALS) ? 'list' : undefined;
}

function callOf({ constructor: { name }, input }: Command): StubbornCall | undefined {
  if (name === 'BatchWriteItemCommand') return 'write';
  if (name === 'BatchGetItemCommand') return 'read';
  if (name === 'PutItemCommand') return 'save';
  if (name === 'QueryCommand') return 'query';
  return keyOf(input.Key) === LEASE ? 'lease' : undefined;
}

function keysOf({ constructor: { name }, input }: Command): string[] {
  if (name === 'PutItemCommand') return [keyOf(input.Item)];
  if (name === 'UpdateItemCommand') return [keyOf(input.Key)];
  if (name === 'QueryCommand') return [input.ExpressionAttributeValues[':pk'].S];
  const [requests] = Object.values(input.RequestItems) as [Input];
  if (name === 'BatchGetItemCommand') return requests.Keys.map(keyOf);
  return requests.map((each: Input) => keyOf(each.PutRequest?.Item ?? each.DeleteRequest.Key));
}

function keyOf(item: Item): string {
  return `${item['pk']!.S}\n${item['sk']!.S}`;
}

function distinct(keys: readonly string[], limit: number): void {
  if (keys.length === 0 || keys.length > limit || new Set(keys).size < keys.length) raise('ValidationException', 400);
}

export function raise(name: string, status: number): never {
  throw Object.assign(new Error(name), { name, $metadata: { httpStatusCode: status } });
}

/** The few DynamoDB expressions that the connector uses; any other one is refused. */

type Value = Item[string];
type Values = Record<string, Value>;

/** `a AND b OR c`, each `attribute_not_exists(x)` or `x <op> :value`; AND binds tighter. */
export function holds(condition: string, item: Item | undefined, values: Values): boolean {
  return condition.split(' OR ').some(branch => branch.split(' AND ').every(term => termHolds(term, item, values)));
}

function termHolds(term: string, item: Item | undefined, values: Values): boolean {
  const missing = /^attribute_not_exists\((\w+)\)$/.exec(term);
  if (missing) return item?.[missing[1]!] === undefined;
  const compared = /^(\w+) (=|<>|<=|<) (:\w+)$/.exec(term);
  if (!compared) throw new Error(`Condition not understood: ${term}`);
  const [, name, operator, value] = compared;
  const left = item?.[name!];
  const right = values[value!]!;
  // A comparison with an attribute that is not there is false, but for "differs".
  if (left === undefined) return operator === '<>';
  const command = compare(left, right);
  return { '=': command === 0, '<>': command !== 0, '<': command < 0, '<=': command <= 0 }[operator as '<'];
}

function compare(left: Value, right: Value): number {
  if (left.N !== undefined && right.N !== undefined) return Number(left.N) - Number(right.N);
  if (left.S !== undefined && right.S !== undefined) return left.S < right.S ? -1 : left.S > right.S ? 1 : 0;
  throw new Error('Values of different kinds are compared');
}

/** `SET a = :v, b = :w`. */
export function updated(expression: string, item: Item, values: Values): Item {
  const result = { ...item };
  for (const assignment of expression.replace(/^SET /, '').split(', ')) {
    const [, name, value] = /^(\w+) = (:\w+)$/.exec(assignment) ?? [];
    if (!name || !value) throw new Error(`Update not understood: ${assignment}`);
    result[name] = values[value]!;
  }
  return result;
}
