/** What a release of the code cannot send, simulated around the current code. */
import { type EventFormat, MAX_LINE_BYTES } from '../../../lambda/core/event.ts';
import type { Row } from '../../../lambda/core/row.ts';
import type { Release } from '../history.ts';
import { MARKS } from './tenant-data.ts';

/** Sends whatever has an id. */
export const CAPABLE: Release = { tooLong: [], refused: [] };

const PADDING = ' '.repeat(MAX_LINE_BYTES);

/** @returns the format in which the lines of some rows are too long for a record */
export function formatOf(format: EventFormat, { tooLong }: Release): EventFormat {
  if (tooLong.length === 0) return format;
  const isTooLong = ({ id, text }: Row) =>
    tooLong.some(each => (typeof each === 'number' ? text.includes(MARKS[each]!) : each === id));
  return {
    ...format,
    row: (sending, context) => format.row(sending, context) + (isTooLong(sending.row) ? PADDING : ''),
  };
}

/** Beyond what the code takes for an id. */
const TAIL = '~'.repeat(5_500);

/** @returns the answer as the release reads it: ids that it refuses are too long for it */
export function asRead(body: string, { refused }: Release): string {
  return refused.reduce((text, id) => text.replace(new RegExp(`("id":\\s*"${id})"`, 'g'), `$1${TAIL}"`), body);
}

/** @returns the dead letter with its row as the API sent it */
export function asSent(deadLetter: string): string {
  return deadLetter.replaceAll(TAIL, '');
}
