import { terminalText } from '../../bin/terminal/terminal-text.ts';

/** A failure as text for people. The stack and the causes only with --verbose. */
export function failureText(error: unknown, verbose: boolean): string {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (verbose && stack) return terminalText(stack);
  const remedy = message.includes('CredentialsError: ') ? `\n${CREDENTIALS_HERE}` : '';
  return terminalText(`Failed: ${name}: ${message}${remedy}`);
}

const CREDENTIALS_HERE = '  In this run the secret consists of --client-id and of CLIENT_SECRET or the prompt.';

/** Errors of LevelDB (below dynalite) and of the file system for a full disk or damaged files. */
const DISK =
  /ENOSPC|EDQUOT|EFBIG|EIO|LEVEL_|IO error|Corruption|Database is (?:closed|not open)|no space left|table was left half made/i;

/**
 * The text for a state folder that cannot be read or written.
 *
 * @returns undefined for other errors
 */
export function stateFailureText(error: unknown, folder: string): string | undefined {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (!DISK.test(`${code} ${message}`)) return undefined;
  return terminalText(
    `Failed: The state in ${folder} cannot be read or written (${message}). The run has stopped. The tenant was only read, so nothing is lost there.
  If the disk is full, free some space and run again: the next run continues where the saved state ends.
  If the state is damaged, start from the beginning with --reset, which deletes the state and the files of this folder.`,
  );
}
