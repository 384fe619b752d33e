/** One invocation of the function: every I/O goes through a gate where it is delayed, struck, frozen or killed. */
import type { Clock } from '../../../lambda/ports.ts';
import type { Change, FaultKind, StreamName, Tick } from '../history.ts';
import { Random } from '../random.ts';
import type { Timeline } from './timeline.ts';

export interface ProcessHooks {
  readonly timeline: Timeline;
  readonly change: (change: Change) => void;
  /** Told of whatever may make an event come twice. */
  readonly disturb: () => void;
}

/** How a service answers when it is struck, and what it does otherwise. */
export interface Service<T> {
  readonly effect: () => T | Promise<T>;
  /** The error or answer of a fault; nothing when it does not fit this service. */
  readonly strike: (fault: FaultKind, effect: () => T | Promise<T>) => (() => T | Promise<T>) | undefined;
}

const NETWORK_MILLISECONDS = 15;
const SLOW_MILLISECONDS = 6_000;

export class SimProcess {
  readonly random: Random;
  /** By stream the key of the dead letter that it read last. */
  readonly trying = new Map<StreamName, string>();
  ios = 0;
  #iosOverLetters = 0;
  #ended = false;
  #dead = false;
  #frozenUntil = 0;
  readonly #tick: Tick;
  readonly #hooks: ProcessHooks;
  readonly #deadline: number;

  constructor(tick: Tick, hooks: ProcessHooks) {
    this.#tick = tick;
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
  }

  get dead(): boolean {
    return this.#dead;
  }

  get frozen(): boolean {
    return this.#frozenUntil > this.#hooks.timeline.now;
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
    const overLetters = this.trying.size > 0 ? this.#iosOverLetters++ : undefined;
    const { kill, freeze } = this.#tick;
    const isKilled = kill !== undefined && kill.at === (kill.overLetters ? overLetters : at);
    const isFrozen = freeze !== undefined && freeze.at === (freeze.overLetters ? overLetters : at);
    const fault = this.#tick.faults.find(each => each.at === at)?.fault;
    for (const each of this.#tick.changes) if (each.at === at) this.#hooks.change(each.change);
    if (isKilled && !kill.after) this.#die();
    if (this.#dead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const travel = this.random.int(1, NETWORK_MILLISECONDS) + (fault === 'slow' ? SLOW_MILLISECONDS : 0);
      this.#hooks.timeline.after(travel, () => {
        // What had left before the process died, or froze, arrives all the same.
        if (this.#dead || this.frozen) this.#hooks.disturb();
        const outcome = this.#arrive(service, fault);
        if (isKilled) this.#die();
        if (isFrozen) this.#freeze(freeze.milliseconds);
        outcome.then(
          answer => this.#wake(this.random.int(1, NETWORK_MILLISECONDS), () => resolve(answer)),
          error => this.#wake(this.random.int(1, NETWORK_MILLISECONDS), () => reject(error)),
        );
      });
    });
  }

  async #arrive<T>({ effect, strike }: Service<T>, fault: FaultKind | undefined): Promise<T> {
    if (fault === 'lost-request') throw reset();
    if (fault === 'lost-answer') {
      this.#hooks.disturb();
      await effect();
      throw reset();
    }
    const struck = fault && strike(fault, effect);
    return struck ? struck() : effect();
  }

  /** What a frozen process would have noticed meanwhile it notices when it wakes; a dead one never does. */
  #wake(milliseconds: number, happen: () => void): void {
    this.#hooks.timeline.after(milliseconds, () => {
      if (this.#dead) return;
      const still = this.#frozenUntil - this.#hooks.timeline.now;
      if (still > 0) this.#wake(still, happen);
      else happen();
    });
  }

  #freeze(milliseconds: number): void {
    this.#hooks.disturb();
    this.#hooks.timeline.after(milliseconds, () => this.#hooks.disturb());
    this.#frozenUntil = this.#hooks.timeline.now + milliseconds;
  }

  #die(): void {
    if (this.#ended || this.#dead) return;
    this.#dead = true;
    this.#hooks.disturb();
  }
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}
