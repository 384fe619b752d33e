import { createHmac, timingSafeEqual } from 'node:crypto';
import { ProblemError } from './problem.ts';

/** Writes and reads the cursors of all endpoints. */
export interface Cursors {
  /** `variant` makes another cursor for the same place, so that a page without rows still moves on. */
  write(endpoint: string, seq: number, variant?: number): string;
  /** The place that the cursor stands for. Throws `request/invalid-cursor` for anything this platform did not write for this endpoint. */
  read(endpoint: string, cursor: string): number;
}

/**
 * Cursors are base64 texts joined by `&`, so they break in a URL unless the client encodes them. They bear a signature over their
 * endpoint and never expire.
 */
export function createCursors(key: Uint8Array): Cursors {
  const sign = (endpoint: string, payload: string): Buffer =>
    createHmac('sha256', key).update(`${endpoint} ${payload}`).digest().subarray(0, 16);
  return {
    write(endpoint, seq, variant = 0) {
      const payload = Buffer.from(`${seq.toString(36)}~${variant.toString(36)}>`).toString('base64');
      return `${payload}&${sign(endpoint, payload).toString('base64')}`;
    },
    read(endpoint, cursor) {
      const [payload = '', signature = '', ...rest] = cursor.split('&');
      const expected = sign(endpoint, payload).toString('base64');
      if (rest.length > 0 || !sameText(expected, signature)) {
        throw new ProblemError('request/invalid-cursor', 'The cursor was not issued by this endpoint.');
      }
      return Number.parseInt(Buffer.from(payload, 'base64').toString(), 36);
    },
  };
}

function sameText(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
