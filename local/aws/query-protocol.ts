import { AwsError } from './aws-error.ts';
import type { Reply, WireRequest } from './wire.ts';
import { valueElement, XML_DECLARATION, type XmlValue } from './xml.ts';

/** A service of the query protocol: requests are forms, answers are XML in a namespace of the service's own. */
export interface QueryApi {
  /** Date that stands in every request. */
  readonly version: string;
  readonly namespace: string;
}

/** Services of the query protocol answer this to a request that nobody signed. */
export const MISSING_QUERY_TOKEN = new AwsError(
  403,
  'MissingAuthenticationToken',
  'Request is missing Authentication Token',
);

/** Action and parameters of a request. @throws AwsError InvalidAction */
export function readQueryRequest(
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

export function queryReply({ namespace }: QueryApi, action: string, result: XmlValue): Reply {
  const metadata = valueElement('ResponseMetadata', { RequestId: crypto.randomUUID() });
  const body = valueElement(`${action}Result`, result) + metadata;
  return xmlReply(200, `<${action}Response xmlns="${namespace}">${body}</${action}Response>`);
}

export function queryRefusal({ namespace }: QueryApi, { status, code, message }: AwsError): Reply {
  const type = status < 500 ? 'Sender' : 'Receiver';
  const error = valueElement('Error', { Type: type, Code: code, Message: message });
  const body = error + valueElement('RequestId', crypto.randomUUID());
  return xmlReply(status, `<ErrorResponse xmlns="${namespace}">${body}</ErrorResponse>`);
}

function xmlReply(status: number, xml: string): Reply {
  return { status, headers: { 'content-type': 'text/xml' }, body: XML_DECLARATION + xml };
}
