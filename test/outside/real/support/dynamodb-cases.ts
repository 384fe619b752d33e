/** Requests that DynamoDB and the embedded endpoint answer alike. */
import { LOCAL_NAMES } from '../../../../local/aws/endpoints.ts';
import type { JsonObject } from '../../../../local/aws/protocols.ts';

export const { stateTable: TableName } = LOCAL_NAMES;
const long = (length: number) => 'x'.repeat(length);
const key = (pk: string, sk = 's') => ({ pk: { S: pk }, sk: { S: sk } });
const put = (Item: unknown, more = {}) => ['PutItem', { TableName, Item, ...more }] as const;
const update = (Key: unknown, more = {}) => ['UpdateItem', { TableName, Key, ...more }] as const;
const get = (Key: unknown) =>
  ['GetItem', { TableName, Key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }] as const;
const write = (requests: unknown, more = {}) =>
  ['BatchWriteItem', { RequestItems: { [TableName]: requests }, ...more }] as const;
const read = (Keys: unknown, more = {}) =>
  ['BatchGetItem', { RequestItems: { [TableName]: { Keys, ConsistentRead: true } }, ...more }] as const;
const query = (pk: string, more = {}) =>
  [
    'Query',
    {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
      ReturnConsumedCapacity: 'TOTAL',
      ...more,
    },
  ] as const;
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const puts = (count: number) => many(count, index => ({ PutRequest: { Item: key(`b${index}`) } }));
const METERED = { ReturnConsumedCapacity: 'TOTAL' };
const FENCE = {
  ConditionExpression: 'attribute_not_exists(epoch) OR epoch <= :epoch',
  ExpressionAttributeValues: { ':epoch': { N: '4' } },
};
/** The condition of a checkpoint. */
const written = (epoch: number, write: number) =>
  put(
    { ...key('write'), epoch: { N: String(epoch) }, write_number: { N: String(write) } },
    {
      ConditionExpression:
        'attribute_not_exists(epoch) OR epoch < :epoch OR (epoch = :epoch AND write_number <= :write)',
      ExpressionAttributeValues: { ':epoch': { N: String(epoch) }, ':write': { N: String(write) } },
    },
  );
const state = (id: string, generation: number, status: string) =>
  put({ ...key(`row#=${id}`), generation: { N: String(generation) }, status: { S: status } });
/** The page of a sweep. It is not metered, because the embedded table takes a consistent scan for another. */
const UNLISTED = {
  TableName,
  ConsistentRead: true,
  FilterExpression: 'begins_with(pk, :prefix) AND generation < :generation AND #status <> :removed',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':prefix': { S: 'row#' }, ':generation': { N: '7' }, ':removed': { S: 'removed' } },
};
const TAKE = {
  UpdateExpression: 'SET epoch = if_not_exists(epoch, :none) + :one, ended = :no',
  ConditionExpression: 'attribute_not_exists(epoch) OR ended <> :no',
  ExpressionAttributeValues: { ':none': { N: '0' }, ':one': { N: '1' }, ':no': { S: 'no' } },
  ReturnValues: 'ALL_OLD',
  ...METERED,
};
/** Sort keys that UTF-8 and UTF-16 order differently. */
const SORTED = ['z', 'é', '\uffff', '\u{1f600}', 'a', 'B', '\u0000', '=x', '#x'];

export type Case = readonly [what: string, request: readonly [action: string, input: JsonObject]];

/** The order matters, because later ones read what earlier ones wrote. */
export const SAME: readonly Case[] = [
  ['an item', put({ ...key('a'), epoch: { N: '5' }, v: { S: '' }, b: { B: 'AAEC' } }, METERED)],
  ['an item read, with its units', get(key('a'))],
  ['a missing item, with its units', get(key('none'))],
  ['a fence that refuses', put({ ...key('a'), epoch: { N: '4' } }, FENCE)],
  ['a fence that shows the item', put(key('a'), { ...FENCE, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })],
  ['the first write of a run', written(7, 1)],
  ['the same write again', written(7, 1)],
  ['a later write', written(7, 3)],
  ['an earlier write of the run, which is refused', written(7, 2)],
  ['the first write of a later run', written(8, 1)],
  ['a write of an earlier run, which is refused', written(7, 4)],
  ['a row that is listed', state('a', 7, 'live')],
  ['a row that is not listed', state('b', 6, 'live')],
  ['a removed row', state('c', 6, 'removed')],
  ['a scan for rows that are not listed', ['Scan', UNLISTED]],
  ['a take of a free lease', update(key('lease'), TAKE)],
  ['a take of a held one', update(key('lease'), TAKE)],
  ['numbers', put({ ...key('n'), a: { N: '1.0' }, b: { N: '00012.500' }, c: { N: '9007199254740993' } })],
  ['numbers read', get(key('n'))],
  ['an empty sort key', put(key('a', ''))],
  ['a partition key of 2,048 bytes', put(key(long(2048)))],
  ['a partition key of 2,049 bytes', put(key(long(2049)))],
  ['a sort key of 1,024 bytes', put(key('a', long(1024)))],
  ['a sort key of 1,025 bytes', put(key('a', long(1025)))],
  ['an item of nearly 400 KiB', put({ ...key('a'), v: { S: long(400 * 1024 - 20) } }, METERED)],
  ['a larger item', put({ ...key('a'), v: { S: long(400 * 1024) } })],
  ['a batch of 25 writes', write(puts(25), METERED)],
  ['a batch of 26 writes', write(puts(26))],
  ['a batch that writes an item twice', write([...puts(1), { DeleteRequest: { Key: key('b0') } }])],
  [
    'a batch with an item larger than 400 KiB',
    write([{ PutRequest: { Item: { ...key('a'), v: { S: long(409_600) } } } }]),
  ],
  ['a batch of 100 reads', read(many(100, index => key(`b${index}`)))],
  ['a batch of 101 reads', read(many(101, index => key(`b${index}`)))],
  ['a batch that reads a key twice', read([key('b'), key('b')])],
  ...SORTED.map((sk): Case => [`sort key ${JSON.stringify(sk)}`, put(key('order', sk))]),
  ['a query in the order of UTF-8', query('order')],
  ['a query that ends with its limit', query('order', { Limit: SORTED.length })],
  ['a query whose limit is one more', query('order', { Limit: SORTED.length + 1 })],
  ['a query that finds nothing, with its units', query('none', { ConsistentRead: true })],
  ...many(6, (index): Case => [`300 kB, ${index}`, put({ ...key('large', `s${index}`), v: { S: long(300_000) } })]),
  ['a strongly consistent query cut at a megabyte', query('large', { ConsistentRead: true })],
  ['a query that goes on', query('large', { ExclusiveStartKey: key('large', 's3') })],
];
