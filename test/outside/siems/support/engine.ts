/** A client of Elasticsearch and OpenSearch that loads lines as the files of `siem/` do. */
import { createHash } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { filebeatScript, KEY, rowRemoval, STATE_KINDS, STATE_STREAMS } from './files.ts';

export interface Answer {
  readonly [member: string]: unknown;
}

/** The engine refused a request. */
class EngineError extends Error {
  override readonly name = 'EngineError';
}

export async function call(url: string, method: string, path: string, body?: string): Promise<Answer> {
  const type = path.includes('_bulk') ? 'application/x-ndjson' : 'application/json';
  const content = body === undefined ? {} : { body, headers: { 'content-type': type } };
  const response = await fetch(`${url}/${path}`, { method, ...content });
  const text = await response.text();
  if (!response.ok) throw new EngineError(`${method} ${path}: ${response.status} ${text.slice(0, 600)}`);
  return JSON.parse(text);
}

/** A document as it goes into a bulk request: its action with `_id`, and its text. */
export interface Operation {
  readonly action: string;
  readonly document: string;
}

export interface Loaded {
  written: number;
  /** Refused repeats and older events, as the file intends. */
  conflicts: number;
  /** Other refusals. There must be none. */
  readonly refused: string[];
}

const BATCH_BYTES = 4_000_000;

/** @param pipeline the ingest pipeline that each document passes */
export async function load(
  url: string,
  index: string,
  operations: readonly Operation[],
  pipeline?: string,
): Promise<Loaded> {
  const path = `${index}/_bulk${pipeline ? `?pipeline=${pipeline}` : ''}`;
  const loaded: Loaded = { written: 0, conflicts: 0, refused: [] };
  let batch: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) count(loaded, await call(url, 'POST', path, `${batch.join('\n')}\n`));
    batch = [];
    bytes = 0;
  };
  for (const { action, document } of operations) {
    batch.push(action, document);
    bytes += document.length;
    if (bytes > BATCH_BYTES) await flush();
  }
  await flush();
  await call(url, 'POST', `${index}/_refresh`);
  return loaded;
}

interface BulkItem {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}

function count(loaded: Loaded, answer: Answer): void {
  for (const item of answer['items'] as Record<string, BulkItem>[]) {
    const { status, error } = Object.values(item)[0]!;
    if (status < 300) loaded.written += 1;
    else if (error?.type === 'version_conflict_engine_exception') loaded.conflicts += 1;
    else loaded.refused.push(`${status} ${error?.type}: ${error?.reason.slice(0, 300)}`);
  }
}

/**
 * A line as Filebeat transforms it: its script, run by another JavaScript engine, and its timestamp
 * processor.
 */
export function throughFilebeat(line: string): Operation | undefined {
  const fields = new Map<string, unknown>([['message', line]]);
  const tags: string[] = [];
  const event = {
    Get: (name: string) => fields.get(name),
    Put: (name: string, value: unknown) => void fields.set(name, value),
    Tag: (tag: string) => void tags.push(tag),
  };
  PROCESS(event);
  if (tags.length > 0) return undefined;
  const members = [...fields].filter(([name]) => name.startsWith('security_data.'));
  const data = Object.fromEntries(members.map(([name, value]) => [name.slice('security_data.'.length), value]));
  return {
    action: JSON.stringify({ create: { _id: fields.get('@metadata._id') } }),
    document: JSON.stringify({ '@timestamp': data['forwarded_at'], message: line, security_data: data }),
  };
}

const PROCESS = runInContext(`${filebeatScript()}; process`, createContext({})) as (event: object) => void;

export interface Piped {
  readonly event: Operation | undefined;
  readonly state: Operation | undefined;
}

const { from, to: REPLACEMENT } = rowRemoval();
const ROW = new RegExp(from.replace('(?s)', ''), 's');

/**
 * A line as the pipeline of OpenSearch Ingestion transforms it. Its processors and routes are
 * reimplemented here.
 */
export function throughPipeline(line: string): Piped {
  const head = JSON.parse(line.replace(ROW, REPLACEMENT)) as Record<string, string>;
  const { connector, stream, kind, event_id, sequence } = head;
  const known = (all: readonly string[], value = '') => all.includes(value);
  if (event_id === undefined) return { event: undefined, state: undefined };
  const document = JSON.stringify({ message: line, ...head });
  const isState = known(STATE_KINDS, kind) && known(STATE_STREAMS, stream);
  // SHA-512 of a salt and the text, in hexadecimal digits. Any salt will do.
  const thing = createHash('sha512')
    .update(KEY.map(name => head[name]).join('/'))
    .digest('hex');
  const version = BigInt(sequence!);
  return {
    event: { action: JSON.stringify({ index: { _id: `${connector}-${event_id}-${sequence}` } }), document },
    state: isState
      ? { action: `{"index":{"_id":"${thing}","version":${version},"version_type":"external_gte"}}`, document }
      : undefined,
  };
}

export type Source = Readonly<Record<string, string>>;

interface Composite {
  readonly buckets: readonly (Answer & { readonly key: Record<string, unknown> })[];
  readonly after_key?: object;
}

/** Repeats a request with the key of its last answer, as its comment says. */
export async function pages(url: string, path: string, text: string, name: string): Promise<Composite['buckets']> {
  const body = JSON.parse(text);
  const found: Composite['buckets'][number][] = [];
  for (;;) {
    const answer = await call(url, 'POST', path, JSON.stringify(body));
    const { buckets, after_key } = (answer['aggregations'] as Record<string, Composite>)[name]!;
    if (buckets.length === 0) return found;
    found.push(...buckets);
    body.aggs[name].composite.after = after_key;
  }
}

interface Hit {
  readonly _source: Source & { readonly security_data?: Source };
  readonly sort?: readonly unknown[];
}

export function hitsOf(answer: Answer): readonly Hit[] {
  return (answer['hits'] as { hits: Hit[] }).hits;
}

/** Repeats a request with the sort values of its last hit. */
export async function hitPages(url: string, path: string, text: string): Promise<Hit[]> {
  const body = JSON.parse(text);
  const found: Hit[] = [];
  for (;;) {
    const hits = hitsOf(await call(url, 'POST', path, JSON.stringify(body)));
    if (hits.length === 0) return found;
    found.push(...hits);
    body.search_after = hits.at(-1)!.sort;
  }
}
