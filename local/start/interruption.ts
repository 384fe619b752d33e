export interface InterruptionOptions {
  /** At the first signal: come to an end. */
  readonly onFirst: () => void;
  /** At a further one: end at once. */
  readonly onFurther: () => void;
  /** Milliseconds, from any start. */
  readonly now?: () => number;
}

/** The terminal sends Ctrl-C to npm and to its child, and npm passes it on: what comes this soon is the same key press. */
const SAME_MILLISECONDS = 500;

/** Tells of SIGINT and SIGTERM until disposed. */
export function onInterruption(options: InterruptionOptions): Disposable & { readonly interrupted: boolean } {
  const { onFirst, onFurther, now = () => performance.now() } = options;
  let first: number | undefined;
  const listener = () => {
    if (first === undefined) {
      first = now();
      onFirst();
    } else if (now() - first > SAME_MILLISECONDS) onFurther();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
  return {
    get interrupted() {
      return first !== undefined;
    },
    [Symbol.dispose]() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener);
    },
  };
}
