import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ControlSide, controlAction } from './control.ts';
import type { TrafficPace } from './life-pace.ts';
import type { Platform } from './platform.ts';
import { ProblemError, problemAnswer } from './problem.ts';
import { readBody } from './read-body.ts';
import { readTarget } from './request-target.ts';
import type { PositionShown } from './rows.ts';
import { closeServer, listen } from './server.ts';

/** A row given from outside may be large on purpose. */
const BODY_BOUND = 64 * 1024 * 1024;

export interface ControlServer {
  readonly controlUrl: string;
  close(): Promise<void>;
}

export interface ControlOptions {
  readonly platform: Platform;
  /** @default any free one */
  readonly port?: number;
  /** Absent: the life of the estate cannot be set from outside. */
  readonly pace?: TrafficPace;
}

/** Serves the control side on a port of its own on the loopback interface, without any authentication. */
export async function startControlServer({ platform, port = 0, pace }: ControlOptions): Promise<ControlServer> {
  const server = createServer((request, response) => {
    serveControl({ platform, pace }, request, response).catch((error: unknown) => refuse(platform, response, error));
  });
  const controlUrl = await listen(server, port);
  return { controlUrl, close: () => closeServer(server) };
}

async function serveControl(side: ControlSide, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { platform } = side;
  const { segments, parameters, path } = readTarget(request.url ?? '');
  if (request.method === 'GET' && path === '/truth') {
    const shown = readShown(parameters.get('stream_position'));
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(Readable.from(platform.truthText(shown)), response);
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

function refuse(platform: Platform, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = problemAnswer(error, platform.settings.problemBase);
  response.writeHead(status, headers).end(body);
}
