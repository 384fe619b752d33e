import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Answer, ProblemError, type ProblemSuffix, problemAnswer } from './problem.ts';
import type { ApiSimulator } from './simulator.ts';
import type { Outcome } from './web-fetch.ts';

export interface SimulatorServer {
  /** Base URL of the API, without a slash at its end. */
  readonly baseUrl: string;
  /** URL of the realm. */
  readonly authUrl: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Serves an API simulator over HTTP on the loopback interface. `port` 0 = any free one. */
export async function startSimulatorServer(options: {
  simulator: ApiSimulator;
  port?: number;
}): Promise<SimulatorServer> {
  const { simulator, port = 0 } = options;
  const problem = (suffix: ProblemSuffix, detail: string): Answer =>
    problemAnswer(new ProblemError(suffix, detail, { connection: 'close' }));
  const server = createServer({ maxHeaderSize: 16_384, requireHostHeader: false }, (request, response) => {
    serveRequest(simulator, request, response).catch(() => request.socket.destroy());
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    send(response, problem('request/unmet-expectation', 'The only expectation understood is 100-continue.'));
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endRaw(socket, problem('request/method-not-allowed', 'This is not a proxy.'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
    endRaw(socket, clientProblem(error, problem)),
  );
  const baseUrl = await listen(server, port);
  return { baseUrl, authUrl: baseUrl + simulator.realmPath, close: () => closeServer(server) };
}

async function serveRequest(
  simulator: ApiSimulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const body = await readBody(request);
  if (body === undefined) {
    const error = new ProblemError('request/body-too-large', 'The body is too large.', { connection: 'close' });
    return send(response, problemAnswer(error));
  }
  deliver(response, await simulator.serve({ method: request.method ?? '', target: request.url ?? '', header, body }));
}

function deliver(response: ServerResponse, { answer, reset, truncate }: Outcome): void {
  if (reset) {
    response.socket?.resetAndDestroy();
    return;
  }
  if (!truncate) {
    send(response, answer);
    return;
  }
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  response.end(bytes);
}

/** Answers on a connection without a readable request. */
function endRaw(socket: Duplex, { status, headers, body }: Answer): void {
  if (!socket.writable) return void socket.destroy();
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} Error\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

function clientProblem(
  error: NodeJS.ErrnoException,
  problem: (suffix: ProblemSuffix, detail: string) => Answer,
): Answer {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return problem('request/headers-too-large', 'Target and headers exceed 16 KiB.');
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return problem('request/timeout', 'The request was not complete in time.');
  return problem('request/malformed', 'This is not an HTTP request.');
}

/** Listens on the loopback interface. Rejects if the port is in use. @returns the URL */
export async function listen(server: Server, port: number): Promise<string> {
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
 * A page of another host can make a browser send requests to this machine. Such a request has that page's `Origin`. After the page's host name
 * was pointed at 127.0.0.1, it has that name as `Host`. A form cannot send JSON.
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

/** The body as text; undefined if it exceeds the bound. The rest is not read. */
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
