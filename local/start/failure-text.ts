import { terminalText } from '../terminal/terminal-text.ts';

/** A failure for a person: what happened, what is safe, what to do; the stack only for those who ask. */
export function failureText(error: unknown, verbose: boolean): string {
  return terminalText(textOf(error, verbose));
}

function textOf(error: unknown, verbose: boolean): string {
  if (!(error instanceof Error)) return `Failed: ${String(error)}`;
  if (verbose) return error.stack || `${error.name}: ${error.message}`;
  const streams = failedStreams(error);
  return streams.length > 0 ? `Failed.\n${streams.join('\n')}` : `Failed: ${error.name}: ${error.message}`;
}

/** The handler tells all streams in one line; what they have in common is said once. */
function failedStreams({ name, message }: Error): string[] {
  if (name !== 'StreamsFailedError') return [];
  const streams = new Map<string, string[]>();
  for (const part of message.split(EACH_STREAM).slice(1)) {
    const [, stream = '', text = ''] = /^([a-z-]+): (.*?)( \|)?$/s.exec(part.trim())!;
    streams.set(text, [...(streams.get(text) ?? []), stream]);
  }
  const texts = [...streams].map(([text, names]) => `  ${names.join(', ')}: ${text}`);
  return message.includes(': CredentialsError: ') ? [...texts, CREDENTIALS_HERE] : texts;
}

const CREDENTIALS_HERE =
  '  In this run the secret is made of --client-id and of CLIENT_SECRET or what the prompt was told.';

/** Before `assets: RoleMissingError: …`. */
const EACH_STREAM = /(?<=\s)(?=[a-z-]+: [A-Za-z]*Error: )/;

/** What LevelDB, under dynalite, and the file system say of a disk that is full, or of files that are not what was written. */
const DISK =
  /ENOSPC|EDQUOT|EFBIG|EIO|LEVEL_|IO error|Corruption|Database is (?:closed|not open)|no space left|table was left half made/i;

/**
 * The state folder cannot be read or written. dynalite throws such errors where nobody can catch them.
 *
 * @returns nothing for an error of another kind
 */
export function stateFailureText(error: unknown, folder: string): string | undefined {
  if (!(error instanceof Error) && typeof error !== 'object') return undefined;
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (!DISK.test(`${code} ${message}`)) return undefined;
  return terminalText(
    `Failed: The state in ${folder} cannot be read or written (${message}). The run has stopped. The tenant was only read, so nothing is lost there.
  If the disk is full, free some space and run again: the next run continues where the saved state ends.
  If the state is damaged, start from the beginning with --reset, which deletes the state and the files of this folder.`,
  );
}
