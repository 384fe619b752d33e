/**
 * One invocation of the function. Each of its requests passes through `request`, where it is
 * counted and can be struck by a fault. Nothing here knows what a request is for.
 */
import type { Clock } from '../../lambda/ports.ts';
import { fail } from './table.ts';
import type { Timeline } from './timeline.ts';

/** What can befall a request. histories.txt explains them. */
export const FAULTS = [
  'before',
  'after',
  'torn',
  'freeze',
  'lost',
  'unanswered',
  'failing',
  'throttled',
  'denied',
  'refused',
  'slow',
  'spent',
  'stray',
  'half',
  'took',
  'took-half',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What the request asks for. A history can count the requests of one operation: `after-send2`. */
export const OPERATIONS = [
  'page',
  'row',
  'get',
  'write',
  'put',
  'update',
  'query',
  'scan',
  'send',
  'store',
  'fetch',
  'remove',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Faults that mean something to certain requests alone. */
export const STRUCK_BY: Readonly<Partial<Record<Fault, readonly Operation[]>>> = {
  refused: ['page'],
  half: ['get', 'write', 'send'],
  torn: ['write', 'send'],
  took: ['send'],
  'took-half': ['send'],
  stray: ['page', 'row', 'write', 'put', 'update', 'send', 'store', 'remove'],
};

/**
 * The request with this number, among those of an operation or among all, and with `onward` each
 * one after it.
 */
export interface Moment {
  readonly operation: Operation | undefined;
  readonly at: number;
  readonly onward: boolean;
}

/** Something that happens to a run at one of its requests. */
export interface Condition extends Moment {
  readonly fault?: Fault;
  /** Happens before the request leaves, for example a change of the API's rows. */
  readonly happen?: () => void;
}

/** A request to one of the services. */
export interface Request<T> {
  readonly operation: Operation;
  readonly effect: () => T | Promise<T>;
  /**
   * Does a part of a batch: the answer says which. Absent where a request is done whole or not at
   * all.
   */
  readonly half?: () => T;
  /** Does all of a batch, or half of it, and answers that the service refused it all. */
  readonly took?: (all: boolean) => T;
  /** Aborts the wait for the answer. */
  readonly signal?: AbortSignal | undefined;
}

const WRITES: readonly Operation[] = ['write', 'put', 'update', 'send', 'store', 'remove'];
/** Only the lease protects them: they take no condition. */
const UNFENCED: readonly Operation[] = ['write', 'send'];
const ANSWERED_LATE_MILLISECONDS = 5_000;
/** After so long the SDK gives a request up. */
const GIVEN_UP_MILLISECONDS = 8_000;
const LANDS_WITHIN_MILLISECONDS = 60_000;
const LONGEST_RUN_MILLISECONDS = 900_000;
const RESERVE_MILLISECONDS = 30_000;

const never = <T>() => new Promise<T>(() => undefined);

/** A write that was given up. */
export interface Stray {
  readonly land: () => void;
  /**
   * When it lands at the latest. A batch of writes lands within a minute, because nothing else
   * protects what came after it: docs/limits.md.
   */
  readonly until: number;
}

export interface ProcessParts {
  readonly run: number;
  readonly timeline: Timeline;
  readonly conditions: readonly Condition[];
  /** Milliseconds that a request, or its answer, travels. */
  readonly delay: () => number;
  /** Writes that were given up, and have not landed. */
  readonly strays: Stray[];
  readonly skew: () => number;
  readonly breach: (sentence: string) => void;
}

export class Process {
  /** Of each request so far. */
  readonly operations: Operation[] = [];
  /** Pages that the API did not give, for example because the token had expired. */
  declined = 0;
  over = false;
  dead = false;
  frozen = false;
  /** Another run has written since this one was frozen, so it holds the lease no longer. */
  superseded = false;
  readonly run: number;
  readonly #parts: ProcessParts;
  readonly #started: number;
  #isTimeSpent = false;
  #thaw: () => void = () => undefined;
  #thawed = Promise.resolve();

  constructor(parts: ProcessParts) {
    this.run = parts.run;
    this.#parts = parts;
    this.#started = parts.timeline.now;
  }

  get stopped(): boolean {
    return this.over || this.dead || this.frozen;
  }

  readonly timeLeft = (): number =>
    this.#isTimeSpent ? 0 : this.#started + LONGEST_RUN_MILLISECONDS - this.#parts.timeline.now;

  readonly outOfTime = (): boolean => this.timeLeft() <= RESERVE_MILLISECONDS;

  readonly clock: Clock = {
    now: () => this.#parts.timeline.now + this.#parts.skew(),
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = this.#parts.timeline.after(milliseconds, () => {
          signal?.removeEventListener('abort', abort);
          void this.#awake().then(resolve);
        });
        const abort = () => {
          stop();
          reject(signal!.reason);
        };
        signal?.addEventListener('abort', abort, { once: true });
      }),
  };

  thaw(): void {
    this.frozen = false;
    this.#thaw();
  }

  async request<T>(request: Request<T>): Promise<T> {
    if (this.dead) return never();
    this.#parts.timeline.stir();
    const fault = this.#count(request.operation);
    if (fault === 'before') return this.#die();

    const answered = this.#travel(request, fault);
    // Most requests are answered before anything could abort them.
    const isPrompt = fault === undefined && this.#parts.delay() === 0;
    return request.signal && !isPrompt ? Promise.race([answered, aborted(request.signal)]) : answered;
  }

  /** @returns the fault that strikes this request */
  #count(operation: Operation): Fault | undefined {
    const all = this.operations.push(operation);
    const own = this.count(operation);
    const met = this.#parts.conditions.filter(({ operation: counted, at, onward }) => {
      if (counted !== undefined && counted !== operation) return false;
      const number = counted === undefined ? all : own;
      return onward ? number >= at : number === at;
    });
    for (const { happen } of met) happen?.();
    return met.find(({ fault }) => fault !== undefined)?.fault;
  }

  /** How many requests there were of these operations. */
  count(...counted: readonly Operation[]): number {
    return this.operations.filter(operation => counted.includes(operation)).length;
  }

  async #travel<T>(request: Request<T>, fault: Fault | undefined): Promise<T> {
    const { timeline, delay } = this.#parts;
    const there = delay();
    if (there > 0) await timeline.wait(there);
    const answer = await this.#arrive(request, fault).then(
      result => () => result,
      error => () => {
        throw error;
      },
    );
    const back = fault === 'slow' ? ANSWERED_LATE_MILLISECONDS : delay();
    if (back > 0) await timeline.wait(back);
    await this.#awake();
    return answer();
  }

  async #arrive<T>(request: Request<T>, fault: Fault | undefined): Promise<T> {
    const { operation, effect, half, took, signal } = request;
    const isApi = operation === 'page' || operation === 'row';
    this.#mayWrite(operation);
    switch (fault) {
      case 'lost':
        throw connectionReset(isApi);
      case 'denied':
        return isApi ? (problem(403, 'auth/insufficient-role') as T) : fail('AccessDeniedException', 400);
      case 'failing':
        return isApi ? (problem(503, 'server/unavailable') as T) : fail('InternalServerError', 500);
      case 'throttled':
        return isApi ? (problem(429, 'request/too-many') as T) : throttled(operation);
      case 'refused':
        return operation === 'page' ? (problem(400, 'request/invalid-cursor') as T) : effect();
      case 'stray':
        // The API's answer never comes. A write to AWS is given up, and lands when the history says
        // so.
        if (isApi) return signal ? aborted(signal) : never();
        this.#parts.strays.push({ land: effect, until: this.#lastLanding(operation) });
        await this.#parts.timeline.wait(GIVEN_UP_MILLISECONDS);
        throw timeOut();
      case 'half':
        return half ? half() : effect();
      case 'torn':
        if (half) half();
        return this.#die();
      case 'took':
      case 'took-half':
        return took ? took(fault === 'took') : effect();
      case 'unanswered':
        await effect();
        throw connectionReset(isApi);
      case 'after':
        await effect();
        return this.#die();
      case 'spent':
        this.#isTimeSpent = true;
        return effect();
      case 'freeze':
        return this.#freeze(await effect());
      default:
        return effect();
    }
  }

  #lastLanding(operation: Operation): number {
    if (operation !== 'write') return Number.POSITIVE_INFINITY;
    return this.#parts.timeline.now + GIVEN_UP_MILLISECONDS + LANDS_WITHIN_MILLISECONDS;
  }

  /** Nothing that a run started outlives it, and nothing of it lands on what a later run wrote. */
  #mayWrite(operation: Operation): void {
    if (!WRITES.includes(operation)) return;
    if (this.over) this.#parts.breach(`A run that has ended still writes: ${operation}`);
    if (this.superseded && UNFENCED.includes(operation))
      this.#parts.breach(`A run that has lost its lease still writes: ${operation}`);
  }

  #freeze<T>(answer: T): T {
    this.frozen = true;
    this.#thawed = new Promise(resolve => {
      this.#thaw = resolve;
    });
    return answer;
  }

  #die<T>(): Promise<T> {
    this.dead = true;
    return never();
  }

  /** A frozen process notices nothing until it is thawed, and a dead one never does. */
  async #awake(): Promise<void> {
    if (this.frozen) await this.#thawed;
    if (this.dead) await never();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function throttled(operation: Operation): never {
  if (operation === 'send') return fail('ServiceUnavailableException', 503);
  if (operation === 'store' || operation === 'fetch' || operation === 'remove') return fail('SlowDown', 503);
  return fail('ProvisionedThroughputExceededException', 400);
}

function connectionReset(isApi: boolean): Error {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return isApi ? Object.assign(new TypeError('fetch failed'), { cause: reset }) : reset;
}

function timeOut(): Error {
  return Object.assign(new Error('The client waits no longer'), { name: 'TimeoutError' });
}

export function problem(status: number, type: string): Response {
  return new Response(JSON.stringify({ type: `https://problems.example/${type}` }), { status });
}
