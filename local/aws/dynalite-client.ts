import { EventEmitter } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { JsonObject } from './json-protocol.ts';

export interface DynaliteAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

export type DynaliteClient = (action: string, input: JsonObject) => Promise<DynaliteAnswer>;

export const DYNAMODB_TARGET = 'DynamoDB_20120810';

/**
 * Takes dynalite's request listener off its server and calls it without HTTP.
 *
 * On a server of its own, dynalite ends the process when a client dies in the middle of a request: it throws the
 * connection's error from an event listener. Here it only ever sees whole requests.
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
      // Just the members that dynalite uses of the two.
      listener(request as never, response as never);
      request.emit('data', Buffer.from(JSON.stringify(input)));
      request.emit('end');
    });
}

/** The signature is checked for its form only. */
function headersFor(action: string): Record<string, string> {
  return {
    authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=local',
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': '20000101T000000Z',
    'x-amz-target': `${DYNAMODB_TARGET}.${action}`,
  };
}
