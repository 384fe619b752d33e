import { AwsError, type ServiceName, type ServiceOperation, type WireRequest } from '../../local/aws/service.ts';
import type { Reply, Service } from './wire.ts';

export type JsonVersion = '1.0' | '1.1';
export type JsonObject = Readonly<Record<string, unknown>>;

export interface JsonOperation extends ServiceOperation {
  readonly input: JsonObject;
}

export interface QueryOperation extends ServiceOperation {
  readonly input: URLSearchParams;
}

/** The answer of the JSON protocols to an unsigned request. */
export const MISSING_TOKEN = new AwsError(400, 'MissingAuthenticationTokenException', 'Missing Authentication Token');

/** Action and input of a request. The `X-Amz-Target` header holds the service's prefix, a dot and the action. */
export function readJsonRequest(request: WireRequest, target: string): { action: string; input: JsonObject } {
  const [prefix, action, ...rest] = String(request.headers['x-amz-target'] ?? '').split('.');
  if (request.method !== 'POST' || prefix !== target || !action || rest.length > 0) {
    throw new AwsError(400, 'UnknownOperationException', 'The X-Amz-Target header names no operation of this service.');
  }
  return { action, input: parseObject(request.body.toString()) };
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (cause) {
    throw new AwsError(400, 'SerializationException', 'The request body is not JSON.', { cause });
  }
  throw new AwsError(400, 'SerializationException', 'The request body is not a JSON object.');
}

export function jsonReply(version: JsonVersion, body: unknown): Reply {
  return { status: 200, headers: { 'content-type': `application/x-amz-json-${version}` }, body: JSON.stringify(body) };
}

export function jsonRefusal(version: JsonVersion, error: AwsError): Reply {
  const body = { __type: error.code, message: error.message };
  return { ...jsonReply(version, body), status: error.status };
}

export interface JsonServiceOptions {
  readonly name: ServiceName;
  /** What precedes the action in the `X-Amz-Target` header. */
  readonly target: string;
  readonly version: JsonVersion;
  /** ARN of what a request is about. */
  readonly resource: (input: JsonObject, action: string) => string;
  /** By name. They throw AwsError. */
  readonly actions: Readonly<Record<string, (input: JsonObject) => JsonObject>>;
  /** Of a service that formerly used the query protocol. */
  readonly compatible?: QueryCompatible;
}

/** A service of the JSON protocol whose answers depend on their inputs alone. */
export function jsonService(options: JsonServiceOptions): Service<JsonOperation> {
  const { name, target, version, resource, actions, compatible } = options;
  return {
    name,
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, target);
      if (!Object.hasOwn(actions, action)) {
        throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
      }
      return { action, permission: `${name}:${action}`, resource: resource(input, action), input };
    },
    perform: async ({ action, input }) => jsonReply(version, actions[action]!(input)),
    refusal: error => (compatible ? queryCompatibleRefusal(compatible, error) : jsonRefusal(version, error)),
  };
}

/** A string member of the input. @throws AwsError for a missing or mistyped one, as the services do */
export function stringMember(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new AwsError(400, 'ValidationException', `1 validation error detected: Value at '${name}' must be a string.`);
}

/** A service that formerly used the query protocol. Its errors also carry the error code of that protocol. */
interface QueryCompatible {
  /** Prefix of shape names, for example `com.amazonaws.sqs`. */
  readonly namespace: string;
  /** Codes by shape name, where the two differ. */
  readonly codes: Readonly<Record<string, string>>;
}

function queryCompatibleRefusal({ namespace, codes }: QueryCompatible, error: AwsError): Reply {
  const { status, code, message } = error;
  const queryError = `${codes[code] ?? code};${status < 500 ? 'Sender' : 'Receiver'}`;
  const reply = jsonReply('1.0', { __type: `${namespace}#${code}`, message });
  return { ...reply, status, headers: { ...reply.headers, 'x-amzn-query-error': queryError } };
}

/** A service of the query protocol. Requests are forms, answers are XML in the service's namespace. */
export interface QueryApi {
  /** API version, a date that every request contains. */
  readonly version: string;
  readonly namespace: string;
}

/** The answer of the query protocol to an unsigned request. */
const MISSING_QUERY_TOKEN = new AwsError(403, 'MissingAuthenticationToken', 'Request is missing Authentication Token');

export interface QueryServiceOptions {
  readonly name: ServiceName;
  readonly api: QueryApi;
  readonly actions: readonly string[];
  /** ARN of what a request is about. */
  readonly resource: (input: URLSearchParams) => string;
  /** @throws AwsError */
  readonly answer: (input: URLSearchParams, action: string) => XmlValue;
}

/** A service of the query protocol. */
export function queryService({ name, api, actions, resource, answer }: QueryServiceOptions): Service<QueryOperation> {
  return {
    name,
    unsigned: MISSING_QUERY_TOKEN,
    understand(request) {
      const { action, input } = readQueryRequest(request, api, actions);
      return { action, permission: `${name}:${action}`, resource: resource(input), input };
    },
    perform: async ({ action, input }) => queryReply(api, action, answer(input, action)),
    refusal: error => queryRefusal(api, error),
  };
}

/** Action and parameters of a request. @throws AwsError InvalidAction */
function readQueryRequest(
  request: WireRequest,
  api: QueryApi,
  actions: readonly string[],
): { action: string; input: URLSearchParams } {
  const input = new URLSearchParams(request.body.toString());
  const action = input.get('Action') ?? '';
  const version = input.get('Version');
  if (request.method === 'POST' && version === api.version && actions.includes(action)) return { action, input };
  throw new AwsError(400, 'InvalidAction', `Could not find operation ${action} for version ${version ?? 'NO_VERSION'}`);
}

function queryReply({ namespace }: QueryApi, action: string, result: XmlValue): Reply {
  const metadata = valueElement('ResponseMetadata', { RequestId: crypto.randomUUID() });
  const body = valueElement(`${action}Result`, result) + metadata;
  return xmlReply(200, `<${action}Response xmlns="${namespace}">${body}</${action}Response>`);
}

function queryRefusal({ namespace }: QueryApi, { status, code, message }: AwsError): Reply {
  const type = status < 500 ? 'Sender' : 'Receiver';
  const error = valueElement('Error', { Type: type, Code: code, Message: message });
  const body = error + valueElement('RequestId', crypto.randomUUID());
  return xmlReply(status, `<ErrorResponse xmlns="${namespace}">${body}</ErrorResponse>`);
}

function xmlReply(status: number, xml: string): Reply {
  return { status, headers: { 'content-type': 'text/xml' }, body: XML_DECLARATION + xml };
}

/** The answer of the REST-JSON protocol to an unsigned request. */
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
  return parseObject(body.toString() || '{}');
}

export function restReply(body: unknown): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function restRefusal({ status, code, message }: AwsError): Reply {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': code };
  return { status, headers, body: JSON.stringify({ Type: status < 500 ? 'User' : 'Service', Message: message }) };
}
export type XmlValue =
  | string
  | number
  | boolean
  | Date
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An element with escaped text. */
export function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** An element as the query protocol writes values. Entries of a list are `<member>` elements; undefined values are left out. */
export function valueElement(name: string, value: XmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Date) return element(name, value.toISOString());
  if (typeof value !== 'object') return element(name, String(value));
  if (isList(value)) return `<${name}>${value.map(each => valueElement('member', each)).join('')}</${name}>`;
  const members = Object.entries(value).map(([member, each]) => valueElement(member, each));
  return `<${name}>${members.join('')}</${name}>`;
}

function isList(value: XmlValue): value is readonly XmlValue[] {
  return Array.isArray(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, character => ENTITIES[character] ?? character);
}
