/** One invocation of the function: every I/O goes through a gate where it is delayed, struck, frozen or killed. */

import type { Clients } from '../../../lambda/compose.ts';
import type { AssertLeaseValid, Clock } from '../../../lambda/ports.ts';
import type { Tokens } from '../../../lambda/source/token.ts';
import type {
  Change,
  FaultKind,
  Moment,
  Stubborn,
  StubbornCall,
  StubbornFault,
  Tick,
  WithdrawalStep,
} from '../history.ts';
import { Random } from '../random.ts';
import type { Timeline } from './timeline.ts';

export interface ProcessHooks {
  readonly timeline: Timeline;
  readonly change: (change: Change) => void;
  /** Called when something happens that may make an event come twice. */
  readonly disturb: () => void;
  /** Called when a promise is broken. */
  readonly breach: (sentence: string) => void;
  /** Called for each request that a stubborn fault strikes. */
  readonly struck: () => void;
  /** Requests that were held back, of all processes. */
  readonly heldBack: (() => void)[];
  /** After so long the SDK's clients give a request up. It has its effect within this time, or never. */
  readonly requestTimeout: number;
}

/** How a service answers when it is struck, and what it does otherwise. */
export interface Service<T> {
  readonly effect: () => T | Promise<T>;
  /** The error or answer of a fault; nothing when it does not fit this service. */
  readonly strike: (
    fault: FaultKind | StubbornFault,
    effect: () => T | Promise<T>,
  ) => (() => T | Promise<T>) | undefined;
  /** Of a request to AWS, which its client gives up after a while. */
  readonly request?: {
    readonly call: StubbornCall | undefined;
    /** Whether the request holds this. */
    readonly isAbout: (what: string) => boolean;
    readonly writes: boolean;
    /** Of which step of a withdrawal it would be. */
    readonly step?: WithdrawalStep | undefined;
    /** Takes effect although its sender waits for it no longer, and whatever has become of the sender. */
    readonly late: () => void;
  };
}

const NETWORK_MILLISECONDS = 15;
const SLOW_MILLISECONDS = 6_000;
/** Of the time after which it is given up. */
const SLOWEST_SHARE = 0.99;

export class SimProcess {
  readonly random: Random;
  ios = 0;
  /** From the first removal on the list until the list is empty. */
  withdrawing = false;
  /** Of the lease that it took last. */
  epoch = 0;
  /** Of the lease that it holds, or held. */
  assertLeaseValid: AssertLeaseValid | undefined;
  readonly #iosOfStep = new Map<WithdrawalStep, number>();
  #ended = false;
  readonly #tick: Tick;
  readonly #container: SimContainer;
  readonly #hooks: ProcessHooks;
  readonly #deadline: number;
  readonly #spared = new Map<Stubborn, number>();
  /** When each stubborn fault struck first. */
  readonly #since = new Map<Stubborn, number>();

  constructor(tick: Tick, container: SimContainer, hooks: ProcessHooks) {
    this.#tick = tick;
    this.#container = container;
    this.#hooks = hooks;
    this.random = new Random(tick.seed);
    this.#deadline = hooks.timeline.now + tick.budgetMilliseconds;
    // Lambda ends what outlasts its time.
    hooks.timeline.after(tick.budgetMilliseconds, () => this.#die());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The invocation has answered. */
  end(): void {
    this.#ended = true;
    if (this.#tick.container !== undefined) this.#container.freeze();
  }

  get dead(): boolean {
    return this.#container.dead;
  }

  get frozen(): boolean {
    return !this.#ended && this.#container.frozenUntil > this.#hooks.timeline.now;
  }

  readonly timeLeft = (): number => this.#deadline - this.#hooks.timeline.now;

  readonly clock: Clock = {
    now: () => this.#hooks.timeline.now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const aborted = () => reject(signal!.reason);
        signal?.addEventListener('abort', aborted, { once: true });
        this.#wake(milliseconds, () => {
          signal?.removeEventListener('abort', aborted);
          resolve();
        });
      }),
  };

  /** One request and its answer. */
  io<T>(service: Service<T>): Promise<T> {
    const at = this.ios++;
    const isNow = this.#momentOf(at, service);
    const { kill, freeze } = this.#tick;
    const isKilled = kill !== undefined && isNow(kill);
    const isFrozen = freeze !== undefined && isNow(freeze);
    for (const each of this.#tick.changes) if (each.at === at) this.#hooks.change(each.change);
    if (this.#tick.releases === at) for (const each of this.#hooks.heldBack.splice(0)) each();
    const fault = this.#stubbornFault(service) ?? this.#tick.faults.find(each => each.at === at)?.fault;
    if (isKilled && !kill.after) this.#die();
    if (this.dead) return new Promise(() => undefined);
    const { timeline } = this.#hooks;
    const limit = service.request ? this.#hooks.requestTimeout : Number.POSITIVE_INFINITY;
    return new Promise((resolve, reject) => {
      const travel = Math.min(limit, this.random.int(1, NETWORK_MILLISECONDS) + this.#slowness(fault, limit));
      const givenUp = timeline.now + limit;
      timeline.after(travel, () => {
        // What had left before the process died, or froze, arrives all the same.
        if (this.dead || this.frozen) this.#hooks.disturb();
        const outcome = this.#arrive(service, fault);
        if (isKilled) this.#die();
        if (isFrozen) this.#freeze(freeze.milliseconds);
        const answer = (happen: () => void) => {
          const wait = this.random.int(1, NETWORK_MILLISECONDS);
          if (timeline.now + wait <= givenUp) this.#wake(wait, happen);
          else this.#wake(givenUp - timeline.now, () => this.#giveUp(reject));
        };
        outcome.then(
          result => answer(() => resolve(result)),
          error => answer(() => reject(error)),
        );
      });
    });
  }

  #momentOf(at: number, { request }: Pick<Service<unknown>, 'request'>): (moment: Moment) => boolean {
    const step = this.withdrawing ? request?.step : undefined;
    const ofStep = step && (this.#iosOfStep.get(step) ?? 0);
    if (step) this.#iosOfStep.set(step, ofStep! + 1);
    return moment => {
      if (moment.ofStep) return moment.ofStep === step && moment.at === ofStep;
      return moment.at === at;
    };
  }

  /** It may have had its effect all the same. */
  #giveUp(reject: (error: Error) => void): void {
    this.#hooks.disturb();
    reject(timeOut());
  }

  /** The fault that strikes this sub-request at each of its tries. */
  #stubbornFault({ request }: Pick<Service<unknown>, 'request'>): StubbornFault | undefined {
    const { now } = this.#hooks.timeline;
    const found = this.#tick.stubborn?.find(each => {
      if (!request || each.call !== request.call || !request.isAbout(each.about)) return false;
      const spared = this.#spared.get(each) ?? 0;
      this.#spared.set(each, spared + 1);
      if (spared < (each.spares ?? 0)) return false;
      const since = this.#since.get(each);
      return since === undefined || (each.fault !== 'held-back' && now < since + each.milliseconds);
    });
    if (!found) return undefined;
    if (!this.#since.has(found)) this.#since.set(found, now);
    this.#hooks.struck();
    return found.fault;
  }

  #slowness(fault: FaultKind | StubbornFault | undefined, limit: number): number {
    if (fault === 'held-back' || fault === 'no-answer') return limit;
    if (fault !== 'slow') return 0;
    return limit === Number.POSITIVE_INFINITY
      ? SLOW_MILLISECONDS
      : Math.floor(limit * this.random.next() * SLOWEST_SHARE);
  }

  async #arrive<T>(service: Service<T>, fault: FaultKind | StubbornFault | undefined): Promise<T> {
    const { effect, strike, request } = service;
    if (fault === 'lost-request') throw reset();
    if (fault === 'held-back') {
      this.#hooks.disturb();
      this.#hooks.heldBack.push(() => {
        this.#hooks.disturb();
        request!.late();
      });
      throw timeOut();
    }
    this.#mayWrite(service);
    if (fault === 'lost-answer' || fault === 'no-answer') {
      this.#hooks.disturb();
      await effect();
      throw fault === 'lost-answer' ? reset() : timeOut();
    }
    const struck = fault && strike(fault, effect);
    return struck ? struck() : effect();
  }

  /** Nothing that a run started outlives it. */
  #mayWrite({ request }: Pick<Service<unknown>, 'request'>): void {
    if (this.#ended && request?.writes) this.#hooks.breach(`A run that has ended still writes: ${request.call}`);
  }

  /** What a frozen process would have noticed meanwhile it notices when it wakes; a dead one never does. */
  #wake(milliseconds: number, happen: () => void): void {
    this.#hooks.timeline.after(milliseconds, () => {
      if (this.dead) return;
      const still = this.#container.frozenUntil - this.#hooks.timeline.now;
      if (still === Number.POSITIVE_INFINITY) this.#container.wait(() => this.#wake(0, happen));
      else if (still > 0) this.#wake(still, happen);
      else happen();
    });
  }

  #freeze(milliseconds: number): void {
    // Lambda has frozen it already.
    if (this.#ended) return;
    this.#hooks.disturb();
    this.#hooks.timeline.after(milliseconds, () => this.#hooks.disturb());
    this.#container.frozenUntil = this.#hooks.timeline.now + milliseconds;
  }

  #die(): void {
    if (this.#ended || this.dead) return;
    this.#container.dead = true;
    this.#hooks.disturb();
  }
}

function timeOut(): Error {
  return Object.assign(new Error('The client waits no longer'), { name: 'TimeoutError' });
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** The container in which invocations run: frozen between them, with their timers, and gone when one of them is killed. */

export class SimContainer {
  /** Kept from one invocation to the next. */
  tokens: Tokens | undefined;
  /** What the invocation of now reaches. */
  clients: Clients | undefined;
  dead = false;
  frozenUntil = 0;
  /** What would have happened while it was frozen. */
  #waiting: (() => void)[] = [];

  /** Until the next invocation thaws it. */
  freeze(): void {
    this.frozenUntil = Number.POSITIVE_INFINITY;
  }

  wait(happen: () => void): void {
    this.#waiting.push(happen);
  }

  /** Everything that is due happens at once, in its order. */
  thaw(): void {
    this.frozenUntil = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const happen of waiting) happen();
  }
}
