import { EventEmitter } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import type { JsonObject } from './protocols.ts';

export interface DynaliteAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

export type DynaliteClient = (action: string, input: JsonObject) => Promise<DynaliteAnswer>;

export const DYNAMODB_TARGET = 'DynamoDB_20120810';

/**
 * Takes dynalite's request listener off its server and calls it without HTTP.
 *
 * On its own server, dynalite ends the process when a client disconnects during a request, because it throws the
 * connection's error from an event listener. Here it receives whole requests only.
 */
export function takeListener(server: Server): DynaliteClient {
  const [listener] = server.listeners('request') as RequestListener[];
  if (!listener) throw new Error('dynalite has no request listener: this version of it works differently.');
  server.removeAllListeners('request');
  return (action, input) =>
    new Promise(resolve => {
      const request = Object.assign(new EventEmitter(), { method: 'POST', url: '/', headers: headersFor(action) });
      const response = {
        statusCode: 200,
        setHeader() {},
        end(body: string) {
          resolve({ status: this.statusCode, body: JSON.parse(body) });
        },
      };
      // Only the members that dynalite uses.
      listener(request as never, response as never);
      request.emit('data', Buffer.from(JSON.stringify(input)));
      request.emit('end');
    });
}

/**
 * dynalite 4 closes an iterator of its store with `return`, which these iterators lack. Without it, each query would keep a snapshot of
 * the store in memory.
 */
export function closeIterators(): void {
  const ofDynalite = createRequire(createRequire(import.meta.url).resolve('dynalite'));
  const { AbstractKeyIterator, AbstractValueIterator } = ofDynalite('abstract-level') as Record<
    string,
    { readonly prototype: { close(): Promise<void>; return?: () => Promise<void> } }
  >;
  for (const iterator of [AbstractKeyIterator, AbstractValueIterator]) {
    if (!iterator) throw new Error('The store of dynalite has other iterators: this version of it works differently.');
    iterator.prototype.return ??= function close() {
      return this.close();
    };
  }
}

/** dynalite checks only the form of the signature. */
function headersFor(action: string): Record<string, string> {
  return {
    authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=local',
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': '20000101T000000Z',
    'x-amz-target': `${DYNAMODB_TARGET}.${action}`,
  };
}

type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** dynalite, corrected where its answers differ from DynamoDB's; see docs/testing.md. */
export function corrected(client: DynaliteClient): DynaliteClient {
  return async (action, input) => {
    const problem = emptyKeyOfQuery(action, input) ?? twoRequestsInOne(action, input);
    if (problem) return refusal('ValidationException', problem);
    const answer = await client(action, input);
    if (isNamed(answer, 'UnknownOperationException')) {
      return refusal('UnknownOperationException', 'An unknown operation was requested.');
    }
    const wantsItem = input['ReturnValuesOnConditionCheckFailure'] === 'ALL_OLD';
    if (!wantsItem || !isNamed(answer, 'ConditionalCheckFailedException')) return answer;
    return { ...answer, body: { ...answer.body, ...(await itemOf(client, input)) } };
  };
}

/** A key cannot be an empty string. DynamoDB refuses a query for one; dynalite finds nothing. */
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

/** The stored item, read right after the refusal. */
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
