import type { DynaliteAnswer, DynaliteClient } from './dynalite-client.ts';
import type { JsonObject } from './json-protocol.ts';

type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** dynalite, but where it was found to answer otherwise than DynamoDB: see docs/testing.md. */
export function corrected(client: DynaliteClient): DynaliteClient {
  return async (action, input) => {
    const fault = emptyKeyOfQuery(action, input) ?? twoRequestsInOne(action, input);
    if (fault) return refusal('ValidationException', fault);
    const answer = await client(action, input);
    if (isNamed(answer, 'UnknownOperationException')) {
      return refusal('UnknownOperationException', 'An unknown operation was requested.');
    }
    const wantsItem = input['ReturnValuesOnConditionCheckFailure'] === 'ALL_OLD';
    if (!wantsItem || !isNamed(answer, 'ConditionalCheckFailedException')) return answer;
    return { ...answer, body: { ...answer.body, ...(await itemOf(client, input)) } };
  };
}

/** An empty text is no key: a query for one is refused, not answered with nothing. */
function emptyKeyOfQuery(action: string, input: JsonObject): string | undefined {
  if (action !== 'Query') return undefined;
  const values = (input['ExpressionAttributeValues'] ?? {}) as Attributes;
  const names = (input['ExpressionAttributeNames'] ?? {}) as Readonly<Record<string, string>>;
  const condition = String(input['KeyConditionExpression'] ?? '');
  for (const [, name = '', value = ''] of condition.matchAll(/([#\w]+)\s*=\s*(:\w+)/g)) {
    const { S, B } = values[value] ?? {};
    if (S === '' || B === '') {
      return `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${names[name] ?? name}`;
    }
  }
  return undefined;
}

function twoRequestsInOne(action: string, input: JsonObject): string | undefined {
  if (action !== 'BatchWriteItem') return undefined;
  const requests = Object.values((input['RequestItems'] ?? {}) as object).flat();
  const isBoth = (request: unknown) => typeof request === 'object' && Object.keys(request ?? {}).length > 1;
  if (!requests.some(isBoth)) return undefined;
  return 'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
}

/** The item that stands there, read just after the refusal. */
async function itemOf(client: DynaliteClient, { TableName, Key, Item }: JsonObject): Promise<JsonObject> {
  const { pk, sk } = (Key ?? Item) as Attributes;
  const { body } = await client('GetItem', { TableName, Key: { pk, sk }, ConsistentRead: true });
  return body['Item'] === undefined ? {} : { Item: body['Item'] };
}

function isNamed({ body }: DynaliteAnswer, code: string): boolean {
  return String(body['__type']).endsWith(code);
}

function refusal(code: string, message: string): DynaliteAnswer {
  return { status: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message } };
}
