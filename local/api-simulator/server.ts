import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REALM_PATH } from './api.ts';
import { ProblemError, problemAnswer } from './problem.ts';
import type { ApiSimulator } from './simulator.ts';
import type { CallOutcome } from './web-fetch.ts';

export type SimulatorServer = Awaited<ReturnType<typeof startSimulatorServer>>;

/**
 * Serves an API simulator over HTTP on the loopback interface. With `port` 0, the server gets any
 * free port.
 *
 * @returns the URLs of the API and the realm, without a slash at the end; `close` ends all
 * connections
 */
export async function startSimulatorServer({ simulator, port = 0 }: { simulator: ApiSimulator; port?: number }) {
  const server = createServer((request, response) => {
    serveRequest(simulator, request, response).catch(() => response.destroy());
  });
  const baseUrl = await listenOnLoopback(server, port);
  return { baseUrl, authUrl: baseUrl + REALM_PATH, close: () => closeServer(server) };
}

async function serveRequest(simulator: ApiSimulator, request: IncomingMessage, response: ServerResponse) {
  const header = (name: string): string | undefined => [request.headers[name]].flat().join(', ') || undefined;
  const body = await readBody(request);
  if (body === undefined) {
    const error = new ProblemError('request/body-too-large', 'The body is too large.', { connection: 'close' });
    return deliver(response, { answer: problemAnswer(error) });
  }
  const { method = '', url: target = '' } = request;
  deliver(response, await simulator.serve({ method, target, header, body }));
}

function deliver(response: ServerResponse, { answer, reset, truncate }: CallOutcome): void {
  if (reset) return void response.destroy();
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
  if (truncate) response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  else response.end(bytes);
}

/** Listens on the loopback interface. Rejects if the port is in use. @returns the URL */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/**
 * Refuses requests that a page of another host makes a browser send to this machine. Such a request
 * has the page's `Origin`. If the page's host name points to 127.0.0.1, the request has that host
 * name as `Host`. A form of the page cannot send JSON, so a request that changes something must be
 * JSON.
 *
 * @throws ProblemError
 */
export function checkSender({ method, headers }: IncomingMessage, ownUrl: string): void {
  const { port } = new URL(ownUrl);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? '')) {
    throw new ProblemError('request/foreign-host', 'This host name is not served here.');
  }
  const { origin } = headers;
  if (origin !== undefined && !hosts.some(host => origin === `http://${host}`)) {
    throw new ProblemError('request/foreign-origin', 'Requests of other origins are not served.');
  }
  if (method !== 'GET' && headers['content-type']?.split(';')[0] !== 'application/json') {
    throw new ProblemError('request/not-json', 'Send the header "Content-Type: application/json".');
  }
}

/**
 * Reads the body as text. Undefined if the body exceeds the bound, and then its rest is not read.
 */
export async function readBody(request: IncomingMessage, bound = 65_536): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bound) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
