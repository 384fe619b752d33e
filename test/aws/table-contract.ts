/**
 * Requests to a state table, and the answers on which the table in memory and DynamoDB agree. The
 * order matters: later ones read what earlier ones wrote.
 */

import { leaseTake } from '../../lambda/store/lease.ts';

export const TableName = 'security-data-connector-state';

export type JsonObject = Readonly<Record<string, unknown>>;

export type Request = readonly [action: string, input: JsonObject];

/** An answer, or the code of a refusal. */
export type Expected = JsonObject | string;

export type Case = readonly [title: string, request: Request, expected: Expected];

const METERED = { ReturnConsumedCapacity: 'TOTAL' };
const REFUSED = 'ValidationException';
const CONDITION_FAILED = 'ConditionalCheckFailedException';
const TABLE_MISSING = 'ResourceNotFoundException';
/** Sort keys in the order of their UTF-8 bytes. UTF-16 orders the last two the other way round. */
const SORTED = ['\u0000', '#x', '=x', 'B', 'a', 'z', 'é', '\uffff', '\u{1f600}'];

const long = (length: number) => 'x'.repeat(length);
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const key = (pk: string, sk = 's') => ({ pk: { S: pk }, sk: { S: sk } });

const put = (Item: object, more = {}): Request => ['PutItem', { TableName, Item, ...more }];
const update = (Key: object, more = {}): Request => ['UpdateItem', { TableName, Key, ...more }];
const get = (Key: object, more = {}): Request => [
  'GetItem',
  { TableName, Key, ConsistentRead: true, ...METERED, ...more },
];
const write = (requests: unknown, table = TableName): Request => [
  'BatchWriteItem',
  { RequestItems: { [table]: requests }, ...METERED },
];
const read = (Keys: unknown): Request => [
  'BatchGetItem',
  { RequestItems: { [TableName]: { Keys, ConsistentRead: true } }, ...METERED },
];
const query = (pk: string, more = {}): Request => [
  'Query',
  {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
    ...METERED,
    ...more,
  },
];

export const units = (CapacityUnits: number) => ({ ConsumedCapacity: { TableName, CapacityUnits } });
export const batchUnits = (CapacityUnits: number) => ({ ConsumedCapacity: [{ TableName, CapacityUnits }] });
const found = (items: readonly object[], scanned = items.length) => ({
  Items: items,
  Count: items.length,
  ScannedCount: scanned,
});

const FENCE = {
  ConditionExpression: 'attribute_not_exists(epoch) OR epoch <= :epoch',
  ExpressionAttributeValues: { ':epoch': { N: '4' } },
};

/** The write of a checkpoint. */
const written = (epoch: number, number: number): Request =>
  put(
    { ...key('write'), epoch: { N: String(epoch) }, write_number: { N: String(number) } },
    {
      ConditionExpression:
        'attribute_not_exists(epoch) OR epoch < :epoch OR (epoch = :epoch AND write_number <= :write)',
      ExpressionAttributeValues: { ':epoch': { N: String(epoch) }, ':write': { N: String(number) } },
    },
  );

const lease = (epoch: number, holder: string, expires: number) => ({
  ...key('lease'),
  epoch: { N: String(epoch) },
  holder: { S: holder },
  expires: { N: String(expires) },
  ended: { S: 'no' },
  table_id: { S: 'first' },
});

/** The take of a lease. */
const taken = (epoch: number, holder: string, now: number): Request =>
  update(key('lease'), leaseTake({ epoch, holder, now, term: 60 }));

const row = (id: string, generation: number, status: string) => ({
  ...key(`row#=${id}`),
  generation: { N: String(generation) },
  status: { S: status },
});

/** The page of a sweep: rows that exist and that the current generation has not listed. */
const UNLISTED: Request = [
  'Scan',
  {
    TableName,
    ConsistentRead: true,
    FilterExpression: 'begins_with(pk, :prefix) AND generation < :generation AND #status <> :removed',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':prefix': { S: 'row#' }, ':generation': { N: '7' }, ':removed': { S: 'removed' } },
  },
];

const A = { ...key('a'), epoch: { N: '5' }, v: { S: '' }, b: { B: 'AAEC' }, list: { L: [{ S: 'x' }] } };
const inOrder = SORTED.map(sk => key('order', sk));
const large = (index: number) => ({ ...key('large', `s${index}`), v: { S: long(300_000) } });

export const CONTRACT: readonly Case[] = [
  ['a new item takes a unit', put(A, METERED), units(1)],
  ['a read finds the item, with its bytes', get(key('a')), { Item: A, ...units(1) }],
  [
    'a read without strong consistency takes half a unit',
    get(key('a'), { ConsistentRead: false }),
    { Item: A, ...units(0.5) },
  ],
  ['a read of a missing item takes a unit', get(key('none')), units(1)],
  ['a fence accepts an item without a fence', put({ ...key('fence'), epoch: { N: '4' } }, FENCE), {}],
  ['a fence refuses an item with a higher fence', put({ ...key('a'), epoch: { N: '4' } }, FENCE), CONDITION_FAILED],
  ['the first write of a run passes', written(7, 1), {}],
  ['the same write passes again', written(7, 1), {}],
  ['a later write of the run passes', written(7, 3), {}],
  ['an earlier write of the run is refused', written(7, 2), CONDITION_FAILED],
  ['the first write of a later run passes', written(8, 1), {}],
  ['a write of an earlier run is refused', written(7, 4), CONDITION_FAILED],
  ['a free lease is taken', taken(10, 'first', 100), {}],
  ['a lease is taken again by its holder', taken(10, 'first', 100), { Attributes: lease(10, 'first', 160) }],
  ['another run does not get a held lease', taken(11, 'second', 159), CONDITION_FAILED],
  ['another run gets an expired lease', taken(11, 'second', 161), { Attributes: lease(10, 'first', 160) }],
  [
    'a text is not less than a number',
    update(key('lease'), { ...FENCE, UpdateExpression: 'SET x = :epoch', ConditionExpression: 'ended < :epoch' }),
    CONDITION_FAILED,
  ],
  [
    'an update cannot change the key',
    update(key('lease'), { UpdateExpression: 'SET pk = :x', ExpressionAttributeValues: { ':x': { S: 'x' } } }),
    REFUSED,
  ],
  [
    'a batch writes rows',
    write(
      ['a', 'b', 'c'].map((id, index) => ({
        PutRequest: { Item: row(id, 7 - index, id === 'c' ? 'removed' : 'live') },
      })),
    ),
    { UnprocessedItems: {}, ...batchUnits(3) },
  ],
  ['a filtered scan finds the row that is not listed', UNLISTED, found([row('b', 6, 'live')], 7)],
  ['an item without a sort key is refused', put({ pk: { S: 'a' } }), REFUSED],
  ['an empty partition key is refused', put(key('')), REFUSED],
  ['an empty sort key is refused', put(key('a', '')), REFUSED],
  ['a partition key of 2,048 bytes fits', put(key(long(2048))), {}],
  ['a partition key of 2,049 bytes is refused', put(key(long(2049))), REFUSED],
  ['a sort key of 1,024 bytes fits', put(key('a', long(1024))), {}],
  ['a sort key of 1,025 bytes is refused', put(key('a', long(1025))), REFUSED],
  [
    'an item of nearly 400 KiB takes 400 units',
    put({ ...key('a'), v: { S: long(400 * 1024 - 20) } }, METERED),
    units(400),
  ],
  ['a smaller item that replaces a large item takes 400 units', put(A, METERED), units(400)],
  ['a larger item is refused', put({ ...key('a'), v: { S: long(400 * 1024) } }), REFUSED],
  ['another table does not exist', ['PutItem', { TableName: 'no-such-table', Item: key('a') }], TABLE_MISSING],
  ['a condition that is not an expression is refused', put(key('a'), { ConditionExpression: 'nonsense ((' }), REFUSED],
  ['an unused value is refused', put(key('a'), { ...FENCE, ConditionExpression: 'attribute_exists(pk)' }), REFUSED],
  [
    'a batch has 25 writes at most',
    write(many(25, index => ({ PutRequest: { Item: key(`b${index}`) } }))),
    { UnprocessedItems: {}, ...batchUnits(25) },
  ],
  ['a batch of 26 writes is refused', write(many(26, index => ({ PutRequest: { Item: key(`b${index}`) } }))), REFUSED],
  ['a batch without writes is refused', write([]), REFUSED],
  ['a batch without a table is refused', ['BatchWriteItem', { RequestItems: {} }], REFUSED],
  [
    'a batch that writes an item twice is refused',
    write([{ PutRequest: { Item: key('b') } }, { DeleteRequest: { Key: key('b') } }]),
    REFUSED,
  ],
  [
    'a request that puts and deletes is refused',
    write([{ PutRequest: { Item: key('b') }, DeleteRequest: { Key: key('c') } }]),
    REFUSED,
  ],
  [
    'a batch with an item of more than 400 KiB is refused',
    write([{ PutRequest: { Item: { ...key('a'), v: { S: long(400 * 1024) } } } }]),
    REFUSED,
  ],
  ['a batch with a key that is too long is refused', write([{ PutRequest: { Item: key('a', long(1025)) } }]), REFUSED],
  ['a batch for another table is refused', write([{ PutRequest: { Item: key('a') } }], 'no-such-table'), TABLE_MISSING],
  [
    'a batch deletes an item',
    write([{ DeleteRequest: { Key: key('b0') } }]),
    { UnprocessedItems: {}, ...batchUnits(1) },
  ],
  [
    'a batch reads 100 items at most',
    read([key('a'), ...many(99, index => key('none', `${index}`))]),
    { Responses: { [TableName]: [A] }, UnprocessedKeys: {}, ...batchUnits(100) },
  ],
  ['a batch of 101 reads is refused', read(many(101, index => key(`b${index}`))), REFUSED],
  ['a batch without reads is refused', read([]), REFUSED],
  ['a batch that reads an item twice is refused', read([key('b'), key('b')]), REFUSED],
  ['a batch with half a key is refused', read([{ pk: { S: 'a' } }]), REFUSED],
  ['a batch with an empty key is refused', read([key('')]), REFUSED],
  [
    'a batch writes sort keys in any order',
    write(inOrder.toReversed().map(Item => ({ PutRequest: { Item } }))),
    { UnprocessedItems: {}, ...batchUnits(SORTED.length) },
  ],
  ['a query answers in the order of the bytes', query('order'), { ...found(inOrder), ...units(1) }],
  [
    'a query with a limit returns the key at which to continue',
    query('order', { Limit: 4 }),
    { ...found(inOrder.slice(0, 4)), LastEvaluatedKey: inOrder[3], ...units(1) },
  ],
  [
    'a query continues after a given key',
    query('order', { ExclusiveStartKey: inOrder[3] }),
    { ...found(inOrder.slice(4)), ...units(1) },
  ],
  [
    'a query that ends exactly at its limit returns a key to continue',
    query('order', { Limit: SORTED.length }),
    { ...found(inOrder), LastEvaluatedKey: inOrder.at(-1), ...units(1) },
  ],
  [
    'a query that ends below its limit is complete',
    query('order', { Limit: SORTED.length + 1 }),
    { ...found(inOrder), ...units(1) },
  ],
  ['a query without items takes a unit', query('none'), { ...found([]), ...units(1) }],
  ['a query for an empty key is refused', query(''), REFUSED],
  ['a query after half a key is refused', query('order', { ExclusiveStartKey: { pk: { S: 'order' } } }), REFUSED],
  ['a query with a limit of 0 is refused', query('order', { Limit: 0 }), REFUSED],
  ...many(6, (index): Case => [`a large item takes its units: ${index}`, put(large(index), METERED), units(293)]),
  [
    'a query is cut at a megabyte',
    query('large'),
    { ...found(many(4, large)), LastEvaluatedKey: key('large', 's3'), ...units(293) },
  ],
  [
    'and goes on',
    query('large', { ExclusiveStartKey: key('large', 's3') }),
    { ...found([large(4), large(5)]), ...units(147) },
  ],
  [
    'an update takes the units of the whole item',
    update(key('large', 's0'), {
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': { N: '1' } },
      ...METERED,
    }),
    units(293),
  ],
  ['an unknown action is refused', ['Nonsense', { TableName }], 'UnknownOperationException'],
];
