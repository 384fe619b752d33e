/**
 * Errors of the connector, with one class for each cause. Each message says what happened, whether
 * data is safe, and how to respond. No message contains a secret, a token or the content of a row.
 */

import { connectionError } from './connection-error.ts';

/**
 * Says that no data is lost after a failed run. An operator's command prints another sentence,
 * because it has no next run.
 */
export const NOTHING_IS_LOST = 'The checkpoint was not moved past the rows concerned, so nothing is lost';

/**
 * Finds the missing permission in the message of AWS, which names it in the middle of a long
 * sentence.
 */
const MISSING_PERMISSION = /\bnot authorized to perform: ([a-z0-9-]{1,30}:[A-Za-z]{1,60})\b/;

/** @returns the action that the role lacks, if that is why AWS refused a call */
export function missingPermission(cause: unknown): string | undefined {
  return cause instanceof Error ? MISSING_PERMISSION.exec(cause.message)?.[1] : undefined;
}

/**
 * Returns the advice at the end of a message. It must name the permission, the proxy or the
 * certificate, because neither Lambda nor `connectorctl run` shows the causes of an error.
 */
function remedy(options: ErrorOptions | undefined): string {
  const action = missingPermission(options?.cause);
  if (action) return ` Allow the role of the function ${action}.`;
  const advice = connectionAdvice(options?.cause);
  return advice ? ` ${advice}` : '';
}

/**
 * Explains why a connection between the function and AWS failed, with advice.
 *
 * @returns undefined for errors that pass by themselves
 */
export function connectionAdvice(cause: unknown): string | undefined {
  const failed = connectionError(cause);
  return failed?.advice && `AWS was not reached: ${failed.problem}. ${failed.advice}`;
}

/** The token endpoint or Secrets Manager gave no usable credentials. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  /**
   * @param advice replaces the advice to change the credentials, if the credentials themselves may
   * be right
   */
  constructor(problem: string, { advice, ...options }: ErrorOptions & { readonly advice?: string } = {}) {
    const fill = 'Put the current client_id and client_secret into the secret, or have the account enabled';
    super(`${problem} ${NOTHING_IS_LOST}. ${advice ?? `${fill}; the next run uses them.`}`, options);
  }
}

/** The API answered 401 auth/revoked-account, because its operator disabled the service account. */
export class AccountRevokedError extends Error {
  override readonly name = 'AccountRevokedError';
  constructor() {
    super(
      `The API answered 401 auth/revoked-account. ${NOTHING_IS_LOST}. Ask the API's operator to enable the account.`,
    );
  }
}

/** The API answered 403 auth/insufficient-role, because the service account lacks a role. */
export class RoleMissingError extends Error {
  override readonly name = 'RoleMissingError';
  constructor(path: string) {
    super(
      `The API answered 403 auth/insufficient-role for ${path}. ${NOTHING_IS_LOST}. ` +
        `Ask the API's operator for the role that ${path} requires.`,
    );
  }
}

/** The API answered 400 request/invalid-cursor, because it does not accept the cursor. */
export class CursorRefusedError extends Error {
  override readonly name = 'CursorRefusedError';
  constructor(path: string) {
    super(
      `The API refused the cursor of ${path} (400 request/invalid-cursor), and the fallbacks with it. ${NOTHING_IS_LOST}. ` +
        'The next run tries again. Ask the operator of the API why it refuses the cursors that it has issued.',
    );
  }
}

/**
 * The API answered with a status of the 4xx class for which there is no other error, with a
 * redirect, or in a way that the specification does not know.
 */
export class ApiRefusedError extends Error {
  override readonly name = 'ApiRefusedError';
  readonly status: number;
  /** Suffix of the problem document's `type`, if the specification names it. */
  readonly type: string | undefined;
  constructor(path: string, status: number, type?: string) {
    const said = type ?? 'without a known problem type';
    super(
      `The API answered ${status} for ${path} (${said}). ${NOTHING_IS_LOST}. The request is not repeated before the next run.`,
    );
    this.status = status;
    this.type = type;
  }
}

/** The API could not be read, because resets, time-outs, 429 or 5xx outlasted the retries. */
export class ApiUnavailableError extends Error {
  override readonly name: string = 'ApiUnavailableError';
  /** @param advice what the operator must do; absent when the next run may succeed by itself */
  constructor(path: string, problem: string, { advice, ...options }: ErrorOptions & { readonly advice?: string } = {}) {
    const next = advice ?? 'The next run continues from there.';
    super(`${path} could not be read: ${problem}. ${NOTHING_IS_LOST}. ${next}`, options);
  }
}

/** The proxy cannot be reached, or it refuses to connect. */
export class ProxyError extends ApiUnavailableError {
  override readonly name = 'ProxyError';
}

/** The certificate of the API or of the token endpoint is not accepted. */
export class CertificateError extends ApiUnavailableError {
  override readonly name = 'CertificateError';
}

/** An answer is larger than the size limit of bodies, so the walk asks for fewer rows. */
export class PageTooLargeError extends Error {
  override readonly name = 'PageTooLargeError';
  constructor(path: string, bound: number) {
    super(
      `An answer of ${path} exceeds ${bound} bytes, even for a single row. ${NOTHING_IS_LOST}. The stream waits at that row: have the API's operator make it smaller.`,
    );
  }
}

/** A page times out again and again, so the walk asks for fewer rows. */
export class PageTimeoutError extends Error {
  override readonly name = 'PageTimeoutError';
  constructor(path: string, milliseconds: number, options?: ErrorOptions) {
    super(
      `${path} did not answer within ${milliseconds} ms, repeatedly. ${NOTHING_IS_LOST}. The next run tries again.`,
      options,
    );
  }
}

/** An answer does not fit the contract. Nothing is guessed, and nothing is saved. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  /** @param advice what the operator of the connector can do, if anything */
  constructor(path: string, problem: string, { advice, ...options }: ErrorOptions & { readonly advice?: string } = {}) {
    super(
      `The answer of ${path} does not fit the contract: ${problem}. ${NOTHING_IS_LOST}.${advice ? ` ${advice}` : ''}`,
      options,
    );
  }
}

/** The text is not JSON. The error names the place, but never quotes the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  constructor(problem: string, at: number) {
    super(`${problem} at character ${at}`);
  }
}

/**
 * An answer of AWS lacks the part that shows that the call had its effect. Such an answer does not
 * acknowledge the call, so the call is made again.
 */
export class IncompleteAnswerError extends Error {
  override readonly name = 'IncompleteAnswerError';
  /** @param flaw end of the sentence "DynamoDB answered Query …" */
  constructor(service: string, action: string, flaw: string) {
    super(
      `${service} answered ${action} ${flaw}, so nothing shows that the call had its effect. ${NOTHING_IS_LOST}. If it happens at every run, look for a ` +
        'proxy that answers in the place of AWS.',
    );
  }
}

/** Firehose refused records for a reason other than throttling. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  constructor(problem: string, options?: ErrorOptions) {
    super(
      `Firehose did not take every record: ${problem}. ${NOTHING_IS_LOST}; rows already taken come again with the same event_id.${remedy(options)}`,
      options,
    );
  }
}

/** The dead-letter bucket refused a row that cannot be sent. */
export class DeadLetterError extends Error {
  override readonly name = 'DeadLetterError';
  constructor(options?: ErrorOptions) {
    super(
      `A row that cannot be sent could not be stored as a dead letter either. ${NOTHING_IS_LOST}. Check the dead-letter bucket.${remedy(options)}`,
      options,
    );
  }
}

/** The log of a batch could not be written to, read from or deleted from the bucket. */
export class LogError extends Error {
  override readonly name = 'LogError';
  /** @param action end of the sentence "A batch on its way could not …" */
  constructor(action: string, options?: ErrorOptions) {
    super(
      `A batch on its way could not ${action} in the bucket. ${NOTHING_IS_LOST}. Check the bucket and its key.${remedy(options)}`,
      options,
    );
  }
}

/** The table names an unfinished batch, but the object that holds the batch is gone. */
export class LogMissingError extends Error {
  override readonly name = 'LogMissingError';
  constructor(stream: string) {
    super(
      `An earlier run of ${stream} was killed, and the object with its unfinished batch is gone from the bucket, or was overwritten: a part of that batch may have ` +
        `been sent. Nothing new was sent, and nothing is lost. Run \`connectorctl resync ${stream} --send-all\`: it sends every row once ` +
        "more, and the SIEM's copy is right after it.",
    );
  }
}

/** Answers to writes were unclear in several runs in a row. */
export class UnclearWritesError extends Error {
  override readonly name = 'UnclearWritesError';
  constructor(runs: number) {
    super(
      `In ${runs} runs in a row DynamoDB did not say whether a write took place, and each run stopped early because of it. ${NOTHING_IS_LOST}. Look at the ` +
        'AWS Health Dashboard, and for a proxy or an endpoint between the function and DynamoDB.',
    );
  }
}

/** The waiting withdrawals differ from the withdrawals that the operator saw and confirmed. */
export class OutdatedWithdrawalsError extends Error {
  override readonly name = 'OutdatedWithdrawalsError';
  constructor() {
    super(
      'The withdrawals that wait are not those that were confirmed: they have changed since. Nothing was withdrawn, and nothing is lost. Run ' +
        '`connectorctl confirm withdrawals` again.',
    );
  }
}

/** DynamoDB refused a call, or did not answer it. */
export class StateError extends Error {
  override readonly name = 'StateError';
  constructor(action: string, options?: ErrorOptions) {
    super(
      `The state table could not ${action}. ${NOTHING_IS_LOST}; rows already sent may come again with the same event_id.${remedy(options)}`,
      options,
    );
  }
}

/** The state table contains an item that another version of the code has written. */
export class StateVersionError extends Error {
  override readonly name = 'StateVersionError';
  constructor(item: string, found: string | undefined, expected: string) {
    super(
      `The state table has an item (${item}) of ${found === undefined ? 'no version' : `version ${found}`}; this code reads version ` +
        `${expected}. ${NOTHING_IS_LOST}. Deploy the version of the connector that wrote it, or a later one.`,
    );
  }
}

/**
 * The credentials belong to another organization than the state, or nothing shows that both belong
 * to the same organization.
 */
export class OrganizationChangedError extends Error {
  override readonly name = 'OrganizationChangedError';
  constructor(why: string) {
    super(
      `The API's address, the token endpoint or the client id has changed, and ${why}. Nothing was sent, and nothing is lost. ` +
        'Restore the credentials of the organization that this connector was made for. If the change is meant, confirm it with ' +
        '`connectorctl confirm organization`.',
    );
  }
}

/**
 * The organization of this run differs from the organization that the operator saw and confirmed.
 */
export class OutdatedConfirmationError extends Error {
  override readonly name = 'OutdatedConfirmationError';
  constructor() {
    super(
      'The credentials or addresses of this run are not those that were confirmed: they have changed since, or the function still uses a ' +
        'token of the client before, until that expires. Nothing was sent, and nothing is lost. Run `connectorctl confirm ' +
        'organization` again.',
    );
  }
}

/** The secret was changed to another client while the run was reading. */
export class ClientChangedError extends Error {
  override readonly name = 'ClientChangedError';
  constructor() {
    super(
      `The secret was changed to another client id during the run, so the run stopped. ${NOTHING_IS_LOST}. The next run checks whether the client ` +
        'belongs to the same organization.',
    );
  }
}

/** Another run took over the lease, or the lease could not be renewed. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  constructor(reason: string) {
    super(
      `This run lost its lease (${reason}) and stopped. ${NOTHING_IS_LOST}. The run that holds the lease continues.`,
    );
  }
}

/** A command found the lease occupied. */
export class LeaseBusyError extends Error {
  override readonly name = 'LeaseBusyError';
  constructor() {
    super('Another run holds the lease, so the command was not carried out. Nothing changed. Try again in a minute.');
  }
}

/**
 * The time budget ended while the run was waiting. If a page was committed before, the run reports
 * `more: true`; otherwise the stream fails.
 */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
  constructor(moment: string) {
    super(`The time budget ended ${moment}. ${NOTHING_IS_LOST}. The next run continues from there.`);
  }
}

/**
 * Reason of the abort when a loop over pages is left. All loops share it, because an abort without
 * a reason creates an exception with a stack.
 */
export const LOOP_LEFT = new Error('The loop over the pages was left');

/**
 * Error of the handler, which lists every stream that failed. It is thrown after the other streams
 * have finished.
 */
export class StreamsFailedError extends AggregateError {
  override readonly name = 'StreamsFailedError';
  /** Error of each stream that failed, by the name of the stream. */
  readonly streams: ReadonlyMap<string, Error>;
  constructor(failures: ReadonlyMap<string, Error>, total: number) {
    const failed = [...failures].map(([stream, error]) => `${stream}: ${error.name}: ${error.message}`);
    super([...failures.values()], `${failures.size} of ${total} streams failed. ${failed.join(' | ')}`);
    this.streams = failures;
  }
}
