/**
 * The process of the function. Like a container of Lambda, it has its own environment and output.
 * Files on this machine replace AWS.
 */
import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createContainerParts } from '../../lambda/container-parts.ts';
import { StreamsFailedError } from '../../lambda/core/errors.ts';
import { type ContainerParts, invoke } from '../../lambda/invocation.ts';
import { readSettings } from '../../lambda/settings.ts';
import { JournalTable } from '../aws/journal.ts';
import { LOCAL_NAMES, openLocalAws } from '../aws/local-aws.ts';

export type MessageToFunction =
  /** First message. The secret is part of it, so that it is never written to disk. */
  | { readonly kind: 'open'; readonly folder: string; readonly secret: string }
  | { readonly kind: 'invoke'; readonly milliseconds: number }
  /** Shortens the time of the current invocation. */
  | { readonly kind: 'hurry'; readonly milliseconds: number };

export type MessageFromFunction =
  | { readonly kind: 'answered'; readonly answer: ApiAnswer }
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack: string }
  /** The files of the run cannot be read or written, as on a full disk. */
  | { readonly kind: 'files failed'; readonly error: Pick<NodeJS.ErrnoException, 'message' | 'code' | 'path'> };

/**
 * The answer to a request of this process's `fetch`, which is used only for the API and the token
 * endpoint.
 */
export interface ApiAnswer {
  /** URL without its query, which holds cursors. */
  readonly url: string;
  /** HTTP status. Undefined if there was no answer. */
  readonly status?: number | undefined;
  /** The network error, if there was no answer. */
  readonly problem?: string;
}

interface FetchMessage {
  readonly request: { readonly origin: string | URL; readonly path: string };
  readonly response?: { readonly statusCode: number };
  readonly error?: Error & { readonly errors?: readonly Error[] };
}

let opened: Promise<ContainerParts> | undefined;
let deadline = Number.POSITIVE_INFINITY;

// Requests are observed through Node's diagnostics channels, because the observed code then stays
// exactly the deployed code.
for (const channel of ['undici:request:headers', 'undici:request:error']) {
  subscribe(channel, message => {
    const { request, response, error } = message as FetchMessage;
    const url = `${String(request.origin).replace(/\/$/, '')}${request.path.split('?')[0]}`;
    // The error of a host with several addresses contains one error for each address, and has no
    // message of its own.
    const problem = error && (error.message || error.errors?.[0]?.message || error.name);
    post({ kind: 'answered', answer: { url, status: response?.statusCode, ...(problem && { problem }) } });
  });
}

process.on('message', (message: MessageToFunction) => {
  if (message.kind === 'open') opened = open(message);
  else if (message.kind === 'hurry') deadline = Math.min(deadline, Date.now() + message.milliseconds);
  else {
    deadline = Date.now() + message.milliseconds;
    void run();
  }
});

// The console ignores errors of its output, but the run needs its log, because the log contains the
// metrics of the run.
for (const output of [process.stdout, process.stderr]) output.on('error', filesFailed);

// The terminal sends Ctrl-C to this process, too. The process ignores it, because the parent
// shortens the time instead.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

async function open({ folder, secret }: MessageToFunction & { readonly kind: 'open' }): Promise<ContainerParts> {
  const table = new JournalTable(LOCAL_NAMES.stateTable, join(folder, 'dynamodb', 'table.jsonl'));
  const { clients } = await openLocalAws({ directory: folder, table, secret, onFailure: filesFailed });
  return createContainerParts(readSettings(), clients);
}

async function run(): Promise<void> {
  const invoker = await opened!.catch(filesFailed);
  if (!invoker) return;
  try {
    const result = await invoke({}, { getRemainingTimeInMillis: () => deadline - Date.now() }, invoker);
    // A failed write to the log is reported only in the next turn of the event loop, so the run
    // waits for that turn before it reports success.
    await nextTurn();
    post({ kind: 'returned', result });
  } catch (error) {
    post({ kind: 'failed', ...wordsOf(error), stack: inspect(error) });
  }
}

/** Name and message of an error. Streams that failed with the same error share a line. */
function wordsOf(error: unknown): { readonly name: string; readonly message: string } {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof StreamsFailedError)) return { name, message };
  const alike = Map.groupBy(error.streams, ([, { name, message }]) => `${name}: ${message}`);
  const lines = [...alike].map(([text, streams]) => `\n  ${streams.map(([stream]) => stream).join(', ')}: ${text}`);
  return { name, message: lines.join('') };
}

function filesFailed(error: unknown): undefined {
  const { message, code, path } = error as NodeJS.ErrnoException;
  post({ kind: 'files failed', error: { message, ...(code && { code }), ...(path && { path }) } });
}

function post(message: MessageFromFunction): void {
  process.send?.(message);
}
