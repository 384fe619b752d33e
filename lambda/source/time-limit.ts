import type { RetryBudget } from '../retry-budget.ts';

/** The signal of a bound on time, and the way to lift it. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** The time budget ends before the milliseconds asked for have passed. */
  readonly shortened: boolean;
}

/** Aborts after `milliseconds` by the given clock, or when the time budget ends, unless disposed before. */
export function timeLimit(milliseconds: number, { clock, timeLeft }: RetryBudget): TimeLimit {
  const granted = Math.max(0, Math.min(milliseconds, timeLeft()));
  const expired = new AbortController();
  const over = new AbortController();
  clock.sleep(granted, over.signal, 'limit').then(
    () => expired.abort(new DOMException(`No answer within ${granted} ms`, 'TimeoutError')),
    // Disposed: the wait is over, and nothing has expired.
    () => undefined,
  );
  return { signal: expired.signal, shortened: granted < milliseconds, [Symbol.dispose]: () => over.abort() };
}
