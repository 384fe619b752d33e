/**
 * Packs event lines into Firehose records and records into calls. Firehose bills every record in steps of 5 KiB, so one
 * record for many lines is most of the bill; a record holds at most 500 lines, because deaggregation misbehaves beyond.
 */
import { MAX_LINE_BYTES } from '../core/event.ts';

const MAX_LINES = 500;
const MAX_CALL_RECORDS = 500;
/** 4 MiB a call. Whether AWS counts before base64 is not said, so the larger count must fit, with its JSON around it. */
const MAX_CALL_BYTES = 4 * 1024 * 1024;
const RECORD_OVERHEAD_BYTES = 16;
const CALL_OVERHEAD_BYTES = 1024;
const LINE_FEED = 0x0a;

/** Each line, and so each record, ends in a line feed: S3 joins records without a delimiter. */
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

export function packCalls(records: readonly Uint8Array[]): Uint8Array[][] {
  const calls: Uint8Array[][] = [];
  let room = 0;
  for (const each of records) {
    const size = Math.ceil(each.byteLength / 3) * 4 + RECORD_OVERHEAD_BYTES;
    const call = calls.at(-1);
    if (!call || size > room || call.length === MAX_CALL_RECORDS) {
      calls.push([each]);
      room = MAX_CALL_BYTES - CALL_OVERHEAD_BYTES - size;
    } else {
      call.push(each);
      room -= size;
    }
  }
  return calls;
}

/** Line by line: joined first, one line of wide characters would make the text of all wide, and slow to encode. */
function record(lines: readonly string[], from: number, to: number, bytes: number): Uint8Array {
  const written = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (let i = from; i < to; i++) {
    at += written.write(lines[i]!, at);
    written[at++] = LINE_FEED;
  }
  return written;
}
