import { describe, expect, test } from '@jest/globals';
import type { Sender } from '../../../lambda/aws.ts';
import { LeaseLostError, StateError } from '../../../lambda/core/errors.ts';
import type { Fence } from '../../../lambda/ports.ts';
import type { Item, Key } from '../../../lambda/store/item.ts';
import { createTable, type Table } from '../../../lambda/store/table.ts';
import { type Fault, THROTTLING_FAULTS } from '../../../local/aws/faults.ts';
import { awsScene, pass } from '../../support/function/aws-scene.ts';
import { rejection } from '../../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../../support/function/stepped-clock.ts';

const keys = (count: number, pk?: string): Key[] =>
  Array.from({ length: count }, (_, index) => ({
    pk: { S: pk ?? `p${index}` },
    sk: { S: `s${String(index).padStart(6, '0')}` },
  }));
const items = (count: number, pk?: string): Item[] =>
  keys(count, pk).map((key, n) => ({ ...key, n: { N: String(n) } }));
const sorted = (all: readonly Item[]) => all.toSorted((a, b) => Number(a['n']?.N) - Number(b['n']?.N));

describe('batches', () => {
  test('batches are split after 25 items or 100 keys, because DynamoDB refuses larger batches', async () => {
    await using scene = await awsScene();
    await scene.table.put(items(101), pass);
    expect(scene.count('BatchWriteItem')).toBe(5);
    expect(sorted(await scene.table.get(keys(101)))).toEqual(items(101));
    expect(scene.count('BatchGetItem')).toBe(2);
    await scene.table.delete(keys(101), pass);
    expect(scene.count('BatchWriteItem')).toBe(10);
    expect(await scene.table.get(keys(101))).toEqual([]);
  });

  test('only the unprocessed items or keys of a batch are requested again', async () => {
    await using scene = await awsScene();
    const odd: Fault = { failItems: index => index % 2 === 1 };
    scene.aws.faults.next('dynamodb', odd, odd, { failItems: () => true });
    await scene.table.put(items(25), pass);
    expect(scene.count('BatchWriteItem')).toBeGreaterThanOrEqual(4);
    scene.aws.faults.next('dynamodb', odd, { failItems: () => true }, odd);
    expect(sorted(await scene.table.get(keys(25)))).toEqual(items(25));
    expect(scene.clock.pauses.length).toBeGreaterThanOrEqual(6);
  });

  test('a batch that DynamoDB never completes fails at the end of the time budget', async () => {
    await using scene = await awsScene();
    scene.aws.faults.always('dynamodb', { failItems: () => true });
    const table = createTable(scene.clients.dynamodb, scene.aws.names.stateTable, retryBudget(scene.clock, 30_000));
    expect(await rejection(table.put(items(1), pass))).toBeInstanceOf(StateError);
    expect(await rejection(table.get(keys(1)))).toBeInstanceOf(StateError);
    expect(scene.clock.pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(30_000);
  });
});

describe('an incomplete answer', () => {
  const [key] = keys(1) as [Key];
  const [item] = items(1) as [Item];
  const unprocessed = { UnprocessedKeys: { table: { Keys: [key] } } };
  const read = (table: Table) => table.get(keys(2));
  const write = (table: Table) => table.put([item], pass);

  test.each<[string, object, (table: Table) => Promise<unknown>]>([
    ['a read has no tables', { UnprocessedKeys: {} }, read],
    ['a read has another table', { Responses: { other: [] }, UnprocessedKeys: {} }, read],
    ['a read has no unprocessed keys', { Responses: { table: [] } }, read],
    ['a read has only some of the keys as unprocessed', { Responses: {}, ...unprocessed }, read],
    ['a batch of writes is about another table', { UnprocessedItems: { other: [{}] } }, write],
    ['a batch of writes has no unprocessed items', {}, write],
    ['a query has no list of items', { Count: 0 }, table => table.query('a')],
    ['a scan has no list of items', { Count: 0 }, table => table.scan({ Limit: 10 })],
  ])('a call to DynamoDB is tried at least eight times when the answer to %s', async (_what, answer, call) => {
    let calls = 0;
    const client: Sender = { send: async () => ++calls && answer };
    expect(await rejection(call(createTable(client, 'table', retryBudget(steppedClock()))))).toBeInstanceOf(StateError);
    expect(calls).toBeGreaterThanOrEqual(8);
  });

  test('a read is continued when its answer leaves all keys unprocessed, even without naming the table', async () => {
    // More of them than a failure has tries.
    const left = Array(9).fill({ Responses: {}, ...unprocessed });
    const answers = [...left, { Responses: { table: [item] }, UnprocessedKeys: {} }];
    const client: Sender = { send: async () => answers.shift() };
    expect(await createTable(client, 'table', retryBudget(steppedClock())).get([key])).toEqual([item]);
  });
});

describe('assertLeaseValid', () => {
  test('assertLeaseValid is called before each try of a batch of writes', async () => {
    await using scene = await awsScene();
    let asked = 0;
    const assertLeaseValid = async () => void asked++;
    scene.aws.faults.next('dynamodb', THROTTLING_FAULTS.dynamodb, { loseAnswer: true }, { failItems: () => true });
    await scene.table.put(items(50), assertLeaseValid);
    expect(asked).toBe(5);
    await scene.table.delete(keys(1), assertLeaseValid);
    expect(asked).toBe(6);
  });

  test('a batch of writes rejects with the error of assertLeaseValid', async () => {
    await using scene = await awsScene();
    const lost = new LeaseLostError('in a test');
    expect(await rejection(scene.table.put(items(1), () => Promise.reject(lost)))).toBe(lost);
    expect(await rejection(scene.table.delete(keys(1), () => Promise.reject(lost)))).toBe(lost);
    expect(scene.calls).toEqual([]);
  });
});

describe('a query', () => {
  test('a query returns the items of a partition in the order of the sort key', async () => {
    await using scene = await awsScene();
    await scene.table.put([...items(60, 'one'), ...items(3, 'two')], pass);
    expect(await scene.table.query('one')).toEqual(items(60, 'one'));
    expect(await scene.table.query('one', 7)).toEqual(items(7, 'one'));
    expect(await scene.table.query('none')).toEqual([]);
  });

  test('a query continues where DynamoDB has cut off its answer at one megabyte', async () => {
    await using scene = await awsScene();
    const large = items(6, 'one').map(item => ({ ...item, text: { S: 'x'.repeat(300_000) } }));
    await scene.table.put(large, pass);
    scene.forget();
    expect(await scene.table.query('one')).toEqual(large);
    expect(scene.count('Query')).toBeGreaterThan(1);
    expect(await scene.table.query('one', 5)).toEqual(large.slice(0, 5));
  });
});

describe('the fence', () => {
  const [key] = keys(1) as [Key];
  const item = (n: number): Item => ({ ...key, n: { N: String(n) } });

  test.each<[string, Fence, boolean]>([
    ['a write of a later epoch is accepted', { epoch: 10, write: 1 }, true],
    ['a later write of the same epoch is accepted', { epoch: 9, write: 10 }, true],
    ['the same write is accepted again', { epoch: 9, write: 9 }, true],
    ['an earlier write of the same epoch is refused', { epoch: 9, write: 8 }, false],
    ['a write of an earlier epoch is refused, whatever its number', { epoch: 8, write: 99 }, false],
  ])('%s after write 9 of epoch 9', async (_which, fence, isWritten) => {
    await using scene = await awsScene();
    await scene.table.putFenced(item(1), { epoch: 9, write: 9 });
    expect(await scene.table.putFenced(item(2), fence)).toBe(isWritten);
    const [found] = await scene.table.get([key]);
    expect(found).toMatchObject(isWritten ? item(2) : item(1));
  });
});

describe('a call', () => {
  test.each([
    // Throttling is waited for, beyond the eight tries of a failure.
    ['ProvisionedThroughputExceededException', 21],
    ['RequestLimitExceeded', 21],
    ['ThrottlingException', 21],
    ['SlowDown', 21],
    ['ServiceUnavailableException', 21],
    ['TimeoutError', 8],
    ['InternalServerError', 8],
    ['ValidationException', 1],
    ['AccessDeniedException', 1],
  ])('a call to DynamoDB that would fail twenty times with %s is tried %i times', async (name, tries) => {
    let calls = 0;
    const client: Sender = {
      async send() {
        if (++calls <= 20) throw Object.assign(new Error('Slow down.'), { name });
        return { Responses: { table: [] }, UnprocessedKeys: {} };
      },
    };
    const read = createTable(client, 'table', retryBudget(steppedClock())).get(keys(1));
    if (tries > 20) expect(await read).toEqual([]);
    else expect((await rejection(read)).cause).toMatchObject({ name });
    expect(calls).toBe(tries);
  });

  test('a failed condition is the only refusal by DynamoDB that does not cause an error', async () => {
    const refusing: Sender = {
      send: () => Promise.reject(Object.assign(new Error('x'), { name: 'ValidationException' })),
    };
    const table = createTable(refusing, 'table', retryBudget(steppedClock()));
    expect(await rejection(table.putFenced(items(1)[0]!, { epoch: 1, write: 1 }))).toBeInstanceOf(StateError);
    await using scene = await awsScene();
    const input = { Key: keys(1)[0]!, UpdateExpression: 'SET a = pk', ConditionExpression: 'attribute_exists(pk)' };
    expect(await scene.table.update(input)).toBeUndefined();
  });
});

describe('a batch write with one chunk that finally fails', () => {
  /** Refuses the chunk with item 0 and leaves every other one unprocessed. */
  function stubborn() {
    const sent: string[] = [];
    const client: Sender = {
      async send({ input }) {
        const requests = input.RequestItems['table'];
        const first: string = requests[0].PutRequest.Item.n.N;
        sent.push(first);
        if (first === '0') throw Object.assign(new Error('Refused'), { name: 'AccessDeniedException' });
        return { UnprocessedItems: { table: requests } };
      },
    };
    return { sent, client };
  }

  test('a batch write rejects only after all of its chunks have ended', async () => {
    const { sent, client } = stubborn();
    const clock = steppedClock();
    const error = await rejection(createTable(client, 'table', retryBudget(clock)).put(items(60), pass));
    const before = sent.length;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(error).toBeInstanceOf(StateError);
    expect(sent.length).toBe(before);
    expect(before).toBeLessThan(10);
  });
});

describe('an unclear answer to a write', () => {
  const serverError: Fault = { refuse: { status: 500, code: 'InternalServerError', message: 'Sorry.' } };
  const denied: Fault = { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } };

  test.each<[string, Fault, number]>([
    ['a lost request is counted', { loseRequest: true }, 1],
    ['a lost answer is counted', { loseAnswer: true }, 1],
    ['a failure of the service is counted', serverError, 1],
    ['throttling, which certainly wrote nothing, is not counted', THROTTLING_FAULTS.dynamodb, 0],
    ['an unprocessed item is not counted', { failItems: () => true }, 0],
  ])('%s as an unclear answer in each try of a batch', async (_what, fault, count) => {
    await using scene = await awsScene();
    let unclear = 0;
    const table = createTable(scene.clients.dynamodb, scene.aws.names.stateTable, scene.retryBudget, () => {
      unclear++;
    });
    scene.aws.faults.next('dynamodb', fault, fault);
    await table.put(items(1), pass);
    expect(unclear).toBe(2 * count);
  });

  test('a refusal, a read or a fenced write never counts as unclear', async () => {
    await using scene = await awsScene();
    const table = createTable(scene.clients.dynamodb, scene.aws.names.stateTable, scene.retryBudget, () => {
      throw new Error('counted');
    });
    scene.aws.faults.next('dynamodb', { loseAnswer: true }, serverError);
    await table.get(keys(1));
    scene.aws.faults.next('dynamodb', { loseAnswer: true });
    await table.putFenced(items(1)[0]!, { epoch: 1, write: 1 });
    scene.aws.faults.next('dynamodb', denied);
    expect((await rejection(table.put(items(1), pass))).cause).toMatchObject({ name: 'AccessDeniedException' });
  });
});
