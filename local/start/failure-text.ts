import { terminalText } from '../../bin/terminal/terminal-text.ts';

/** A failure as text for people: what failed, what is safe, what to do. The stack only with --verbose. */
export function failureText(error: unknown, verbose: boolean): string {
  return terminalText(textOf(error, verbose));
}

function textOf(error: unknown, verbose: boolean): string {
  if (!(error instanceof Error)) return `Failed: ${String(error)}`;
  if (verbose) return error.stack || `${error.name}: ${error.message}`;
  const streams = failedStreams(error);
  return streams.length > 0 ? `Failed.\n${streams.join('\n')}` : `Failed: ${error.name}: ${error.message}`;
}

/** The handler reports all streams in one line. Streams with the same failure are grouped. */
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

const CREDENTIALS_HERE = '  In this run the secret consists of --client-id and of CLIENT_SECRET or the prompt.';

/** Before `assets: RoleMissingError: …`. */
const EACH_STREAM = /(?<=\s)(?=[a-z-]+: [A-Za-z]*Error: )/;

/** Errors of LevelDB (below dynalite) and of the file system for a full disk or damaged files. */
const DISK =
  /ENOSPC|EDQUOT|EFBIG|EIO|LEVEL_|IO error|Corruption|Database is (?:closed|not open)|no space left|table was left half made/i;

/**
 * The text for a state folder that cannot be read or written. dynalite throws such errors where nothing can catch them.
 *
 * @returns undefined for other errors
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
