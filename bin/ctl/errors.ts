import { connectionError } from '../../lambda/core/connection-error.ts';
import {
  ApiRefusedError,
  ApiUnavailableError,
  CertificateError,
  CredentialsError,
  NOTHING_IS_LOST,
  OutOfTimeError,
  PageTimeoutError,
  ProxyError,
} from '../../lambda/core/errors.ts';
import { CONNECTORCTL } from '../../lib/installation.ts';
import { groupBy } from './group-by.ts';

/** The command cannot be carried out as given. Nothing was done. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** The command line names an unknown command or option, or a wrong value. Nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The function was invoked, and answered with an error. */
export class FunctionFailedError extends Error {
  override readonly name = 'FunctionFailedError';
  /** Class of the function's error, for example `LeaseBusyError`. */
  readonly type: string;
  /** The function's message, without its class. */
  readonly said: string;
  /** @param found result of an additional check that uses the operator's permissions */
  constructor(type: string, said: string, found = '') {
    super(`The function failed.\n${type}: ${byFailure(said)}${found && `\n${found}`}`);
    this.type = type;
    this.said = said;
  }
}

/**
 * Formats a line for each failure, which begins with the streams that failed in this way:
 *
 *     2 of 3 streams failed. assets: StateError: … | threats: StateError: …   →   2 of 3 streams failed.
 *                                                                                   assets, threats: StateError: …
 */
function byFailure(said: string): string {
  const [, summary = said, list] = /^(\d+ of \d+ streams failed\.) (.*)$/s.exec(said) ?? [];
  if (list === undefined) return said;
  const each = list.split(' | ').map(text => /^([\w-]+): (.*)$/s.exec(text) ?? [text, '', text]);
  const groups = groupBy(each, ([, , failure]) => failure);
  const lines = [...groups].map(([failure, of]) => `${of.map(([, stream]) => stream).join(', ')}: ${failure}`);
  return [summary, ...lines].join('\n  ');
}

/** AWS refused a call or could not be reached. */
export class AwsCallError extends Error {
  override readonly name = 'AwsCallError';
  constructor(what: string, cause: unknown, advice = 'Nothing was changed.', adviceIfMissing = GONE) {
    super(`${what}: ${awsFailureText(cause)}\n${isMissing(cause) ? adviceIfMissing : advice}`, { cause });
  }
}

/**
 * Awaits a call to AWS.
 *
 * @param what the failure in words, for example "The queue q could not be read"
 * @throws AwsCallError
 */
export async function awsCall<T>(
  call: Promise<T>,
  what: string,
  advice?: string,
  adviceIfMissing?: string,
): Promise<T> {
  return call.catch((cause: unknown) => {
    throw new AwsCallError(what, cause, advice, adviceIfMissing);
  });
}

const GONE =
  'If somebody deleted it by hand, "npx cdk deploy --revert-drift" with the stack’s name restores it. Check --region and --profile first.';

const NO_REGION = /^Region (is missing|not accepted)/;
const NO_REGION_GIVEN =
  'The AWS region is missing or invalid. Use --region, set AWS_REGION, or give your profile a region.';

const MISSING = /NotFound|NoSuch|DoesNotExist|NonExistentQueue/;

/** Whether AWS answered that the resource does not exist. */
function isMissing(cause: unknown): boolean {
  return cause instanceof Error && MISSING.test(cause.name);
}

/** Whether a call failed because its resource does not exist. */
export function isMissingResource(error: unknown): boolean {
  return error instanceof AwsCallError && isMissing(error.cause);
}

/** Another run held the lease for the whole waiting time. */
export class StillBusyError extends Error {
  override readonly name = 'StillBusyError';
}

/** The operator pressed Ctrl-C. The message lists the steps that were already done. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

const AGAIN = 'Try again in a minute.';
const PROXY_HERE =
  'Check HTTPS_PROXY and NO_PROXY of this machine, and the rules of the proxy. The function has its own: proxyUrl and noProxy.';
const CERTIFICATE_HERE =
  'If the authority is your own, set NODE_EXTRA_CA_CERTS to a PEM file with its certificate. The function has its own: caCertificates.';

/** Advice for the operator, which replaces the advice about the next run in these errors. */
// biome-ignore lint/suspicious/noExplicitAny: classes of errors with parameters of their own
const ADVICE: readonly (readonly [type: new (...given: any) => Error, advice: string])[] = [
  [ProxyError, PROXY_HERE],
  [CertificateError, CERTIFICATE_HERE],
  [
    ApiUnavailableError,
    `${AGAIN} If the connection failed, check the network of this machine. The function has its own.`,
  ],
  [ApiRefusedError, 'Check baseUrl, authUrl and dnsBlocksPath.'],
  [
    CredentialsError,
    `Put the current client_id and client_secret into the secret with "${CONNECTORCTL.command} set-credentials", or have the account enabled.`,
  ],
  [OutOfTimeError, `${AGAIN} While the API limits the rate of requests (429), runs wait for it and lose nothing.`],
  [PageTimeoutError, AGAIN],
];

/**
 * Returns the message to print. Errors of code that is shared with the function mention the next
 * run. A command has no next run, so that part of the message is replaced. Messages from the
 * function itself stay unchanged.
 */
export function printedMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const at = message.indexOf(NOTHING_IS_LOST);
  if (at < 0 || error instanceof FunctionFailedError) return message;
  const advice = ADVICE.find(([type]) => error instanceof type)?.[1];
  const rest = message.slice(at + NOTHING_IS_LOST.length);
  return `${message.slice(0, at).trimEnd()}\nNothing was changed${advice ? `. ${advice}` : rest}`;
}

/** Reports a read that Ctrl-C aborted as an interruption, not as a failure. */
export function errorAfterInterruption(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted || error instanceof InterruptedError || !isAbortError(error)) return error;
  return new InterruptedError('Interrupted. Nothing was changed.', { cause: error });
}

/** Whether Ctrl-C aborted the call that threw this error. */
export function isAbortError(error: unknown): boolean {
  // fetch reports a refusal of the proxy as an abort, too.
  if (error instanceof ProxyError || connectionError(error)?.of === 'proxy') return false;
  for (let at = error; at instanceof Error; at = at.cause) if (at.name === 'AbortError') return true;
  return false;
}

/**
 * Exit status of an error. Status 3 never belongs to an error, because a command with a finding
 * succeeds and returns 3 with its outcome.
 */
export function exitStatusOf(error: unknown): 1 | 2 | 130 {
  if (error instanceof InterruptedError) return 130;
  return error instanceof RefusedError || error instanceof UsageError ? 2 : 1;
}

/** Common failures of the AWS SDK, each with advice. */
const SENTENCES: readonly (readonly [name: RegExp, sentence: string])[] = [
  [/^CredentialsProviderError$/, 'No AWS credentials found. Log in, or use --profile.'],
  [/^(ExpiredToken|ExpiredTokenException|RequestExpired)$/, 'The AWS credentials have expired. Log in again.'],
  [
    /^(UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException)$/,
    'AWS rejects these credentials. Check the profile and the clock of this machine.',
  ],
  // S3 answers a HEAD request without a body, so the SDK names the error after the status.
  [/AccessDenied|AuthorizationError|NotAuthorized|Unauthorized|^Forbidden$|^403$/, 'Access denied.'],
  [/Throttl|TooManyRequests|SlowDown|RequestLimitExceeded/, 'AWS throttles these requests. Try again in a minute.'],
  [MISSING, 'It does not exist: it was deleted, or is in another account or region.'],
];

/** Advice about a connection from this machine that failed. */
const CONNECTION_ADVICE = { proxy: PROXY_HERE, certificate: CERTIFICATE_HERE };

/** Name and message of an AWS error, preceded by a sentence for common cases. */
export function awsFailureText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (NO_REGION.test(cause.message)) return NO_REGION_GIVEN;
  const failed = connectionError(cause);
  if (failed?.of) return `AWS was not reached: ${failed.problem}. ${CONNECTION_ADVICE[failed.of]}`;
  const said = `${cause.name}: ${cause.message}`;
  const sentence = SENTENCES.find(([name]) => name.test(cause.name))?.[1];
  if (sentence) return `${sentence} (${said})`;
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOTFOUND') return `The address cannot be resolved. Check the region and the network. (${said})`;
  return failed ? `AWS did not answer: ${failed.problem}. Check the network of this machine, then try again.` : said;
}
