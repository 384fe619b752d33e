import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, FaultSource } from '../../local/aws/faults.ts';
import { AwsError, type ServiceName, type ServiceOperation, type WireRequest } from '../../local/aws/service.ts';

/** One answered request. */
export interface Call extends ServiceOperation {
  readonly service: ServiceName;
  /** Id of the access key that signed it, which identifies the caller. */
  readonly caller?: string;
  /** HTTP status; 0 when a fault cut the connection instead of answering. */
  readonly status: number;
  /** Capacity units, where the service meters them. */
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

/** One AWS service behind HTTP. `understand` and `perform` throw `AwsError` for every documented refusal. */
export interface Service<O extends ServiceOperation = ServiceOperation> {
  readonly name: ServiceName;
  understand(request: WireRequest): O;
  perform(operation: O, request: WireRequest, fault: Fault): Promise<Reply>;
  /** The error in the service's own format. */
  refusal(error: AwsError, request: WireRequest): Reply;
  /** The answer to a request without a signature. */
  readonly unsigned: AwsError;
}

export interface WireOptions {
  readonly faults: FaultSource;
  readonly onCall: (call: Call) => void;
  /** Receives errors of this machine, such as a full disk. The caller sees an internal failure and tries again. */
  readonly onFailure?: (error: unknown) => void;
  /** 0 takes a free port. */
  readonly port: number;
  /** Access keys whose calls are not affected by faults. */
  readonly spared?: readonly string[];
  /** Time in the `Date` header of answers, in milliseconds since 1970. @default the clock */
  readonly now?: () => number;
}

export interface Wire {
  readonly url: string;
  /** Finishes the requests in progress, then closes every connection. */
  close(): Promise<void>;
}

/** Puts a service behind HTTP on 127.0.0.1. */
export async function serve<O extends ServiceOperation>(service: Service<O>, options: WireOptions): Promise<Wire> {
  const server = createServer();
  const inProgress = new Set<Promise<void>>();
  let closing = false;
  // A server that closes an idle connection while the client reuses it would look like an unwanted fault.
  server.keepAliveTimeout = 0;
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const cut = (): void => void outgoing.destroy();
    // Only fully received requests are in progress, so that an unfinished one does not delay the close.
    receive(incoming).then(request => {
      if (closing) return cut();
      const work = Promise.resolve()
        .then(() => exchange(service, options, request, outgoing))
        .catch(cut);
      inProgress.add(work);
      void work.finally(() => inProgress.delete(work));
    }, cut);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      closing = true;
      while (inProgress.size > 0) await Promise.all(inProgress);
      const closed = new Promise<void>((resolve, reject) => server.close(error => (error ? reject(error) : resolve())));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function exchange<O extends ServiceOperation>(
  service: Service<O>,
  options: WireOptions,
  request: WireRequest,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.setHeader('date', new Date((options.now ?? Date.now)()).toUTCString());
  const reply = await answer(service, options, request);
  if (reply) await send(outgoing, reply, request.method);
  else outgoing.socket?.resetAndDestroy();
}

/** The service's answer; undefined when a fault cuts the connection. */
export async function answer<O extends ServiceOperation>(
  service: Service<O>,
  options: Pick<WireOptions, 'faults' | 'onCall' | 'onFailure' | 'spared'>,
  request: WireRequest,
): Promise<Reply | undefined> {
  const { faults, onCall, onFailure, spared = [] } = options;
  let operation: O;
  try {
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) throw service.unsigned;
    operation = service.understand(request);
  } catch (error) {
    return service.refusal(asAwsError(error), request);
  }
  const caller = / Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1];
  const fault = spared.includes(caller ?? '') ? {} : faults.for(service.name, operation);
  if (fault.latencyMilliseconds) await delay(fault.latencyMilliseconds);
  const perform = async () => {
    try {
      if (fault.refuse) throw new AwsError(fault.refuse.status, fault.refuse.code, fault.refuse.message);
      return await service.perform(operation, request, fault);
    } catch (error) {
      if (!(error instanceof AwsError)) onFailure?.(error);
      return service.refusal(asAwsError(error), request);
    }
  };
  const reply = fault.loseRequest ? undefined : await perform();
  const { action, permission, resource } = operation;
  const { status, readUnits, writeUnits } = reply ?? { status: 0 };
  const answered = reply !== undefined && !fault.loseAnswer;
  onCall({
    service: service.name,
    caller,
    action,
    permission,
    resource,
    status: answered ? status : 0,
    readUnits,
    writeUnits,
  });
  return answered ? reply : undefined;
}

async function receive(incoming: IncomingMessage): Promise<WireRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '/',
    headers: incoming.headers,
    body: Buffer.concat(parts),
  };
}

async function send(outgoing: ServerResponse, reply: Reply, method: string): Promise<void> {
  if (outgoing.closed) return;
  const closed = once(outgoing, 'close');
  const length = Buffer.byteLength(reply.body);
  const requestId = crypto.randomUUID();
  outgoing.writeHead(reply.status, { 'content-length': length, 'x-amzn-requestid': requestId, ...reply.headers });
  outgoing.end(method === 'HEAD' ? undefined : reply.body);
  await closed;
}

function asAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError(500, 'InternalFailure', `The local endpoint failed: ${String(error)}`, { cause: error });
}
