/**
 * Makes an error fit to leave the function: in a log line, or as the error with which the handler
 * rejects, because Lambda prints that error with all its members and causes.
 *
 * The connector's own errors contain no secret, token or row. Other errors may: the SDK keeps the
 * whole answer in `$response`, undici keeps the raw bytes in `data`, and the message of a proxy or
 * of the JSON parser may quote the text that was sent. Therefore only those parts of a foreign
 * error are kept that have a strict form:
 *
 *     AccessDeniedException: "User … is not authorized to perform: dynamodb:GetItem on …", with $response, $metadata
 *     AccessDeniedException: HTTP 400, not authorized to perform dynamodb:GetItem, request 6ce0b0b5-…
 */
import * as errors from './errors.ts';

const OWN: ReadonlySet<unknown> = new Set(Object.values(errors));

/**
 * Depth below which causes are left out. Real chains are shorter, but a chain that leads back to
 * itself would never end.
 */
const DEEPEST_CAUSE = 5;

/** Replaces an error of the SDK, of fetch, or of the language. */
class ForeignError extends Error {
  override readonly name: string;
  override readonly stack: string;
  readonly code?: string;
  constructor(error: Error, cause: Error | undefined) {
    super(factsOf(error), cause && { cause });
    this.name = awsErrorName(error.name) ?? 'Error';
    this.stack = [`${this.name}: ${this.message}`, ...framesOf(error)].join('\n');
    const { code } = error as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) this.code = code;
  }
}

/**
 * Keeps an error of the connector itself, but replaces its causes if they may quote data. Any other
 * value is replaced as a whole.
 */
export function publicError(error: unknown, depth = 0): Error {
  if (!(error instanceof Error)) return new Error('Something that is not an error was thrown');
  if (error instanceof ForeignError) return error;
  const { cause } = error;
  const kept = cause instanceof Error && depth < DEEPEST_CAUSE ? publicError(cause, depth + 1) : undefined;
  if (!OWN.has(error.constructor)) return new ForeignError(error, kept);
  if (kept) error.cause = kept;
  else delete error.cause;
  if (error instanceof errors.StreamsFailedError) for (const failure of error.errors) publicError(failure, depth + 1);
  return error;
}

/**
 * Returns the name of an error or the code of a record, if it has the form that AWS uses. Any other
 * text may be an echo of data, so the result is undefined.
 */
export function awsErrorName(text: unknown): string | undefined {
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

/**
 * Stack frames of the error. Only the text after the message counts, because a line of the message
 * could look like a frame.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.lastIndexOf(message);
  if (at < 0) return [];
  const frames = stack.slice(at + message.length).split('\n');
  return frames.filter(line => /^ {4}at .{1,500}$/.test(line));
}
