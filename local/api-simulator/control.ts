import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { STREAMS, type VersionedStreamName } from '../../lambda/streams.ts';
import type { Fault } from './faults.ts';
import { ProblemError, problemAnswer } from './problem.ts';
import { readTarget } from './routes.ts';
import { checkSender, closeServer, listenOnLoopback, readBody } from './server.ts';
import type { ApiSimulator } from './simulator.ts';
import type { TrafficPace } from './traffic.ts';

export interface ControlSide {
  readonly simulator: ApiSimulator;
  /** Pace of the traffic. If undefined, the control API cannot change the traffic. */
  readonly pace?: TrafficPace | undefined;
}

/** An action of the control API. @returns an object to send back */
type Action = (side: ControlSide, id: string, body: string) => unknown;

/** Actions by method and path. `*` stands for an id. */
const ACTIONS: Readonly<Record<string, Action>> = {
  ...Object.fromEntries(STREAMS.flatMap(streamActions)),
  'POST /credentials/rotate': ({ simulator: { account } }) => {
    return { clientId: account.clientId, clientSecret: account.rotateSecret() };
  },
  'POST /credentials/revoke': ({ simulator }) => setRevoked(simulator, true),
  'POST /credentials/reinstate': ({ simulator }) => setRevoked(simulator, false),
  'POST /roles/*/take': ({ simulator }, role) => void simulator.account.roles.delete(role),
  'POST /roles/*/give': ({ simulator }, role) => void simulator.account.roles.add(role),
  'POST /tokens/expire': ({ simulator }) => simulator.account.expireTokens(),
  'POST /life': ({ pace }, _, body) => setPace(pace, body),
  'PUT /faults': ({ simulator }, _, body) => simulator.setFaults(readFaults(body)),
  'GET /requests': ({ simulator }) => Object.fromEntries(simulator.requests),
};

function streamActions({ name, hasRowStates, tombstones }: (typeof STREAMS)[number]): [string, Action][] {
  const verbs = {
    ...(hasRowStates && { reproject: 'redeliver' }),
    ...(tombstones && { remove: 'remove', restore: 'restore', tombstone: 'tombstoneUnseen' }),
  } as Readonly<Record<string, 'redeliver' | 'remove' | 'restore' | 'tombstoneUnseen'>>;
  return [
    [`POST /${name}`, ({ simulator }, _, body) => simulator.put(name, body)],
    ...Object.entries(verbs).map(([verb, change]): [string, Action] => [
      `POST /${name}/*/${verb}`,
      ({ simulator }, id) => simulator[change](name as VersionedStreamName, id),
    ]),
  ];
}

/** Performs a control call. @throws ProblemError */
function perform(side: ControlSide, method: string, segments: readonly string[], body: string): unknown {
  const [collection = '', id = '', verb] = segments;
  const path = verb === undefined ? segments.join('/') : `${collection}/*/${verb}`;
  const action = segments.length <= 3 ? ACTIONS[`${method} /${path}`] : undefined;
  if (!action) throw new ProblemError('request/unknown-path', 'There is no such control call.');
  return action(side, id, body);
}

function setRevoked({ account }: ApiSimulator, revoked: boolean): void {
  account.revoked = revoked;
}

function setPace(pace: TrafficPace | undefined, body: string): void {
  const rate = (parse(body) as { rate?: unknown } | null)?.rate;
  if (typeof rate !== 'number' || rate < 0) {
    throw new ProblemError('request/malformed', 'The body must be {"rate": changes per second}; 0 stops them.');
  }
  if (!pace) throw new ProblemError('resource/conflict', 'The traffic of this simulator cannot be set here.');
  pace.setRate(rate);
}

function readFaults(body: string): Fault[] {
  const faults = parse(body);
  if (Array.isArray(faults)) return faults as Fault[];
  throw new ProblemError('request/malformed', 'The body must be a list of faults; an empty list ends all faults.');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new ProblemError('request/malformed', 'The body is not JSON.'), { cause });
  }
}

/**
 * Largest body of a control call, in bytes. It is large, because rows may be large, to test the
 * limits of the connector.
 */
const BODY_BOUND = 64 * 1024 * 1024;

/**
 * Serves the control API without authentication. It has a port of its own on the loopback
 * interface, which only local programs can reach.
 */
export async function startControlServer({ port = 0, ...side }: ControlSide & { readonly port?: number }) {
  let controlUrl = '';
  const server = createServer((request, response) => {
    serveControl(side, controlUrl, request, response).catch((error: unknown) => refuse(response, error));
  });
  controlUrl = await listenOnLoopback(server, port);
  return { controlUrl, close: () => closeServer(server) };
}

async function serveControl(
  side: ControlSide,
  controlUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  checkSender(request, controlUrl);
  const { segments, path } = readTarget(request.url ?? '');
  if (request.method === 'GET' && path === '/truth') {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(side.simulator.truthText()), response);
    return;
  }
  const body = await readBody(request, BODY_BOUND);
  if (body === undefined) throw new ProblemError('request/body-too-large', 'The body is too large.');
  const result = perform(side, request.method ?? '', segments, body);
  if (typeof result !== 'object') response.writeHead(204).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(error);
  response.writeHead(status, headers).end(body);
}
