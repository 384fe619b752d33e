import { type AwsError, AwsError as Refusal } from './aws-error.ts';
import type { Reply, WireRequest } from './wire.ts';

export type JsonVersion = '1.0' | '1.1';
export type JsonObject = Readonly<Record<string, unknown>>;

/** Services of the JSON protocols answer this to a request that nobody signed. */
export const MISSING_TOKEN = new Refusal(400, 'MissingAuthenticationTokenException', 'Missing Authentication Token');

/** Action and input of a request: the action stands in the `X-Amz-Target` header, behind the service's prefix. */
export function readJsonRequest(request: WireRequest, target: string): { action: string; input: JsonObject } {
  const [prefix, action, ...rest] = String(request.headers['x-amz-target'] ?? '').split('.');
  if (request.method !== 'POST' || prefix !== target || !action || rest.length > 0) {
    throw new Refusal(400, 'UnknownOperationException', 'The X-Amz-Target header names no operation of this service.');
  }
  return { action, input: parseObject(request.body) };
}

function parseObject(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (cause) {
    throw new Refusal(400, 'SerializationException', 'The request body is not JSON.', { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Refusal(400, 'SerializationException', 'The request body is not a JSON object.');
}

export function jsonReply(version: JsonVersion, body: unknown): Reply {
  return { status: 200, headers: { 'content-type': `application/x-amz-json-${version}` }, body: JSON.stringify(body) };
}

export function jsonRefusal(version: JsonVersion, error: AwsError): Reply {
  const body = { __type: error.code, message: error.message };
  return { ...jsonReply(version, body), status: error.status };
}

/** A string member of the input, or the refusal that the services give for a missing or mistyped one. */
export function stringMember(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(400, 'ValidationException', `1 validation error detected: Value at '${name}' must be a string.`);
}

/** A service that once spoke the query protocol: beside the shape of an error it tells the code that it had there. */
export interface QueryCompatible {
  /** In front of the names of shapes, for example `com.amazonaws.sqs`. */
  readonly namespace: string;
  /** By name of the shape, where the code differs from it. */
  readonly codes: Readonly<Record<string, string>>;
}

export function queryCompatibleRefusal({ namespace, codes }: QueryCompatible, error: AwsError): Reply {
  const { status, code, message } = error;
  const told = `${codes[code] ?? code};${status < 500 ? 'Sender' : 'Receiver'}`;
  const reply = jsonReply('1.0', { __type: `${namespace}#${code}`, message });
  return { ...reply, status, headers: { ...reply.headers, 'x-amzn-query-error': told } };
}
