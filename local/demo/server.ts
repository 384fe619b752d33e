import { randomBytes, timingSafeEqual } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import * as v from 'valibot';
import { PROBLEMS, ProblemError } from '../api-simulator/problem.ts';
import { checkSender, closeServer, listenOnLoopback, readBody } from '../api-simulator/server.ts';
import type { Demo } from './demo.ts';
import { ALARMING_INCIDENTS, HARMLESS_INCIDENTS } from './incidents.ts';
import type { DemoView } from './view.ts';

const PAGE_FOLDER = path.join(import.meta.dirname, 'page');
const RUNBOOK = path.join(import.meta.dirname, '..', '..', 'docs', 'runbook.md');

export interface DemoServer {
  /** URL of the page, with a slash at its end. */
  readonly url: string;
  /** Token that a request must have to change something. */
  readonly token: string;
  /** Serves this demo from now on. Until then, the page says that the demo is starting. */
  show(demo: ServedDemo): void;
  close(): Promise<void>;
}

/** The part of the demo that the server uses. */
export type ServedDemo = Pick<Demo, 'view' | 'listen' | 'cause' | 'repair' | 'minuteTakes'>;

/** The response to a request that is not served. */
class RefusedRequestError extends Error {
  override readonly name = 'RefusedRequestError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Serves the page on 127.0.0.1. Requests that another website makes the browser send are refused.
 */
export async function startDemoServer(port = 0): Promise<DemoServer> {
  const token = randomBytes(24).toString('base64url');
  const files = await pageFiles(token);
  let origin = '';
  let demo: ServedDemo | undefined;
  const server = createServer((request, response) => {
    serve({ demo, token, origin, files }, request, response).catch((error: unknown) => refuse(response, error));
  });
  origin = await listenOnLoopback(server, port);
  return {
    url: `${origin}/`,
    token,
    show(given) {
      demo = given;
    },
    close: () => closeServer(server),
  };
}

interface Side {
  readonly demo: ServedDemo | undefined;
  readonly token: string;
  readonly origin: string;
  readonly files: ReadonlyMap<string, Answer>;
}

interface Answer {
  readonly type: string;
  readonly body: string | Buffer;
}

async function serve(side: Side, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  checkSender(request, side.origin);
  const { demo } = side;
  if (!demo) throw new RefusedRequestError(503, 'The demo is starting. Its terminal says when it has started.');

  const pathname = URL.parse(request.url ?? '/', side.origin)?.pathname;
  if (pathname === undefined) throw new RefusedRequestError(400, 'The target of the request is malformed.');

  if (request.method === 'POST') {
    checkToken(request, side.token);
    act(demo, pathname, await jsonBody(request));
    response.writeHead(204).end();
    return;
  }
  if (request.method !== 'GET') throw new RefusedRequestError(405, 'Only GET and POST are served.');
  if (pathname === '/events') return streamViews(demo, response);

  const { type, body } = side.files.get(pathname) ?? (await read(demo, pathname));
  response.writeHead(200, { 'content-type': type }).end(body);
}

/**
 * Headers of every answer. The page may run no inline script and contact no other host, so that the
 * text of a row cannot become a script or leave this machine.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** @throws RefusedRequestError */
function checkToken({ headers }: IncomingMessage, token: string): void {
  const given = Buffer.from(String(headers['x-demo-token'] ?? ''));
  const wanted = Buffer.from(token);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new RefusedRequestError(403, 'The token of this start is missing. Load the page again.');
}

async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, 4096);
  if (body === undefined) throw new RefusedRequestError(413, 'The body is too large.');
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw Object.assign(new RefusedRequestError(400, 'The body is not JSON.'), { cause });
  }
}

const FASTEST = 10;
const SLOWEST = 60_000;

const Cause = v.object({ name: v.picklist([...ALARMING_INCIDENTS, ...HARMLESS_INCIDENTS].map(({ name }) => name)) });
const Pace = v.object({ minuteTakes: v.pipe(v.number(), v.minValue(FASTEST), v.maxValue(SLOWEST)) });

function act(demo: ServedDemo, pathname: string, body: unknown): void {
  switch (pathname) {
    case '/incident':
      demo.cause(parsed(Cause, body).name);
      return;
    case '/repair':
      demo.repair();
      return;
    case '/pace':
      demo.minuteTakes = parsed(Pace, body).minuteTakes;
      return;
    default:
      throw new RefusedRequestError(404, 'There is no such action.');
  }
}

function parsed<S extends v.GenericSchema>(schema: S, body: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  throw new RefusedRequestError(400, result.issues.map(({ message }) => message).join(' '));
}

async function read(demo: ServedDemo, pathname: string): Promise<Answer> {
  if (pathname === '/incidents') {
    return json(
      [ALARMING_INCIDENTS, HARMLESS_INCIDENTS].map(group => group.map(({ name, caused }) => ({ name, caused }))),
    );
  }
  if (pathname === '/view') return json(demo.view);

  const section = /^\/runbook\/([\w-]+)$/.exec(pathname)?.[1];
  if (section !== undefined) return { type: TYPES['.txt']!, body: await runbookSection(section) };
  throw new RefusedRequestError(404, 'There is no such page.');
}

function json(value: unknown): Answer {
  return { type: TYPES['.json']!, body: JSON.stringify(value) };
}

/** Reads the section about an alarm from the runbook, as Markdown. @throws RefusedRequestError */
async function runbookSection(alarm: string): Promise<string> {
  const sections = (await readFile(RUNBOOK, 'utf8')).split(/^(?=## )/m);
  const section = sections.find(text => text.startsWith(`## ${alarm}\n`));
  if (section === undefined) throw new RefusedRequestError(404, 'The runbook has no such section.');
  return section;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Reads the files of the page. @returns the answers by path */
async function pageFiles(token: string): Promise<Map<string, Answer>> {
  const files = new Map<string, Answer>();
  for (const name of globSync('*', { cwd: PAGE_FOLDER })) {
    const body = await readFile(path.join(PAGE_FOLDER, name), 'utf8');
    const at = name === 'index.html' ? '/' : `/${name}`;
    files.set(at, { type: TYPES[path.extname(name)]!, body: body.replace('{{token}}', token) });
  }
  return files;
}

/** Bytes that may wait for a slow page. Above this bound, the page skips views. */
const MOST_BUFFERED_BYTES = 1024 * 1024;

/** Sends the current view and each new view as server-sent events. */
function streamViews(demo: ServedDemo, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (view: DemoView): void => {
    if (response.writableLength < MOST_BUFFERED_BYTES) response.write(`data: ${JSON.stringify(view)}\n\n`);
  };
  send(demo.view);
  response.once('close', demo.listen(send));
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const [status, message] = refusal(error);
  if (status === 500) console.error(error);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${message}\n`);
}

function refusal(error: unknown): [status: number, message: string] {
  if (error instanceof RefusedRequestError) return [error.status, error.message];
  if (error instanceof ProblemError) return [PROBLEMS[error.suffix][0], error.message];
  return [500, 'The demo failed. Its terminal says why.'];
}
