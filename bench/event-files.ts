/** Delivered files as years of a connector's life leave them, for the views to read. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EventTraffic, type TrafficTruth } from './event-life.ts';

const LINES_PER_FILE = 20_000;
const compress = promisify(gzip);

export interface EventFiles {
  /** Of the lines, before compression. */
  readonly bytes: number;
  readonly files: number;
  readonly truth: TrafficTruth;
}

/** Writes files with so many lines below the folder. */
export async function writeEventFiles(folder: string, lines: number): Promise<EventFiles> {
  const traffic = new EventTraffic();
  const target = path.join(folder, 'events', '2026', '11', '20', '09');
  await mkdir(target, { recursive: true });
  let bytes = 0;
  let files = 0;
  for (let written = 0; written < lines; files++) {
    const count = Math.min(LINES_PER_FILE, lines - written);
    // Backwards: Firehose promises no order.
    const text = Array.from({ length: count }, () => `${traffic.next()}\n`)
      .reverse()
      .join('');
    bytes += Buffer.byteLength(text);
    written += count;
    await writeFile(path.join(target, `${files}.json.gz`), await compress(text, { level: 1 }));
  }
  return { bytes, files, truth: traffic.truth() };
}
