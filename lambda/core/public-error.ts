/**
 * An error as it may leave the function: in a log line, or as what the handler rejects with, which Lambda prints with all
 * members and causes.
 *
 * Our own errors hold no secret, token or row by construction. Errors of others may: the SDK keeps the whole answer in
 * `$response`, undici the raw bytes in `data`, and a message may quote what was sent, as a proxy or the JSON parser does.
 * So of a foreign error only what has a strict form is kept:
 *
 *     AccessDeniedException: "User … is not authorized to perform: dynamodb:GetItem on …", with $response, $metadata
 *     AccessDeniedException: HTTP 400, not authorized to perform dynamodb:GetItem, request 6ce0b0b5-…
 */
import * as errors from './errors.ts';

const OWN: ReadonlySet<unknown> = new Set(Object.values(errors));

/** Deeper causes are left out. Real chains are shorter, and one that leads back to itself would never end. */
const DEEPEST_CAUSE = 5;

/** Stands for an error of the SDK, of fetch, or of the language. */
class ForeignError extends Error {
  override readonly name: string;
  override readonly stack: string;
  readonly code?: string;
  constructor(error: Error, cause: Error | undefined) {
    super(factsOf(error), cause && { cause });
    this.name = serviceWord(error.name) ?? 'Error';
    this.stack = [`${this.name}: ${this.message}`, ...framesOf(error)].join('\n');
    const { code } = error as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) this.code = code;
  }
}

/** An own error keeps its identity, and loses what its causes may quote. Anything else is replaced. */
export function publicError(error: unknown, depth = 0): Error {
  if (!(error instanceof Error)) return new Error('Something that is no error was thrown');
  if (error instanceof ForeignError) return error;
  const { cause } = error;
  const kept = cause instanceof Error && depth < DEEPEST_CAUSE ? publicError(cause, depth + 1) : undefined;
  if (!OWN.has(error.constructor)) return new ForeignError(error, kept);
  if (kept) error.cause = kept;
  else delete error.cause;
  if (error instanceof errors.StreamsFailedError) for (const failure of error.errors) publicError(failure, depth + 1);
  return error;
}

/** The name of an error or the code of a record as AWS writes them; nothing for any other text, which may be an echo. */
export function serviceWord(text: unknown): string | undefined {
  return typeof text === 'string' && /^[A-Z][A-Za-z.]{1,63}$/.test(text) ? text : undefined;
}

const REQUEST_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-Z]{16}|[0-9A-Z]{52})$/;

function factsOf(error: Error): string {
  const { httpStatusCode: status, requestId } = (error as { $metadata?: Record<string, unknown> }).$metadata ?? {};
  const action = errors.missingPermission(error);
  const facts = [
    ...(typeof status === 'number' ? [`HTTP ${status}`] : []),
    ...(action ? [`not authorized to perform ${action}`] : []),
    ...(typeof requestId === 'string' && REQUEST_ID.test(requestId) ? [`request ${requestId}`] : []),
  ];
  return facts.join(', ') || 'its details are not shown';
}

/** Where it happened: what stands behind the message, because a line of the message could pass for a frame. */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.lastIndexOf(message);
  if (at < 0) return [];
  const frames = stack.slice(at + message.length).split('\n');
  return frames.filter(line => /^ {4}at .{1,500}$/.test(line));
}
