/** Delivered files as a connector leaves them after years, for the views to read. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createRandom } from '../local/platform/random.ts';
import { type BenchStream, rowId, rowText, SHARES } from './rows.ts';

const LINES_PER_FILE = 20_000;
const compress = promisify(gzip);

export interface EventFiles {
  /** Of the lines, before compression. */
  readonly bytes: number;
  readonly files: number;
  readonly truth: TrafficTruth;
}

/** Writes files that together hold the given number of lines. */
export async function writeEventFiles(folder: string, lines: number): Promise<EventFiles> {
  const traffic = new EventTraffic();
  const target = path.join(folder, 'events', '2026', '11', '20', '09');
  await mkdir(target, { recursive: true });
  let bytes = 0;
  let files = 0;
  for (let written = 0; written < lines; files++) {
    const count = Math.min(LINES_PER_FILE, lines - written);
    // Reversed, because Firehose promises no order.
    const text = Array.from({ length: count }, () => `${traffic.next()}\n`)
      .reverse()
      .join('');
    bytes += Buffer.byteLength(text);
    written += count;
    await writeFile(path.join(target, `${files}.json.gz`), await compress(text, { level: 1 }));
  }
  return { bytes, files, truth: traffic.truth() };
}

/** Shares of the lines: changed rows, removals, restores, and repeated lines. All others are new rows. */
const CHANGED = 0.25;
const REMOVED = 0.05;
const RESTORED = 0.03;
const REPEATED = 0.02;

/** The row counts that the views must have. */
export interface TrafficTruth {
  readonly current_assets: number;
  readonly current_threats: number;
  readonly removed_assets: number;
  readonly dns_blocks: number;
  readonly changes: number;
}

/** Event lines of generated traffic: rows are created, changed, removed and restored. The same in every run. */
class EventTraffic {
  readonly #random = createRandom(1);
  /** By stream and index, whether the row is there. */
  readonly #live: Record<BenchStream, boolean[]> = { assets: [], threats: [], 'dns-blocks': [] };
  #sequence = 0;
  #last = '';

  next(): string {
    const dice = this.#random();
    if (dice < REPEATED && this.#last !== '') return this.#last;
    this.#last = this.#change(dice - REPEATED);
    return this.#last;
  }

  truth(): TrafficTruth {
    const count = (stream: BenchStream, live: boolean) => this.#live[stream].filter(each => each === live).length;
    return {
      current_assets: count('assets', true),
      current_threats: count('threats', true),
      removed_assets: count('assets', false),
      dns_blocks: count('dns-blocks', true),
      changes: this.#sequence,
    };
  }

  #change(dice: number): string {
    const stream = this.#random() < 0.5 ? 'assets' : 'threats';
    const index = Math.floor(this.#random() * this.#live[stream].length);
    const isLive = this.#live[stream][index];
    if (dice < REMOVED && isLive) return this.#remove(stream, index);
    if (dice < REMOVED + RESTORED && isLive === false) return this.#upsert(stream, index);
    if (dice < REMOVED + RESTORED + CHANGED && isLive) return this.#upsert(stream, index);
    return this.#create();
  }

  #create(): string {
    const dice = this.#random();
    const isOfSecond = dice < SHARES.assets + SHARES.threats;
    const stream = dice < SHARES.assets ? 'assets' : isOfSecond ? 'threats' : 'dns-blocks';
    return this.#upsert(stream, this.#live[stream].length);
  }

  #upsert(stream: BenchStream, index: number): string {
    this.#live[stream][index] = true;
    const kind = stream === 'dns-blocks' ? 'dns_block' : 'upsert';
    return this.#line(kind, stream, index, rowText(stream, index, this.#sequence));
  }

  #remove(stream: 'assets' | 'threats', index: number): string {
    this.#live[stream][index] = false;
    if (stream === 'threats') return this.#line('withdrawn', stream, index);
    return this.#line('tombstone', stream, index, `{"id":"${rowId(stream, index)}","deleted":true}`);
  }

  #line(kind: string, stream: BenchStream, index: number, row?: string): string {
    this.#sequence++;
    const sequence = String(this.#sequence).padStart(20, '0');
    const eventId = this.#sequence.toString(16).padStart(32, '0');
    const time = '2026-11-20T09:14:03.000Z';
    const head =
      `{"event_id":"${eventId}","sequence":"${sequence}","kind":"${kind}","stream":"${stream}","id":"${rowId(stream, index)}",` +
      `"time":"${time}","stream_position":"${time}","connector":"bench","forwarded_at":"${time}"`;
    return row === undefined ? `${head}}` : `${head},"row":${row}}`;
  }
}
