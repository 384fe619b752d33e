/** The container in which invocations run: frozen between them, with their timers, and gone when one of them is killed. */

import type { Clients } from '../../../lambda/compose.ts';
import type { Tokens } from '../../../lambda/source/token.ts';

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
