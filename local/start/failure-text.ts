import { terminalText } from '../../bin/terminal/terminal-text.ts';

const CREDENTIALS_HERE = 'In this run the secret consists of --client-id and of CLIENT_SECRET or the prompt.';

/** Formats a failure for people. The stack and the causes are shown only with --verbose. */
export function failureText(error: unknown, verbose: boolean): string {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (verbose && stack) return terminalText(stack);
  const remedies = message.includes('CredentialsError: ') ? [CREDENTIALS_HERE] : remediesFor(codeOf(error));
  return indented(`Failed: ${name}: ${message}`, remedies);
}

const AGAIN = 'run again: the next run continues where the saved state ends';

/** Remedies by the file system's error code, or by the message about a damaged table. */
const REMEDIES: readonly [cause: RegExp, remedy: string][] = [
  [/ENOSPC|EDQUOT|EFBIG/, `If the disk is full, free some space and ${AGAIN}.`],
  [
    /EACCES|EPERM|EROFS/,
    `Make the folder and its files writable for this user, and ${AGAIN}. Or choose another --state-folder.`,
  ],
  [/EMFILE|ENFILE/, `Allow more open files, for example with "ulimit -n 4096", and ${AGAIN}.`],
  [
    /\bEIO\b|The table is damaged/,
    'If the state is damaged, start from the beginning with --reset, which deletes the state and the files of this folder.',
  ],
];

function remediesFor(text: string): string[] {
  return REMEDIES.filter(([cause]) => cause.test(text)).map(([, remedy]) => remedy);
}

/**
 * Formats the failure of a state folder that cannot be read or written.
 *
 * @returns undefined for other errors
 */
export function stateFailureText(error: unknown, folder: string): string | undefined {
  const { message = '', path } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  const remedies = remediesFor(`${codeOf(error)} ${message}`);
  // Errors of the file system name their path, and errors of the network do not.
  if (remedies.length === 0 && path === undefined) return undefined;

  const problem = `Failed: The state in ${folder} cannot be read or written (${message}). The run has stopped. The tenant was only read, so nothing is lost there.`;
  return indented(problem, remedies.length > 0 ? remedies : [`Repair the path that the message names, and ${AGAIN}.`]);
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | undefined)?.code ?? '');
}

function indented(problem: string, remedies: readonly string[]): string {
  return terminalText([problem, ...remedies.map(remedy => `  ${remedy}`)].join('\n'));
}
