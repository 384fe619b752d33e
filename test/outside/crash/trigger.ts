/** Watches the calls of one run at the AWS endpoints, and kills the run at its moment. */

import type { AnsweredCall } from '../../../local/aws/call.ts';
import type { Fault } from '../../../local/aws/faults.ts';
import type { ServiceOperation } from '../../../local/aws/service.ts';

/** A moment in the work of a run at which it is killed. */
export interface Moment {
  /** Calls to AWS after the one that took the lease; 0 is that one itself. */
  readonly call: number;
  /**
   * Part of the call that the kill loses. `request-lost`: the run dies as this call arrives, and
   * the service does nothing. `answer-lost`: the service has done it, and the run gets no answer.
   * `later`: the run has its answer and continues for some turns of the event loop.
   */
  readonly place: 'request-lost' | 'answer-lost' | 'later';
  readonly turns: number;
}

/**
 * Some runs make fewer calls than drawn, and end by themselves. Only these reach the threats and
 * the withdrawals.
 */
const MOST_CALLS = 120;
/** A few milliseconds, so that kills also hit answers of the API between two calls to AWS. */
const MOST_TURNS = 3_000;

export function randomMoment(random: () => number): Moment {
  const call = Math.floor(random() * MOST_CALLS);
  const place = (['request-lost', 'answer-lost', 'later'] as const)[Math.floor(random() * 3)]!;
  // When the call arrives, it is unknown whether it will get the lease.
  const possible = call === 0 && place === 'request-lost' ? 'answer-lost' : place;
  return { call, place: possible, turns: Math.floor(random() ** 2 * MOST_TURNS) };
}

export class Trigger {
  readonly #moment: Moment;
  readonly #kill: (action: string) => void;
  /** Calls that have arrived since the lease was taken; undefined before. */
  #calls: number | undefined;
  #isPulled = false;

  constructor(moment: Moment, kill: (action: string) => void) {
    this.#moment = moment;
    this.#kill = kill;
  }

  /** A call has arrived, and has had no effect yet. */
  arrives({ action }: ServiceOperation): Fault {
    if (this.#calls === undefined) return {};
    this.#calls += 1;
    if (this.#moment.place !== 'request-lost' || this.#calls !== this.#moment.call) return {};
    this.#kill(action);
    return { loseRequest: true };
  }

  /** A call has had its effect, and its answer is not sent yet. */
  done({ action, status }: AnsweredCall): void {
    if (this.#calls === undefined) {
      // Before the lease is taken, no call updates an item.
      if (action !== 'UpdateItem' || status !== 200) return;
      this.#calls = 0;
    }
    const { place, call, turns } = this.#moment;
    if (this.#isPulled || place === 'request-lost' || this.#calls < call) return;
    this.#isPulled = true;
    afterTurns(place === 'later' ? turns + 1 : 0, () => this.#kill(action));
  }
}

/** Without a turn, it happens before the next line of the caller. */
function afterTurns(turns: number, happen: () => void): void {
  if (turns === 0) happen();
  else setImmediate(() => afterTurns(turns - 1, happen));
}
