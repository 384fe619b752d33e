/** Requests on which DynamoDB and the embedded endpoint are to agree. */
import { LOCAL_NAMES } from '../../../../local/aws/endpoints.ts';
import type { JsonObject } from '../../../../local/aws/protocols.ts';

export const { stateTable: TableName } = LOCAL_NAMES;
const long = (length: number) => 'x'.repeat(length);
export const key = (pk: string, sk = 's') => ({ pk: { S: pk }, sk: { S: sk } });
export const put = (Item: unknown, more = {}) => ['PutItem', { TableName, Item, ...more }] as const;
const update = (Key: unknown, more = {}) => ['UpdateItem', { TableName, Key, ...more }] as const;
const get = (Key: unknown) =>
  ['GetItem', { TableName, Key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }] as const;
export const write = (requests: unknown, more = {}) =>
  ['BatchWriteItem', { RequestItems: { [TableName]: requests }, ...more }] as const;
export const read = (Keys: unknown, more = {}) =>
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
export const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
export const METERED = { ReturnConsumedCapacity: 'TOTAL' };
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
  ['a fence that is passed', put({ ...key('fence'), epoch: { N: '4' } }, { ...FENCE, ...METERED })],
  ['a fence that refuses', put({ ...key('a'), epoch: { N: '4' } }, FENCE)],
  [
    'a fence that refuses and shows the item',
    put(key('a'), { ...FENCE, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  ],
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
  [
    'a text compared with a number',
    update(key('lease'), { ...FENCE, UpdateExpression: 'SET x = :epoch', ConditionExpression: 'ended < :epoch' }),
  ],
  [
    'arithmetic on what is not there',
    update(key('lease'), { UpdateExpression: 'SET y = y + :one', ExpressionAttributeValues: { ':one': { N: '1' } } }),
  ],
  [
    'a change of the key',
    update(key('lease'), { UpdateExpression: 'SET pk = :x', ExpressionAttributeValues: { ':x': { S: '' } } }),
  ],
  [
    'numbers',
    put({
      ...key('n'),
      a: { N: '1.0' },
      b: { N: '1e3' },
      c: { N: '-0' },
      d: { N: '00012.500' },
      e: { N: '9007199254740993' },
    }),
  ],
  ['numbers read', get(key('n'))],
  ['39 digits', put({ ...key('n'), a: { N: '1'.repeat(39) } })],
  ['a number that is too small', put({ ...key('n'), a: { N: '1e-131' } })],
  ['no number', put({ ...key('n'), a: { N: '0x10' } })],
  ['two types', put({ ...key('a'), v: { N: '1', S: 'x' } })],
  ['an empty set', put({ ...key('a'), v: { SS: [] } })],
  ['no sort key', put({ pk: { S: 'a' } })],
  ['an empty partition key', put(key(''))],
  ['an empty sort key', put(key('a', ''))],
  ['a partition key of 2,048 bytes', put(key(long(2048)))],
  ['one of 2,049', put(key(long(2049)))],
  ['a sort key of 1,024 bytes', put(key('a', long(1024)))],
  ['one of 1,025', put(key('a', long(1025)))],
  ['a key with a lone surrogate', put(key('x\ud800y'))],
  ['an item of nearly 400 KiB', put({ ...key('a'), v: { S: long(400 * 1024 - 20) } }, METERED)],
  ['one beyond', put({ ...key('a'), v: { S: long(400 * 1024) } })],
  ['a table that is not there', ['PutItem', { TableName: 'no-such-table', Item: key('a') }]],
  ['a condition that is no expression', put(key('a'), { ConditionExpression: 'nonsense ((' })],
  ['a value that nobody uses', put(key('a'), { ...FENCE, ConditionExpression: 'attribute_exists(pk)' })],
  ['a reserved word', put(key('a'), { ...FENCE, ConditionExpression: 'status = :epoch' })],
  [
    'a batch of 25 writes',
    write(
      many(25, index => ({ PutRequest: { Item: key(`b${index}`) } })),
      METERED,
    ),
  ],
  ['one of 26', write(many(26, index => ({ PutRequest: { Item: key(`b${index}`) } })))],
  ['one of none', write([])],
  ['no batch at all', ['BatchWriteItem', { RequestItems: {} }]],
  ['one that writes an item twice', write([{ PutRequest: { Item: key('b') } }, { DeleteRequest: { Key: key('b') } }])],
  ['one request that puts and deletes', write([{ PutRequest: { Item: key('b') }, DeleteRequest: { Key: key('c') } }])],
  ['one with an item beyond 400 KiB', write([{ PutRequest: { Item: { ...key('a'), v: { S: long(400 * 1024) } } } }])],
  ['one with a key too long', write([{ PutRequest: { Item: key('a', long(1025)) } }])],
  [
    'one to a table that is not there',
    ['BatchWriteItem', { RequestItems: { 'no-such-table': [{ PutRequest: { Item: key('a') } }] } }],
  ],
  ['a batch of 100 reads', read(many(100, index => key(`b${index}`)))],
  ['one of 101', read(many(101, index => key(`b${index}`)))],
  ['one of no keys', read([])],
  ['one with a key twice', read([key('b'), key('b')])],
  ['one with half a key', read([{ pk: { S: 'a' } }])],
  ['one with an empty key', read([key('')])],
  ...SORTED.map((sk): Case => [`sort key ${JSON.stringify(sk)}`, put(key('order', sk))]),
  ['a query in the order of UTF-8', query('order')],
  ['backwards', query('order', { ScanIndexForward: false })],
  ['that ends with its limit', query('order', { Limit: SORTED.length })],
  ['whose limit is one more', query('order', { Limit: SORTED.length + 1 })],
  ['of no items, with its units', query('none', { ConsistentRead: true })],
  ['for an empty key', query('')],
  ['from a key that is none', query('order', { ExclusiveStartKey: { pk: { S: 'order' } } })],
  ['with a limit of 0', query('order', { Limit: 0 })],
  ...many(
    6,
    (index): Case => [`300 kB, ${index}`, put({ ...key('large', `s${index}`), v: { S: long(300_000) } }, METERED)],
  ),
  ['a query cut at a megabyte', query('large')],
  ['strongly consistent', query('large', { ConsistentRead: true })],
  ['gone on with', query('large', { ExclusiveStartKey: key('large', 's3') })],
  [
    'an update of a large item',
    update(key('large', 's0'), {
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': { N: '1' } },
      ...METERED,
    }),
  ],
  ['an action that nobody knows', ['Nonsense', { TableName }]],
];
