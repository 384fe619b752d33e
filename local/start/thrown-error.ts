/** What is left of an error on its way between threads: its class cannot cross. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly causes: readonly string[];
}

/** An error of the handler, under its own name. */
export class HandlerError extends Error {
  override readonly name: string;
  override readonly stack: string;
  constructor({ name, message, stack, causes }: ThrownError) {
    super(message);
    this.name = name;
    this.stack = [stack, ...causes.map(cause => `caused by ${cause}`)].join('\n');
  }
}

export function thrownError(error: unknown): ThrownError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '', causes: [] };
  const { name, message, stack = '' } = error;
  return { name, message, stack, causes: [...causes(error)] };
}

function* causes(error: Error): Generator<string> {
  const beneath = error instanceof AggregateError ? error.errors : [error.cause];
  for (const cause of beneath) {
    if (!(cause instanceof Error)) continue;
    yield cause.stack ?? cause.message;
    yield* causes(cause);
  }
}
