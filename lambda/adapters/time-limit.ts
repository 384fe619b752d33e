import type { Clock } from '../ports.ts';

/** The signal of a bound on time, and the way to lift it. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
}

/** Aborts after `milliseconds` by the given clock, unless disposed before. */
export function timeLimit(milliseconds: number, clock: Clock): TimeLimit {
  const expired = new AbortController();
  const over = new AbortController();
  clock.sleep(milliseconds, over.signal).then(
    () => expired.abort(new DOMException(`No answer within ${milliseconds} ms`, 'TimeoutError')),
    // Disposed: the wait is over, and nothing has expired.
    () => undefined,
  );
  return { signal: expired.signal, [Symbol.dispose]: () => over.abort() };
}
