/** The requests of the connector, and those at their limits, to DynamoDB Local and to the embedded endpoint. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DynaliteAnswer } from '../../../local/aws/dynalite-client.ts';
import type { JsonObject } from '../../../local/aws/protocols.ts';
import { type Started, started } from '../../aws/started.ts';
import { part } from '../running.ts';
import { SAME, TableName } from './support/dynamodb-cases.ts';
import { type RealTable, realDynamoDb, realTable } from './support/real-table.ts';

const { url } = part('dynamodb');
const real = realDynamoDb(url);
let embedded: Started;
let table: RealTable;
beforeAll(async () => {
  [embedded, table] = await Promise.all([started(), realTable(url, TableName)]);
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
