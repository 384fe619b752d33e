/**
 * A small scene: a platform with a few rows, a table, a SIEM and a clock, all in memory, and runs of the real core and adapters over them.
 * Every request is one I/O with a number, at which a run can be killed, frozen or refused something.
 */
import { assign, type Clients, composeRun, createContainerTokens } from '../../../lambda/compose.ts';
import type { RunOutcome } from '../../../lambda/core/run-streams.ts';
import { type Commands, runStreams } from '../../../lambda/core/run-streams.ts';
import { OPTION_DEFAULTS } from '../../../lambda/options.ts';
import type { HeldLease, Log } from '../../../lambda/ports.ts';
import type { Settings } from '../../../lambda/settings.ts';
import type { Tokens } from '../../../lambda/source/token.ts';
import type { Item } from '../../../lambda/store/item.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import { createPlatform, type Platform } from '../../../local/platform/platform.ts';
import type { PlatformSettings } from '../../../local/platform/settings.ts';
import { type ReceivedEvent, receive } from '../../support/siem.ts';
import { holds, updated } from '../simulated/dynamodb.ts';

/**
 * What befalls one I/O. `before`, `after`: the run is killed, without or with the effect. `freeze`: the effect takes place, and the run
 * sees the answer when it is thawed. `lost`: the request never arrives. `unanswered`: the answer is lost. `denied`: it is refused for good.
 * `refused`: the API refuses the cursor. `late`: the time budget ends here.
 */
export const FAULTS = ['before', 'after', 'freeze', 'lost', 'unanswered', 'denied', 'refused', 'late'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Strike {
  readonly fault: Fault;
  readonly at: number;
}

/** A change of the platform's rows in the middle of a run. */
export interface Change {
  /** The I/O before which it happens. */
  readonly at: number;
  readonly happen: () => void;
}

export interface Received extends ReceivedEvent {
  /** Number of the run that sent it. */
  readonly run: number;
}

const START = Date.UTC(2026, 5, 1);
const ORIGIN = 'http://127.0.0.1';
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Heartbeats and limits are no waits: nothing here takes so long. */
const HEARTBEAT_MILLISECONDS = 20_000;
const never = <T>() => new Promise<T>(() => undefined);

export class Scene {
  now = START;
  readonly items = new Map<string, Item>();
  readonly events: Received[] = [];
  readonly platform: Platform;
  settings: Settings;
  /** Runs so far. */
  runs = 0;
  /** Requests for pages. */
  pages = 0;
  /** Requests for row states. */
  lookUps = 0;
  /** Numbers of the runs that something befell. */
  readonly struck = new Set<number>();
  readonly breaches: string[] = [];
  changesWithinRuns = false;
  /** Cursors that the API issued before they were all forgotten. */
  #forgotten = new Set<string>();
  readonly #issued = new Set<string>();
  #frozen: Process | undefined;
  #tokens: Tokens | undefined;

  constructor(settings: Partial<PlatformSettings>, pageLimit: number) {
    const clock = () => this.now;
    this.platform = createPlatform({ ...settings, clock, random: () => 0.5, tokens: 'table', tieSize: 1 });
    const { settings: platform, realmPath } = this.platform;
    this.settings = {
      ...OPTION_DEFAULTS,
      baseUrl: ORIGIN,
      authUrl: ORIGIN + realmPath,
      secretId: 'secret',
      table: 'table',
      deliveryStream: 'stream',
      deadLetterBucket: 'bucket',
      connector: 'small',
      dnsBlocksPath: platform.dnsBlocksPath,
      threatAssetField: platform.threatAssetMember,
      pageLimit,
      names: {},
      leaseSeconds: 60,
      s3PathStyle: false,
    } as Settings;
  }

  #issue(cursor: string): void {
    this.#issued.add(cursor);
    // The same text, issued again, is good again.
    this.#forgotten.delete(cursor);
  }

  forgetCursors(): void {
    this.#forgotten = new Set(this.#issued);
  }

  /** Runs the function once. @returns the number of its I/Os */
  async run(
    commands: Partial<Commands>,
    strikes: readonly Strike[] = [],
    thawAt?: number,
    change?: Change,
  ): Promise<number> {
    // Longer than a lease.
    this.now += 61_000;
    this.runs++;
    const frozen = this.#frozen;
    this.#frozen = undefined;
    const process = new Process(strikes, this.runs, change);
    if (change) this.changesWithinRuns = true;
    if (frozen && thawAt !== undefined) process.thaws = { frozen, at: thawAt };
    const ended = this.#invoke(process, commands);
    await Promise.race([ended, process.stopped]);
    if (strikes.length > 0) this.struck.add(this.runs);
    if (process.isFrozen) this.#frozen = process;
    process.ended = ended.catch(() => undefined);
    if (frozen) {
      frozen.thaw();
      await frozen.ended;
    }
    return process.ios;
  }

  async #invoke(process: Process, commands: Partial<Commands>): Promise<void> {
    const clients = this.#clientsOf(process);
    this.#tokens ??= createContainerTokens(this.settings, this.#clientsOf(new Process([], 0)));
    const timeLeft = () => (process.late ? 0 : 800_000);
    const { ports, lease, warmUp } = composeRun(this.settings, clients, this.#tokens, timeLeft);
    let held: HeldLease | undefined;
    const take = async () => {
      held = await lease.take();
      return held;
    };
    let outcome: RunOutcome | undefined;
    try {
      outcome = await runStreams({
        ports,
        lease: { take },
        warmUp,
        assignment: assign(this.settings),
        commands: { resync: [], replay: [], ...commands },
        outOfTime: () => process.late,
      });
    } catch {
      process.failed = true;
    }
    if (outcome && outcome.failures.size > 0) process.failed = true;
    if (process.failed && !process.isStruck) {
      const why = [...(outcome?.failures ?? [])].map(([stream, { message }]) => `${stream}: ${message}`).join(' ');
      this.breaches.push(`A run failed that nothing befell. ${why}`);
    }
    process.over = true;
    const passes = await held?.assertValid().then(
      () => true,
      () => false,
    );
    if (passes) this.breaches.push('A lease that was given back lets a write pass');
  }

  #clientsOf(process: Process): Clients {
    const { account } = this.platform;
    return {
      dynamodb: { send: command => process.io('aws', () => this.#dynamodb(command, process)) },
      firehose: { send: ({ input }) => process.io('aws', () => this.#take(input.Records, process)) },
      secrets: {
        send: async () => ({
          SecretString: JSON.stringify({ client_id: account.clientId, client_secret: account.clientSecret }),
        }),
      },
      s3: async () => ({ send: async () => ({}) }),
      fetch: (url, init) => this.#fetch(String(url), init as RequestInit, process),
      clock: {
        now: () => this.now,
        sleep: (milliseconds, signal, purpose) => {
          if (purpose !== 'limit' && milliseconds !== HEARTBEAT_MILLISECONDS) {
            this.now += milliseconds;
            return Promise.resolve();
          }
          return new Promise((_, reject) => {
            if (signal?.aborted) reject(signal.reason);
            signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          });
        },
      },
      random: () => 0.5,
      hash: sha256,
      log: SILENT,
    } as Clients;
  }

  #fetch(url: string, init: RequestInit, process: Process): Promise<Response> {
    const isList = url.includes('?');
    if (isList) this.pages++;
    const ask = async () => {
      const cursor = isList ? new URL(url).searchParams.get('cursor') : null;
      if (cursor !== null && this.#forgotten.has(cursor)) return problem(400, 'request/invalid-cursor');
      const response = await this.platform.fetch(new Request(url, { ...init, signal: null }));
      if (!isList) return response;
      const body = await response.text();
      const next = /"next_cursor":"([^"]*)"/.exec(body)?.[1];
      if (next !== undefined) this.#issue(JSON.parse(`"${next}"`));
      return new Response(body, { status: response.status });
    };
    // The token is kept for the life of the scene.
    if (!url.startsWith(`${ORIGIN}/v1/`)) return ask();
    return process.io(isList && url.includes('cursor=') ? 'cursor' : 'api', ask);
  }

  #take(records: readonly { readonly Data: Uint8Array }[], { run }: Process) {
    for (const { Data } of records) {
      for (const line of Buffer.from(Data).toString().trimEnd().split('\n'))
        this.#receive({ ...receive(line, this.now), run });
    }
    return { FailedPutCount: 0, RequestResponses: records.map(() => ({ RecordId: '1' })) };
  }

  #receive(event: Received): void {
    this.events.push(event);
    const { kind, parent, line } = event;
    const hasCascaded = kind === 'withdrawn' && parent !== undefined && !line.includes('"reason"');
    // A withdrawal that a killed run left half done is completed under a restored asset.
    const isUndisturbed = this.struck.size === 0 && !this.changesWithinRuns;
    if (hasCascaded && isUndisturbed && this.platform.tenantData.isLive('assets', parent))
      this.breaches.push(`Withdrawn although its asset exists: ${line}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: inputs and answers of many commands
  #dynamodb({ constructor: { name }, input }: any, process: Process): any {
    if (name === 'BatchGetItemCommand') {
      const [[table, { Keys }]] = Object.entries(input.RequestItems) as [[string, { Keys: Item[] }]];
      if (Keys.some(({ pk }) => pk!.S!.startsWith('row#'))) this.lookUps++;
      return { Responses: { [table]: Keys.map(key => this.items.get(keyOf(key))).filter(item => item !== undefined) } };
    }
    if (name === 'BatchWriteItemCommand') {
      if (process.over) this.breaches.push('A run that has ended still writes');
      // biome-ignore lint/suspicious/noExplicitAny: two kinds of request
      for (const { PutRequest, DeleteRequest } of Object.values(input.RequestItems)[0] as any[]) {
        if (PutRequest) this.items.set(keyOf(PutRequest.Item), PutRequest.Item);
        else this.items.delete(keyOf(DeleteRequest.Key));
      }
      return {};
    }
    if (name === 'QueryCommand') {
      const pk = input.ExpressionAttributeValues[':pk'].S;
      const after = input.ExclusiveStartKey?.sk.S ?? '';
      const found = [...this.items.values()].filter(each => each['pk']!.S === pk && each['sk']!.S! > after);
      found.sort((one, other) => (one['sk']!.S! < other['sk']!.S! ? -1 : 1));
      return { Items: found.slice(0, input.Limit) };
    }
    const key = keyOf(input.Item ?? input.Key);
    const before = this.items.get(key);
    if (!holds(input.ConditionExpression, before, input.ExpressionAttributeValues))
      throw Object.assign(new Error(), { name: 'ConditionalCheckFailedException', $metadata: { httpStatusCode: 400 } });
    if (name === 'PutItemCommand') this.items.set(key, input.Item);
    else this.items.set(key, updated(input.UpdateExpression, before ?? input.Key, input.ExpressionAttributeValues));
    return { Attributes: before };
  }
}

type Service = 'aws' | 'api' | 'cursor';

/** One invocation. */
class Process {
  ios = 0;
  late = false;
  failed = false;
  over = false;
  isFrozen = false;
  isStruck: boolean;
  ended: Promise<void> = Promise.resolve();
  /** Resolves when the run is killed or frozen. */
  readonly stopped: Promise<void>;
  /** A frozen run that continues at an I/O of this one. */
  thaws: { readonly frozen: Process; readonly at: number } | undefined;
  readonly run: number;
  readonly #strikes: readonly Strike[];
  readonly #change: Change | undefined;
  #dead = false;
  #stop: () => void = () => undefined;
  #thaw: () => void = () => undefined;
  #thawed = Promise.resolve();

  constructor(strikes: readonly Strike[], run: number, change?: Change) {
    this.run = run;
    this.#strikes = strikes;
    this.#change = change;
    this.isStruck = strikes.length > 0;
    this.stopped = new Promise(resolve => {
      this.#stop = resolve;
    });
  }

  thaw(): void {
    this.#thaw();
  }

  async io<T>(service: Service, effect: () => T | Promise<T>): Promise<T> {
    if (this.#dead) return never();
    const at = ++this.ios;
    if (this.thaws?.at === at) this.thaws.frozen.thaw();
    if (this.#change?.at === at) this.#change.happen();
    // What the run does beside a thawed one is not its own fault.
    if (this.thaws && at >= this.thaws.at) this.isStruck = true;
    await this.#thawed;
    const fault = this.#strikes.find(each => each.at === at)?.fault;
    if (fault === 'before') return this.#die();
    if (fault === 'lost') throw lost(service);
    if (fault === 'denied') return denied(service) as T;
    if (fault === 'refused' && service === 'cursor') return problem(400, 'request/invalid-cursor') as T;
    if (fault === 'late') this.late = true;
    const answer = await effect();
    if (this.#dead || fault === 'after') return this.#die();
    if (fault === 'unanswered') throw lost(service);
    if (fault === 'freeze') {
      this.isFrozen = true;
      this.#thawed = new Promise(resolve => {
        this.#thaw = resolve;
      });
      this.#stop();
    }
    await this.#thawed;
    return answer;
  }

  #die<T>(): Promise<T> {
    this.#dead = true;
    this.#stop();
    return never();
  }
}

function lost(service: Service): Error {
  return service === 'aws'
    ? Object.assign(new Error('lost'), { name: 'TimeoutError' })
    : Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
}

function denied(service: Service): unknown {
  if (service !== 'aws') return problem(403, 'auth/insufficient-role');
  throw Object.assign(new Error('denied'), { name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } });
}

function problem(status: number, type: string): Response {
  return new Response(JSON.stringify({ type: `https://problems.example/${type}` }), { status });
}

function keyOf(item: Item): string {
  return `${item['pk']!.S}\n${item['sk']!.S}`;
}

export function streamOf(initial: string): StreamName {
  return initial === 'a' || initial === 'b' ? 'assets' : initial === 'd' ? 'dns-blocks' : 'threats';
}
