/**
 * A network that is left through a proxy only: the proxy, and servers behind it under names that no
 * resolver knows.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { createSecureContext, type TlsOptions } from 'node:tls';
import { closeServer, listenOnLoopback } from '../../local/api-simulator/server.ts';
import type { IssuedCertificate } from './certificate-authority.ts';

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Host and port of each CONNECT so far, and the whole of any other request. */
  readonly log: string[];
  /** Answers requests for a host with this status, until disposed. */
  refuse(host: string, status: number): Disposable;
}

/**
 * @param portOf the port of 127.0.0.1 that stands for a host; none is a host that the proxy cannot
 * reach
 */
export async function connectProxy(portOf: (host: string) => number | undefined): Promise<ConnectProxy> {
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const refused = new Map<string, number>();
  const server = createServer((incoming, response) => {
    log.push(`${incoming.method} ${incoming.url}`);
    response.writeHead(405).end();
  });
  server.on('connection', socket => void sockets.add(socket));
  server.on('connect', (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    const target = incoming.url ?? '';
    log.push(target);
    const host = target.replace(/:\d+$/, '');
    const port = portOf(host);
    const status = refused.get(host) ?? 502;
    if (refused.has(host) || port === undefined) {
      client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  const url = await listenOnLoopback(server, 0);
  return {
    url,
    port: portOfUrl(url),
    log,
    refuse(host, status) {
      refused.set(host, status);
      return { [Symbol.dispose]: () => void refused.delete(host) };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await closeServer(server);
    },
  };
}

interface TlsServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves https with the certificate for each host, and passes requests on to the http server at the
 * URL for it.
 */
export async function tlsServer(
  certificateOf: (host: string) => IssuedCertificate,
  urlOf: (host: string) => string,
): Promise<TlsServer> {
  const options: TlsOptions = {
    ...certificateOf(''),
    SNICallback: (host, callback) => callback(null, createSecureContext(certificateOf(host))),
  };
  const server = createTlsServer(options, (incoming: IncomingMessage, response: ServerResponse) => {
    const url = `${urlOf((incoming.headers.host ?? '').replace(/:\d+$/, ''))}${incoming.url}`;
    const passed = request(url, { method: incoming.method, headers: incoming.headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  const port = portOfUrl(await listenOnLoopback(server, 0));
  return { port, [Symbol.asyncDispose]: () => closeServer(server) };
}

/** The variable of the SDK, where a service has another name in its host. */
const SERVICES: Readonly<Record<string, string>> = { secretsmanager: 'SECRETS_MANAGER', monitoring: 'CLOUDWATCH' };

/**
 * The local endpoint that stands for a host of AWS. A bucket's host name becomes a path, which is
 * all that the local S3 knows.
 *
 *     dynamodb.eu-west-1.amazonaws.com       AWS_ENDPOINT_URL_DYNAMODB
 *     bucket.s3.eu-west-1.amazonaws.com      AWS_ENDPOINT_URL_S3, and /bucket
 */
export function awsUrlOf(host: string, environment: Readonly<Record<string, string>>): string {
  const [service = '', bucket] = host
    .replace(/(\.[a-z]+-[a-z]+-\d)?\.amazonaws\.com$/, '')
    .split('.')
    .toReversed();
  const own = environment[`AWS_ENDPOINT_URL_${SERVICES[service] ?? service.toUpperCase()}`];
  const url = own ?? environment['AWS_ENDPOINT_URL'];
  if (url === undefined) throw new Error(`Nothing stands for ${host}`);
  return bucket === undefined ? url : `${url}/${bucket}`;
}

function portOfUrl(url: string): number {
  return Number(new URL(url).port);
}
