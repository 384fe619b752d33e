import { request as open } from 'node:http';
import type { WireRequest } from '../../../../local/aws/service.ts';
import type { Reply } from '../../../aws/wire.ts';

/** Headers of the connection, not of the request. */
const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect']);

/** Forwards a request to a real endpoint, byte for byte, and returns its answer. */
export async function forward(url: string, { method, url: target, headers, body }: WireRequest): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent = open(new URL(target, url), {
    method,
    // No connection outlives its request, so none keeps a test's process from ending.
    agent: false,
    headers: { ...kept(headers), 'content-length': body.length },
  });
  sent.on('error', reject).on('response', async response => {
    const parts: Buffer[] = [];
    try {
      for await (const part of response) parts.push(part);
      resolve({ status: response.statusCode ?? 0, headers: kept(response.headers), body: Buffer.concat(parts) });
    } catch (error) {
      reject(error);
    }
  });
  sent.end(body);
  return promise;
}

function kept(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const all = Object.entries(headers).filter(([name, value]) => value !== undefined && !HOP.has(name));
  return Object.fromEntries(all.map(([name, value]) => [name, [value].flat().join(', ')]));
}
