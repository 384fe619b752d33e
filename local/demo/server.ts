import { randomBytes, timingSafeEqual } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import * as v from 'valibot';
import { PROBLEMS, ProblemError } from '../api-simulator/problem.ts';
import { checkSender, closeServer, listen, readBody } from '../api-simulator/server.ts';
import type { Demo } from './demo.ts';
import type { View } from './view.ts';

const PAGE_FOLDER = path.join(import.meta.dirname, 'page');
const DOCS_FOLDER = path.join(import.meta.dirname, '..', '..', 'docs');

export interface DemoServer {
  /** Of the page, with a slash at its end. */
  readonly url: string;
  /** Token that every request that changes something must carry. */
  readonly token: string;
  /** Serves this demo from now on. Until then the page says that it is starting. */
  show(demo: DemoParts): void;
  close(): Promise<void>;
}

/** The part of the demo that the server uses. */
export type DemoParts = Pick<
  Demo,
  'view' | 'listen' | 'groups' | 'dashboard' | 'explain' | 'cause' | 'repair' | 'setPace'
> & { readonly stack: { readonly time: { readonly clock: { now(): number }; readonly minuteTakes: number } } };

/** The response to a request that is not served. */
class RefusedRequestError extends Error {
  override readonly name = 'RefusedRequestError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Serves the page on 127.0.0.1. Requests that another website causes in the browser are refused. */
export async function startDemoServer(port = 0): Promise<DemoServer> {
  const token = randomBytes(24).toString('base64url');
  const files = await staticFiles(token);
  let origin = '';
  let demo: DemoParts | undefined;
  const server = createServer((request, response) => {
    serve({ demo, token, origin, files }, request, response).catch((error: unknown) => refuse(response, error));
  });
  origin = await listen(server, port);
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
  readonly demo: DemoParts | undefined;
  readonly token: string;
  readonly origin: string;
  readonly files: ReadonlyMap<string, StaticFile>;
}

async function serve(side: Side, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  checkSender(request, side.origin);
  const { demo } = side;
  if (!demo) throw new RefusedRequestError(503, 'The demo is starting. Its terminal says when it has started.');
  const target = URL.parse(request.url ?? '/', side.origin);
  if (!target) throw new RefusedRequestError(400, 'The target of the request is malformed.');
  const { pathname, searchParams } = target;
  if (request.method === 'POST') {
    checkToken(request, side.token);
    await act(demo, pathname, await jsonBody(request));
    response.writeHead(204).end();
    return;
  }
  if (request.method !== 'GET') throw new RefusedRequestError(405, 'Only GET and POST are served.');
  if (pathname === '/events') return streamViews(demo, response);
  const answer = await read(demo, side.files, pathname, searchParams);
  response.writeHead(200, { 'content-type': answer.type }).end(answer.body);
}

/** Nothing inline and no other host, so that no text of a row can become a script or reach anybody. */
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

const Cause = v.object({ name: v.string() });
const Pace = v.object({ minuteTakes: v.pipe(v.number(), v.minValue(FASTEST), v.maxValue(SLOWEST)) });

async function act(demo: DemoParts, pathname: string, body: unknown): Promise<void> {
  switch (pathname) {
    case '/incident':
      return demo.cause(parsed(Cause, body).name).catch(asRefusal);
    case '/repair':
      return demo.repair();
    case '/pace':
      return demo.setPace(parsed(Pace, body).minuteTakes);
    default:
      throw new RefusedRequestError(404, 'There is no such action.');
  }
}

function asRefusal(error: unknown): never {
  throw error instanceof RangeError ? new RefusedRequestError(404, error.message) : error;
}

function parsed<S extends v.GenericSchema>(schema: S, body: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  throw new RefusedRequestError(400, result.issues.map(({ message }) => message).join(' '));
}

interface StaticFile {
  readonly type: string;
  readonly body: string | Buffer;
}

async function read(
  demo: DemoParts,
  files: Side['files'],
  pathname: string,
  parameters: URLSearchParams,
): Promise<StaticFile> {
  const file = files.get(pathname);
  if (file) return file;
  if (pathname.startsWith('/docs/')) return documentPage(pathname.slice('/docs/'.length));
  switch (pathname) {
    case '/groups':
      return json(demo.groups);
    case '/view':
      return json(demo.view);
    case '/dashboard':
      return json(demo.dashboard());
    case '/clock':
      return json({ now: demo.stack.time.clock.now(), minuteTakes: demo.stack.time.minuteTakes });
    case '/row':
      return json((await demo.explain(parameters.get('stream') ?? '', parameters.get('id') ?? '')) ?? null);
    default:
      throw new RefusedRequestError(404, 'There is no such page.');
  }
}

function json(value: unknown): StaticFile {
  return { type: TYPES['.json']!, body: JSON.stringify(value) };
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** The files of the page, by path. */
async function staticFiles(token: string): Promise<Map<string, StaticFile>> {
  const own = globSync('*', { cwd: PAGE_FOLDER }).map(name => [`/${name}`, path.join(PAGE_FOLDER, name)] as const);
  const charts = ['uPlot.esm.js', 'uPlot.min.css'].map(name => {
    return [`/uplot/${name}`, fileURLToPath(import.meta.resolve(`uplot/dist/${name}`))] as const;
  });
  const files = new Map<string, StaticFile>();
  for (const [name, file] of [...own, ...charts]) {
    files.set(name, { type: TYPES[path.extname(file)] ?? 'text/plain', body: await readFile(file) });
  }
  const index = files.get('/index.html')!;
  files.set('/', { ...index, body: index.body.toString().replace('{{token}}', token) });
  files.delete('/index.html');
  return files;
}

/** A page of docs/, to which alarms link. */
async function documentPage(name: string): Promise<StaticFile> {
  if (!globSync('**/*.md', { cwd: DOCS_FOLDER }).includes(name)) {
    throw new RefusedRequestError(404, 'There is no such page in docs/.');
  }
  const markdown = new Marked({ renderer: { heading: headingWithId } });
  const body = await markdown.parse(await readFile(path.join(DOCS_FOLDER, name), 'utf8'));
  const html = readFileSync(path.join(PAGE_FOLDER, 'document.html'), 'utf8');
  return { type: TYPES['.html']!, body: html.replace('{{title}}', name).replace('{{body}}', () => body) };
}

/** The anchors of GitHub, which the links in the documents use. */
function headingWithId(
  this: { parser: { parseInline(tokens: never[]): string } },
  { tokens, depth, text }: { tokens: unknown[]; depth: number; text: string },
): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  return `<h${depth} id="${id}">${this.parser.parseInline(tokens as never[])}</h${depth}>\n`;
}

/** A slower page skips views. */
const MOST_BUFFERED_BYTES = 1024 * 1024;

/** Server-sent events: the view now, and each new one. */
function streamViews(demo: DemoParts, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (view: View): void => {
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
