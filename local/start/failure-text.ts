/** A failure for a person: what happened, what is safe, what to do; the stack only for those who ask. */
export function failureText(error: unknown, verbose: boolean): string {
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
