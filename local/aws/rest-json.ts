import { AwsError } from './aws-error.ts';
import type { JsonObject } from './json-protocol.ts';
import type { Reply, WireRequest } from './wire.ts';

/** Services of the REST-JSON protocol answer this to a request that nobody signed. */
export const MISSING_REST_TOKEN = new AwsError(
  403,
  'MissingAuthenticationTokenException',
  'Missing Authentication Token',
);

/** A request's decoded path segments and query. @throws AwsError for broken percent-encoding */
export function readRestAddress({ url }: WireRequest): { path: string[]; query: URLSearchParams } {
  const [path = '', query = ''] = url.split('?', 2);
  try {
    return { path: path.split('/').slice(1).map(decodeURIComponent), query: new URLSearchParams(query) };
  } catch (cause) {
    throw new AwsError(400, 'ValidationException', 'The path is not percent-encoded.', { cause });
  }
}

export function unknownOperation({ method }: WireRequest): AwsError {
  return new AwsError(404, 'UnknownOperationException', `No operation of this endpoint is a ${method} on this path.`);
}

/** The body, `{}` when there is none. */
export function readRestBody({ body }: WireRequest): JsonObject {
  try {
    const value: unknown = JSON.parse(body.toString() || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (cause) {
    throw new AwsError(400, 'SerializationException', 'The request body is not JSON.', { cause });
  }
  throw new AwsError(400, 'SerializationException', 'The request body is not a JSON object.');
}

export function restReply(body: unknown): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function restRefusal({ status, code, message }: AwsError): Reply {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': code };
  return { status, headers, body: JSON.stringify({ Type: status < 500 ? 'User' : 'Service', Message: message }) };
}
