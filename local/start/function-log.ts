import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Keeps what the function writes in a file, as CloudWatch Logs would, and tells each line.
 *
 * @returns resolves when every stream has ended and the file is written
 */
export async function keepLog(
  file: string,
  streams: readonly Readable[],
  onLine: (line: string) => void,
): Promise<void> {
  const log = createWriteStream(file, { flags: 'a' });
  for (const stream of streams) {
    stream.pipe(log, { end: false });
    createInterface({ input: stream }).on('line', onLine);
  }
  await Promise.all(streams.map(stream => finished(stream)));
  log.end();
  await finished(log);
}
