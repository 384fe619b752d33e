/** The same requests to DynamoDB Local and to the embedded endpoint: where the answers agree, and where they are known to differ. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DynaliteAnswer } from '../../../local/aws/dynalite-client.ts';
import type { JsonObject } from '../../../local/aws/protocols.ts';
import { type Started, started } from '../../aws/started.ts';
import { type Running, running } from './running.ts';
import { type Case, key, METERED, many, put, read, SAME, TableName, write } from './support/dynamodb-cases.ts';
import { type RealTable, realDynamoDb, realTable } from './support/real-table.ts';

const { dynamodb } = running() as Required<Running>;
const real = realDynamoDb(dynamodb.url);
let embedded: Started;
let table: RealTable;
beforeAll(async () => {
  [embedded, table] = await Promise.all([started(), realTable(dynamodb.url, TableName)]);
});
afterAll(() => Promise.all([embedded[Symbol.asyncDispose](), table.close()]));

interface Outcome {
  readonly status: number;
  /** The error's code. Messages are not compared. */
  readonly code?: string;
  readonly body: unknown;
}

/** What both answer to a request. */
async function both(action: string, input: JsonObject): Promise<{ embedded: Outcome; real: Outcome }> {
  const ours = realDynamoDb(embedded.aws.environment['AWS_ENDPOINT_URL_DYNAMODB']!);
  const [one, other] = await Promise.all([ours(action, input), real(action, input)]);
  return { embedded: outcome(one), real: outcome(other) };
}

function outcome({ status, body }: DynaliteAnswer): Outcome {
  const { __type: type, message: _message, Message: _other, ...rest } = body;
  const known = type === undefined ? {} : { code: String(type).split('#').at(-1)! };
  return { status, ...known, body: unordered(rest) };
}

/** Batch answers have no order. */
function unordered(body: JsonObject): unknown {
  const responses = (body['Responses'] as Record<string, unknown[]> | undefined)?.[TableName];
  const text = responses?.map(item => JSON.stringify(Object.entries(item as object).sort()));
  return text ? { ...body, Responses: text.sort() } : body;
}

test.each(SAME)('the same: %s', async (_what, [action, input]) => {
  const answers = await both(action, input);
  expect(answers.embedded).toEqual(answers.real);
});

const units = (CapacityUnits: number) => expect.objectContaining({ ConsumedCapacity: [{ TableName, CapacityUnits }] });

describe('known to differ, AWS documents the embedded side:', () => {
  test.each<[string, Case[1], Outcome, Outcome]>([
    [
      'a missing item of a batch is metered',
      read(
        many(9, index => key(`m${index}`)),
        METERED,
      ),
      { status: 200, body: units(9) },
      { status: 200, body: units(0) },
    ],
    [
      'a delete of what is not there takes one unit',
      write([{ DeleteRequest: { Key: key('never') } }], METERED),
      { status: 200, body: units(1) },
      { status: 200, body: units(2) },
    ],
    [
      'what is not base64 is refused',
      put({ ...key('a'), b: { B: '!!!' } }),
      { status: 400, code: 'SerializationException', body: {} },
      { status: 500, code: 'InternalFailure', body: {} },
    ],
  ])('%s', async (_what, [action, input], ours, theirs) => {
    expect(await both(action, input)).toEqual({ embedded: ours, real: theirs });
  });
});

describe('known to differ, and left: the connector never sends it:', () => {
  test.each<[string, Case[1], Outcome, Outcome]>([
    [
      'a number with a plus sign',
      put({ ...key('plus'), a: { N: '+5' } }),
      { status: 400, code: 'ValidationException', body: {} },
      { status: 200, body: {} },
    ],
    [
      'a transaction',
      ['TransactWriteItems', { TransactItems: [{ Put: { TableName, Item: key('t') } }] }],
      { status: 400, code: 'UnknownOperationException', body: {} },
      { status: 200, body: {} },
    ],
  ])('%s', async (_what, [action, input], ours, theirs) => {
    expect(await both(action, input)).toEqual({ embedded: ours, real: theirs });
  });
});
