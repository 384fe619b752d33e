/** A service behind HTTP on 127.0.0.1, for the real clients of the SDK. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { answerRequest, type CallOptions, type CommandInput, type LocalService } from '../../local/aws/call.ts';
import { AwsError } from '../../local/aws/service.ts';

export interface HttpRequest {
  readonly method: string;
  /** The path and the query, percent-encoded. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** How requests and answers of a service are written. */
export interface Protocol {
  read(request: HttpRequest): { readonly action: string; readonly input: CommandInput };
  write(output: CommandInput): HttpResponse | Promise<HttpResponse>;
  writeError(error: AwsError): HttpResponse;
}

export interface HttpService {
  readonly url: string;
  /** Ends the requests in progress, then closes every connection. */
  close(): Promise<void>;
}

export async function serve(service: LocalService, protocol: Protocol, options: CallOptions): Promise<HttpService> {
  const inProgress = new Set<Promise<void>>();
  const server = createServer((incoming, outgoing) => {
    const work = exchange(incoming, outgoing).finally(() => inProgress.delete(work));
    inProgress.add(work);
  });
  const exchange = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const { method = '', url: target = '', headers } = incoming;
      const request = protocol.read({ method, target, headers, body: await buffer(incoming) });
      const { output } = await answerRequest(service, { ...request, caller: 'function' }, options);
      send(outgoing, await protocol.write(output));
    } catch (error) {
      if (error instanceof AwsError) send(outgoing, protocol.writeError(error));
      // A fault has cut the connection, or the caller was killed within its request.
      else outgoing.socket?.resetAndDestroy();
    }
  };
  // A server that closes an idle connection while the client reuses it would look like a fault that
  // no test wants.
  server.keepAliveTimeout = 0;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await Promise.all(inProgress);
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(outgoing: ServerResponse, { status, headers = {}, body = '' }: HttpResponse): void {
  outgoing.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
}
