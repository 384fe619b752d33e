/**
 * A world in memory: the API with a few rows, the table, the bucket, Firehose with the SIEM behind
 * it, and a clock. Runs of the real function's core and adapters reach out into it through the seam
 * of `Clients`, and through nothing else.
 */
import '../support/prompt-zlib.mjs';
import { zstdDecompressSync } from 'node:zlib';
// Loaded before the first history: what an adapter loads during one takes time that is not virtual.
import '@aws-sdk/client-s3';
import '../../lambda/sink/s3.ts';
import { type Clients, composeRun, createAssignment, createContainerTokenSource } from '../../lambda/compose.ts';
import { type Commands, type RunOutcome, runStreams } from '../../lambda/core/run-streams.ts';
import { epochAt } from '../../lambda/core/sequence.ts';
import { OPTION_DEFAULTS } from '../../lambda/options.ts';
import type { Log } from '../../lambda/ports.ts';
import type { Settings } from '../../lambda/settings.ts';
import type { TokenSource } from '../../lambda/source/token.ts';
import { leaseKey, logKey } from '../../lambda/store/item.ts';
import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import { sha256 } from '../../lambda/system.ts';
import type { HttpAnswer } from '../../local/api-simulator/problem.ts';
import { listPathOf, type SimulatorSettings } from '../../local/api-simulator/settings.ts';
import { type ApiSimulator, createSimulator } from '../../local/api-simulator/simulator.ts';
import { type Condition, type Operation, Process, problem, type Stray } from './process.ts';
import { type Command, fail, type Keep, Table } from './table.ts';
import { Timeline } from './timeline.ts';

export const START = Date.UTC(2026, 5, 1);
const ORIGIN = 'http://127.0.0.1';
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const MOST_RECORD_BYTES = 1_024_000;
const LONGEST_DELAY_MILLISECONDS = 15;
const TOO_LARGE = String(2 ** 30);
/** A row that can be no event. */
export const BAD_ROW = '{"note":"a row without an id"}';

export interface WorldOptions {
  readonly simulator: Partial<SimulatorSettings>;
  /**
   * Requests take some time, drawn from this seed. Absent: they are answered at once, one after the
   * other.
   */
  readonly delays?: number | undefined;
  /** A longer page is too large to be read. */
  readonly fits?: number | undefined;
  readonly settings: Partial<Settings>;
  /** See Table. */
  readonly keep?: Keep | undefined;
}

/** An event, as the SIEM received it. */
export interface Received {
  readonly line: string;
  readonly eventId: string;
  readonly sequence: string;
  readonly kind: string;
  readonly stream: StreamName;
  readonly id: string;
  readonly asset: string | undefined;
  readonly reason: string | undefined;
  readonly time: string | null;
  readonly refresh: boolean;
  /** See contentOf. */
  readonly content: string | undefined;
  readonly made: number;
  readonly run: number;
  /** Whether its batch was made by an earlier run. The run that sent it did the log again. */
  readonly redone: boolean;
  readonly connector: string;
  /** Whether the API listed the row when the event arrived. */
  readonly existed: boolean;
  /** Whether the API listed the asset that the event names. */
  readonly assetExisted: boolean;
}

export interface DeliveredRow {
  readonly id: string;
  readonly content: string;
  readonly deleted: boolean;
}

export interface Page {
  readonly rows: readonly DeliveredRow[];
  /** The run that read the page first. */
  readonly run: number;
  /** The page before it in the same walk. */
  readonly before: Page | undefined;
}

/** State and tokens of one connector. */
export interface Connector {
  readonly name: string;
  table: Table;
  readonly bucket: Map<string, Uint8Array>;
  tokens: TokenSource | undefined;
}

/** One invocation, once it has ended, was killed, or froze. */
export interface Ran {
  readonly process: Process;
  readonly outcome: RunOutcome | undefined;
  readonly error: Error | undefined;
}

export class World {
  readonly timeline = new Timeline(START);
  /** The organization, and another one whose credentials somebody may deploy by mistake. */
  readonly organizations: readonly [ApiSimulator, ApiSimulator];
  organization = 0;
  settings: Settings;
  readonly main: Connector;
  readonly twin: Connector = newConnector('twin');
  readonly events: Received[] = [];
  readonly breaches: string[] = [];
  /** Keys of the logs that the table has named. */
  readonly named = new Set<string>();
  /** By stream and cursor: the page that issued it. */
  readonly #pages = new Map<string, Page>();
  /**
   * Stream, id and content of the rows that some page held, whole and without the member that can
   * be left out.
   */
  readonly delivered = new Set<string>();
  /** The same of rows that a later row of their page replaced … */
  readonly superseded = new Set<string>();
  /** … and of rows that were the last of their page. */
  readonly lasting = new Set<string>();
  runs = 0;
  /** Milliseconds by which the function's clock differs from that of the API. */
  skew = 0;
  deliversBadRow = false;
  /** The API answers without rows, as if there were none. */
  listsNothing = false;
  /**
   * Where the cursor of a last page leads: to the first cursor of the stream, or to itself if the
   * page is empty.
   */
  lastPageLeads: 'back' | 'nowhere' | undefined;
  badRowWasDelivered = false;
  /**
   * A run follows the cursor of an earlier one, which has therefore saved it: every row before it
   * must be with the SIEM.
   */
  onSavedCursor: (stream: StreamName, before: Page) => void = () => undefined;
  readonly #options: WorldOptions;
  readonly #strays: Stray[] = [];
  readonly #live: Process[] = [];
  #forgotten = new Set<string>();
  readonly #issued = new Set<string>();
  readonly #firstCursors = new Map<StreamName, string>();
  #seed: number;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.main = newConnector('main', options.keep);
    this.#seed = options.delays ?? 0;
    this.organizations = [this.#createSimulator('organization'), this.#createSimulator('another-organization')];
    const { settings: simulator, realmPath } = this.organizations[0];
    this.settings = {
      ...OPTION_DEFAULTS,
      baseUrl: ORIGIN,
      authUrl: ORIGIN + realmPath,
      secretId: 'secret',
      table: 'table',
      deliveryStream: 'stream',
      deadLetterBucket: 'bucket',
      connector: 'main',
      dnsBlocksPath: simulator.dnsBlocksPath,
      threatAssetField: simulator.threatAssetMember,
      leaseSeconds: 60,
      s3PathStyle: false,
      ...options.settings,
    } as Settings;
  }

  get simulator(): ApiSimulator {
    return this.organizations[this.organization]!;
  }

  #createSimulator(clientId: string): ApiSimulator {
    const clock = () => this.timeline.now;
    const simulator = { ...this.#options.simulator, clock, random: () => 0.5, tieSize: 1 };
    return createSimulator({ ...simulator, clientId });
  }

  get rowsOfAnother(): ReadonlySet<string> {
    const { streams } = this.organizations[1].tenantData;
    return new Set([...streams.assets.latest.keys(), ...streams.threats.latest.keys()]);
  }

  /** Whether a run is frozen, or goes on beside the one that has begun after it. */
  get isRunFrozen(): boolean {
    return this.#live.some(({ run, frozen, stopped }) => frozen || (!stopped && run < this.runs));
  }

  /** The epoch of the last run. */
  get epoch(): number {
    return Number(this.main.table.get(leaseKey)?.['epoch']?.N ?? 0);
  }

  /** Whether the clock of the function has not reached the epoch of the last run. */
  get isEpochAhead(): boolean {
    return epochAt(this.timeline.now + this.skew) < this.epoch;
  }

  /**
   * The API refuses every cursor that it has issued so far. Issued again, the same text is good
   * again.
   */
  forgetCursors(): void {
    this.#forgotten = new Set(this.#issued);
  }

  landStrays(): void {
    for (const { land, until } of this.#strays.splice(0)) if (this.timeline.now <= until) land();
  }

  /** Runs the function once, until it ends, is killed or freezes. */
  async run(commands: Partial<Commands>, conditions: readonly Condition[], connector = this.main): Promise<Ran> {
    const process = this.#start(conditions);
    const ran: { process: Process; outcome?: RunOutcome; error?: Error } = { process };
    void this.#invoke(process, commands, connector)
      .then(
        outcome => {
          ran.outcome = outcome;
        },
        error => {
          ran.error = error;
        },
      )
      .finally(() => {
        process.over = true;
      });
    await this.timeline.until(() => process.stopped);
    // A killed container takes its token along.
    if (process.dead) connector.tokens = undefined;
    return { outcome: undefined, error: undefined, ...ran };
  }

  #start(conditions: readonly Condition[]): Process {
    const process = new Process({
      run: ++this.runs,
      timeline: this.timeline,
      conditions,
      delay: this.#options.delays === undefined ? () => 0 : () => this.#delay(),
      strays: this.#strays,
      skew: () => this.skew,
      breach: sentence => this.breaches.push(sentence),
    });
    this.#live.push(process);
    return process;
  }

  /** A linear congruential generator: the same seed draws the same delays. */
  #delay(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + ((this.#seed >>> 16) % LONGEST_DELAY_MILLISECONDS);
  }

  async #invoke(process: Process, commands: Partial<Commands>, connector: Connector): Promise<RunOutcome> {
    const settings = { ...this.settings, connector: connector.name };
    const clients = this.#clientsOf(process, connector);
    connector.tokens ??= createContainerTokenSource(settings, clients);
    const { ports, lease, warmUp } = composeRun(settings, clients, connector.tokens, process.timeLeft);
    return await runStreams({
      ports,
      lease,
      warmUp,
      assignment: createAssignment(settings),
      commands: { resync: [], replay: [], ...commands },
      outOfTime: process.outOfTime,
    });
  }

  #clientsOf(process: Process, connector: Connector): Clients {
    return {
      dynamodb: { send: (command: Command) => this.#table(command, process, connector) },
      firehose: { send: (command: Command) => this.#firehose(command, process, connector) },
      secrets: {
        send: async () => {
          const { clientId, clientSecret } = this.simulator.account;
          return { SecretString: JSON.stringify({ client_id: clientId, client_secret: clientSecret }) };
        },
      },
      s3: async () => ({ send: (command: Command) => this.#s3(command, process, connector) }),
      fetch: (url, init) => this.#fetch(String(url), init as RequestInit, process),
      clock: process.clock,
      random: () => 0.5,
      hash: sha256,
      log: SILENT,
    } as Clients;
  }

  #table(command: Command, process: Process, { table }: Connector): Promise<unknown> {
    const operation = TABLE_OPERATIONS[command.constructor.name]!;
    const effect = () => {
      const answer = table.execute(command);
      const named = command.input.Item?.object?.S;
      if (named !== undefined) this.named.add(named);
      // A run begins with taking the lease: from its first write on no other run may write.
      if (operation === 'put' || operation === 'update') this.#supersedeOthers(process);
      return answer;
    };
    const batch = command.input.RequestItems;
    return process.request({ operation, effect, ...(batch && { half: () => halfOf(command, table) }) });
  }

  #supersedeOthers(process: Process): void {
    for (const other of this.#live) if (other.run < process.run) other.superseded = true;
  }

  #firehose({ input }: Command, process: Process, connector: Connector): Promise<unknown> {
    const records: readonly { readonly Data: Uint8Array }[] = input.Records;
    if (records.some(({ Data }) => Data.length > MOST_RECORD_BYTES))
      this.breaches.push('A record is too large for Firehose');
    const take = (isTaken: (index: number) => boolean, isRefused = (index: number) => !isTaken(index)) => {
      for (const [index, { Data }] of records.entries()) if (isTaken(index)) this.#receive(Data, process, connector);
      const answers = records.map((_, index) =>
        isRefused(index) ? { ErrorCode: 'ServiceUnavailableException' } : { RecordId: String(index) },
      );
      return { FailedPutCount: answers.filter(answer => 'ErrorCode' in answer).length, RequestResponses: answers };
    };
    return process.request({
      operation: 'send',
      effect: () => take(() => true),
      half: () => take(index => index % 2 === 1),
      took: all =>
        take(
          index => all || index % 2 === 0,
          () => true,
        ),
    });
  }

  #receive(record: Uint8Array, { run }: Process, connector: Connector): void {
    const text = Buffer.from(record).toString();
    if (!text.endsWith('\n')) this.breaches.push('A record does not end with a line feed');
    for (const line of text.trimEnd().split('\n')) {
      const event = JSON.parse(line);
      const rowAt = line.indexOf(',"row":');
      const { tenantData } = this.organizations[0];
      const isVersioned = event.stream !== 'dns-blocks';
      this.events.push({
        line,
        eventId: event.event_id,
        sequence: event.sequence,
        kind: event.kind,
        stream: event.stream,
        id: event.id,
        asset: event.asset_id,
        reason: event.reason,
        time: event.time,
        refresh: event.refresh === true,
        content: rowAt < 0 ? undefined : contentOf(line.slice(rowAt + ',"row":'.length, -1)),
        made: Date.parse(event.forwarded_at),
        run,
        redone: Number(event.sequence.slice(0, 10)) < this.epoch,
        connector: connector.name,
        existed: isVersioned && tenantData.isLive(event.stream, event.id),
        assetExisted: event.asset_id !== undefined && tenantData.isLive('assets', event.asset_id),
      });
    }
  }

  #s3({ constructor: { name }, input }: Command, process: Process, { bucket }: Connector): Promise<unknown> {
    const operation = BUCKET_OPERATIONS[name];
    if (!operation) throw new Error(`${name} is not granted`);
    const effect = () => {
      if (operation === 'fetch') return { Body: readable(bucket.get(input.Key) ?? fail('NoSuchKey', 404)) };
      if (operation === 'store') bucket.set(input.Key, Buffer.from(input.Body));
      const deleted = input.Delete?.Objects ?? (operation === 'remove' ? [input] : []);
      for (const { Key } of deleted) bucket.delete(Key);
      return { ETag: 'tag' };
    };
    return process.request({ operation, effect });
  }

  #fetch(url: string, init: RequestInit, process: Process): Promise<Response> {
    const { simulator } = this;
    // A token lasts for many runs, and asking for one changes nothing.
    if (!url.startsWith(`${ORIGIN}/v1/`)) return simulator.fetch(new Request(url, { ...init, signal: null }));
    const { pathname, search, searchParams } = new URL(url);
    const headers = new Headers(init.headers);
    const ask = async () => {
      const header = (name: string) => headers.get(name) ?? undefined;
      return (await simulator.serve({ method: 'GET', target: pathname + search, header, body: '' })).answer;
    };
    const stream = STREAMS.find(({ name }) => listPathOf(name, simulator.settings) === pathname)?.name;
    const signal = init.signal ?? undefined;
    if (!stream) return process.request({ operation: 'row', effect: async () => responseOf(await ask()), signal });
    const cursor = searchParams.get('cursor') ?? undefined;
    return process.request({ operation: 'page', effect: () => this.#page(stream, cursor, ask, process), signal });
  }

  async #page(
    stream: StreamName,
    cursor: string | undefined,
    ask: () => Promise<HttpAnswer>,
    process: Process,
  ): Promise<Response> {
    const { run } = process;
    if (cursor !== undefined) {
      if (this.#forgotten.has(cursor)) return problem(400, 'request/invalid-cursor');
    }
    const before = this.#pages.get(`${stream} ${cursor}`);
    if (before && before.run < run) this.onSavedCursor(stream, before);
    const answer = await ask();
    if (answer.status !== 200) {
      if (answer.status === 401) process.declined++;
      return responseOf(answer);
    }
    if (this.listsNothing) return new Response('{"data":[],"pagination":{"next_cursor":null,"page_size":0}}');
    const { body } = answer;
    const texts = rowsIn(body);
    if (texts.length > (this.#options.fits ?? Number.POSITIVE_INFINITY)) {
      process.declined++;
      return new Response(body, { headers: { 'content-length': TOO_LARGE } });
    }

    const rows = texts.map(readRow);
    for (const [index, { id, content }] of rows.entries()) {
      for (const sent of [content, withoutOmitted(content)]) this.delivered.add(`${stream} ${id} ${sent}`);
      const isSuperseded = rows.some((row, later) => later > index && row.id === id);
      (isSuperseded ? this.superseded : this.lasting).add(`${stream} ${id} ${content}`);
    }
    const next = /"next_cursor":("[^"]*")/.exec(body)?.[1];
    if (next !== undefined) this.#issue(stream, JSON.parse(next), { rows, run, before });
    const led = this.#led(body, stream, cursor);
    return new Response(stream === 'assets' && this.deliversBadRow ? this.#withBadRow(led) : led);
  }

  /** The body of a page, with the cursor of an API that leads back where a walk should end. */
  #led(body: string, stream: StreamName, cursor: string | undefined): string {
    const isEmpty = rowsIn(body).length === 0;
    const { lastPageLeads: leads } = this;
    const next = leads === 'back' ? this.#firstCursors.get(stream) : leads && isEmpty ? cursor : undefined;
    if (next !== undefined) this.#forgotten.delete(next);
    return next === undefined ? body : body.replace('"next_cursor":null', `"next_cursor":${JSON.stringify(next)}`);
  }

  #issue(stream: StreamName, cursor: string, page: Page): void {
    if (!this.#firstCursors.has(stream)) this.#firstCursors.set(stream, cursor);
    this.#issued.add(cursor);
    this.#forgotten.delete(cursor);
    this.#pages.set(`${stream} ${cursor}`, page);
  }

  #withBadRow(body: string): string {
    if (rowsIn(body).length === 0) return body;
    this.badRowWasDelivered = true;
    const grown = body.replace(/"page_size":(\d+)/, (_, size: string) => `"page_size":${Number(size) + 1}`);
    return grown.replace('[{', `[${BAD_ROW},{`);
  }
}

const TABLE_OPERATIONS: Readonly<Record<string, Operation>> = {
  BatchGetItemCommand: 'get',
  BatchWriteItemCommand: 'write',
  PutItemCommand: 'put',
  UpdateItemCommand: 'update',
  QueryCommand: 'query',
  ScanCommand: 'scan',
};

const BUCKET_OPERATIONS: Readonly<Record<string, Operation>> = {
  PutObjectCommand: 'store',
  GetObjectCommand: 'fetch',
  DeleteObjectCommand: 'remove',
  DeleteObjectsCommand: 'remove',
};

function newConnector(name: string, keep?: Keep): Connector {
  return { name, table: new Table(keep), bucket: new Map(), tokens: undefined };
}

/** The events of the batch that the table names, which may be on its way. */
export function loggedEvents(
  { table, bucket }: Connector,
  stream: StreamName,
): Pick<Received, 'id' | 'kind' | 'asset' | 'sequence'>[] {
  const named = table.get(logKey(stream))?.['object']?.S;
  const object = named === undefined ? undefined : bucket.get(named);
  if (!object) return [];
  const [, ...lines] = zstdDecompressSync(object).toString().trimEnd().split('\n');
  return lines.map(line => {
    const { id, kind, asset_id: asset, sequence } = JSON.parse(line);
    return { id, kind, asset, sequence };
  });
}

/** Does the first half of a batch and hands the rest back as unprocessed. */
function halfOf(command: Command, table: Table): Readonly<Record<string, unknown>> {
  const [[name, requests]] = Object.entries(command.input.RequestItems) as [[string, unknown[] & { Keys?: unknown[] }]];
  const all = requests.Keys ?? requests;
  const wrap = (part: unknown[]) => ({ [name]: requests.Keys ? { ...requests, Keys: part } : part });
  const done = all.slice(0, all.length >> 1);
  const left = wrap(all.slice(all.length >> 1));
  const answer =
    done.length > 0
      ? table.execute({ constructor: command.constructor, input: { RequestItems: wrap(done) } })
      : { Responses: { [name]: [] } };
  return { ...answer, [requests.Keys ? 'UnprocessedKeys' : 'UnprocessedItems']: left };
}

/** The body of an object as the SDK hands it over. */
function readable(bytes: Uint8Array) {
  return {
    transformToByteArray: async () => bytes,
    transformToString: async () => Buffer.from(bytes).toString(),
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  };
}

function responseOf(answer: HttpAnswer): Response {
  return new Response(answer.body, answer);
}

/** The texts of the rows of a list answer. Rows of a history contain no row. */
function rowsIn(body: string): string[] {
  const rows = body.slice(body.indexOf('[') + 1, body.lastIndexOf('],"'));
  return rows === '' ? [] : rows.split(/,(?=\{"id":)/);
}

function readRow(text: string): DeliveredRow {
  const { id, deleted } = JSON.parse(text);
  return { id, content: contentOf(text), deleted: deleted === true };
}

/** A row's text but for its position, which moves without a change. */
export function contentOf(row: string): string {
  return row.replace(/,"stream_position":"[^"]*"/, '');
}

export function withoutOmitted(row: string): string {
  return row.replace(/,"o":"[^"]*"/, '');
}
