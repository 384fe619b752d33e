/**
 * Packs event lines into the records of Firehose. Firehose bills every record in steps of 5 KiB, so
 * one record for many lines saves most of the bill. A record holds at most 500 lines, because
 * Firehose's deaggregation cannot split more.
 */
import { MAX_LINE_BYTES } from './event.ts';

const MAX_LINES = 500;
const LINE_FEED = 0x0a;

/**
 * Each line, and so each record, ends in a line feed, because Firehose writes records to S3 without
 * a delimiter.
 */
export function packRecords(lines: readonly string[]): Uint8Array[] {
  const records: Uint8Array[] = [];
  let from = 0;
  let bytes = 0;
  for (let i = 0; i < lines.length; i++) {
    const size = Buffer.byteLength(lines[i]!) + 1;
    if (i > from && (bytes + size > MAX_LINE_BYTES || i - from === MAX_LINES)) {
      records.push(record(lines, from, i, bytes));
      from = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (from < lines.length) records.push(record(lines, from, lines.length, bytes));
  return records;
}

/**
 * Lines are encoded one by one, because one line with wide characters would slow down the encoding
 * of a joined text.
 */
function record(lines: readonly string[], from: number, to: number, bytes: number): Uint8Array {
  const written = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (let i = from; i < to; i++) {
    at += written.write(lines[i]!, at);
    written[at++] = LINE_FEED;
  }
  return written;
}
