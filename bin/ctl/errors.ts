import {
  ApiRefusedError,
  ApiUnavailableError,
  CredentialsError,
  OutOfTimeError,
  PageTimeoutError,
  SAFE,
} from '../../lambda/core/errors.ts';
import { awsFailureText } from './aws-failure.ts';

/** What was asked for cannot be done as asked; nothing was done. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** The function answered with an error of its own. */
export class FunctionFailedError extends Error {
  override readonly name = 'FunctionFailedError';
  /** Class of the function's error, for example `LeaseBusyError`. */
  readonly type: string;
  /** What the function said, without its class. */
  readonly said: string;
  constructor(type: string, said: string) {
    super(
      `The function failed.\n${type}: ${said.replaceAll(' | ', '\n  ').replace('streams failed. ', 'streams failed.\n  ')}`,
    );
    this.type = type;
    this.said = said;
  }
}

/** AWS refused a call or could not be reached. */
export class AwsCallError extends Error {
  override readonly name = 'AwsCallError';
  constructor(what: string, advice: string, cause: unknown) {
    super(`${what}: ${awsFailureText(cause)}\n${advice}`, { cause });
  }
}

/** The lease stayed held for as long as we were told to wait. */
export class StillBusyError extends Error {
  override readonly name = 'StillBusyError';
  constructor(seconds: number) {
    super(
      `Another run still holds the lease after ${seconds} s, so nothing was done. A run takes 15 minutes at most: ` +
        '"status" shows the lease, --wait 900 waits for all of it.',
    );
  }
}

/** Ctrl-C. The message says what is true now. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

const AGAIN = 'Try again in a minute.';

/** In place of what these errors say of the next run. */
// biome-ignore lint/suspicious/noExplicitAny: classes of errors with parameters of their own
const ADVICE: readonly (readonly [type: new (...given: any) => Error, advice: string])[] = [
  [
    ApiUnavailableError,
    'Check the network of this machine, then try again. The runs of the function have a connection of their own: "status" shows how they ended.',
  ],
  [ApiRefusedError, 'Check baseUrl, authUrl and the paths of the lists in cdk.json.'],
  [
    CredentialsError,
    'Put the current client_id and client_secret into the secret with "npm run connectorctl -- set-credentials", or have the account enabled.',
  ],
  [OutOfTimeError, AGAIN],
  [PageTimeoutError, AGAIN],
];

/**
 * What to print of an error. Errors of the parts that a command shares with the function say what becomes of a run; a command that
 * only reads has none. What the function itself has said stays as it is.
 */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const at = message.indexOf(SAFE);
  if (at < 0 || error instanceof FunctionFailedError) return message;
  const advice = ADVICE.find(([type]) => error instanceof type)?.[1];
  const rest = message.slice(at + SAFE.length);
  return `${message.slice(0, at).trimEnd()}\nNothing was changed${advice ? `. ${advice}` : rest}`;
}

/** What to tell of a command that ended with this: after Ctrl-C a read that was cut off is no failure. */
export function afterInterruption(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted || error instanceof InterruptedError || !isCutOff(error)) return error;
  return new InterruptedError('Interrupted. Nothing was changed.', { cause: error });
}

/** Whether this is what a call throws that Ctrl-C has cut off. */
export function isCutOff(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at.name === 'AbortError') return true;
  return false;
}

/** 0 done; 3 is the result of a command that found something amiss. */
export function exitStatusOf(error: unknown): 1 | 2 | 130 {
  if (error instanceof InterruptedError) return 130;
  return error instanceof RefusedError ? 2 : 1;
}
