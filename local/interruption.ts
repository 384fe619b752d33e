/** Handles Ctrl-C and SIGTERM, which end a command in two steps: orderly at first, then at once. */

export interface InterruptionOptions {
  /** Called at the first signal, to end the command in an orderly way. */
  readonly onFirst: () => void;
  /** Called at a later signal, to end the command at once. */
  readonly onFurther: () => void;
  /** Milliseconds since any fixed time. */
  readonly now?: () => number;
}

/**
 * The terminal sends Ctrl-C to npm and to its child, and npm forwards the signal. Signals that
 * arrive within this time count as one key press.
 */
const SAME_MILLISECONDS = 500;

/** Handles SIGINT and SIGTERM until disposed. */
export function onInterruption(options: InterruptionOptions): Disposable & { readonly isInterrupted: boolean } {
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
    get isInterrupted() {
      return first !== undefined;
    },
    [Symbol.dispose]() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener);
    },
  };
}
