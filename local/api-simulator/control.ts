import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { STREAMS, type VersionedName } from '../../lambda/streams.ts';
import type { Fault } from './faults.ts';
import { ProblemError, problemAnswer } from './problem.ts';
import { readTarget } from './routes.ts';
import type { PositionShown } from './rows.ts';
import { checkSender, closeServer, listen, readBody } from './server.ts';
import type { ApiSimulator } from './simulator.ts';
import type { TrafficPace } from './traffic.ts';

export interface ControlSide {
  readonly simulator: ApiSimulator;
  readonly pace?: TrafficPace | undefined;
}

/** An action of the control API; docs/api-simulator.md documents the paths. */
type Action = (side: ControlSide, id: string, body: string) => object | undefined;

/** Actions by method and path. `*` is an id. */
const ACTIONS: Readonly<Record<string, Action>> = {
  ...Object.fromEntries(STREAMS.flatMap(streamActions)),
  'POST /credentials/rotate': ({ simulator }) => ({
    clientId: simulator.account.clientId,
    clientSecret: simulator.account.rotateSecret(),
  }),
  'POST /credentials/revoke': run(simulator => setRevoked(simulator, true)),
  'POST /credentials/reinstate': run(simulator => setRevoked(simulator, false)),
  'POST /roles/*/take': run((simulator, role) => void simulator.account.roles.delete(role)),
  'POST /roles/*/give': run((simulator, role) => void simulator.account.roles.add(role)),
  'POST /tokens/expire': run(simulator => simulator.authority.expireTokens()),
  'POST /life': ({ pace }, _, body) => void setPace(pace, body),
  'PUT /faults': run((simulator, _, body) => simulator.setFaults(readFaults(body))),
  'GET /requests': ({ simulator }) => Object.fromEntries(simulator.requests),
};

function streamActions(stream: (typeof STREAMS)[number]): [string, Action][] {
  const { name, tombstones } = stream;
  const actions: [string, Action][] = [[`POST /${name}`, run((simulator, _, body) => simulator.put(name, body))]];
  if (!stream.hasRowStates) return actions;
  const add = (verb: string, effect: (simulator: ApiSimulator, name: VersionedName, id: string) => void) =>
    actions.push([`POST /${name}/*/${verb}`, run((simulator, id) => effect(simulator, stream.name, id))]);
  add('reproject', (simulator, each, id) => simulator.redeliver(each, id));
  if (tombstones) {
    add('remove', (simulator, each, id) => simulator.remove(each, id));
    add('restore', (simulator, each, id) => simulator.restore(each, id));
    add('tombstone', (simulator, each, id) => simulator.tombstoneUnseen(each, id));
  }
  return actions;
}

/**
 * Performs a control call. Throws ProblemErrors. @returns an object to send back, or undefined
 */
export function controlAction(
  side: ControlSide,
  method: string,
  segments: readonly string[],
  body: string,
): object | undefined {
  const [collection = '', id = '', verb] = segments;
  const path = verb === undefined ? segments.join('/') : `${collection}/*/${verb}`;
  const action = segments.length <= 3 ? ACTIONS[`${method} /${path}`] : undefined;
  if (!action) throw new ProblemError('request/unknown-path', 'There is no such control call.');
  return action(side, id, body);
}

function run(effect: (simulator: ApiSimulator, id: string, body: string) => void): Action {
  return ({ simulator }, id, body) => {
    effect(simulator, id, body);
    return undefined;
  };
}

function setRevoked(simulator: ApiSimulator, revoked: boolean): void {
  simulator.account.revoked = revoked;
}

function setPace(pace: TrafficPace | undefined, body: string): void {
  const rate = (parse(body) as { rate?: unknown } | null)?.rate;
  if (typeof rate !== 'number' || rate < 0) {
    throw new ProblemError('request/malformed', 'The body must be {"rate": changes a second}; 0 stops them.');
  }
  if (!pace) throw new ProblemError('resource/conflict', 'The traffic of this API simulator cannot be set here.');
  pace.setRate(rate);
}

function readFaults(body: string): Fault[] {
  const faults = parse(body);
  if (Array.isArray(faults)) return faults as Fault[];
  throw new ProblemError('request/malformed', 'The body must be a list of faults; an empty one ends them all.');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new ProblemError('request/malformed', 'The body is not JSON.'), { cause });
  }
}

/** Rows may be large, to test the limits of the connector. */
const BODY_BOUND = 64 * 1024 * 1024;

export interface ControlServer {
  readonly controlUrl: string;
  close(): Promise<void>;
}

export interface ControlOptions {
  readonly simulator: ApiSimulator;
  /** @default any free one */
  readonly port?: number;
  /** Absent: the traffic cannot be set from outside. */
  readonly pace?: TrafficPace;
}

/** Serves the control API on its own port of the loopback interface, to programs of this machine, without authentication. */
export async function startControlServer({ simulator, port = 0, pace }: ControlOptions): Promise<ControlServer> {
  let controlUrl = '';
  const server = createServer((request, response) => {
    serveControl({ simulator, pace }, controlUrl, request, response).catch((error: unknown) => refuse(response, error));
  });
  controlUrl = await listen(server, port);
  return { controlUrl, close: () => closeServer(server) };
}

async function serveControl(
  side: ControlSide,
  controlUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  checkSender(request, controlUrl);
  const { simulator } = side;
  const { segments, parameters, path } = readTarget(request.url ?? '');
  if (request.method === 'GET' && path === '/truth') {
    const shown = readShown(parameters.get('stream_position'));
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(simulator.truthText(shown)), response);
    return;
  }
  const body = await readBody(request, BODY_BOUND);
  if (body === undefined) throw new ProblemError('request/body-too-large', 'The body is too large.');
  const result = controlAction(side, request.method ?? '', segments, body);
  if (result === undefined) response.writeHead(204).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

function readShown(text = 'position'): PositionShown {
  if (text === 'position' || text === 'none') return text;
  throw new ProblemError('request/malformed', 'stream_position must be position or none.');
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(error);
  response.writeHead(status, headers).end(body);
}
