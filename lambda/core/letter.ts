/** A dead letter as it lies in the bucket: see adapters/dead-letter.ts. */
import type { DeadLetter } from '../ports.ts';
import { STREAMS } from '../streams.ts';

export type Letter = Pick<DeadLetter, 'stream' | 'reason' | 'text'>;

/** Where a letter lies, and whose it is. */
export interface LetterPlace {
  readonly key: string;
  readonly stream: DeadLetter['stream'];
}

const ROW_MEMBER = ',"row":';
const REASONS: readonly string[] = [
  'not-an-object',
  'no-id',
  'id-too-long',
  'oversize',
] satisfies DeadLetter['reason'][];

/** The row is the last member, and stays the text that it is. @returns nothing when this is no letter of this version */
export function readLetter(body: string): Letter | undefined {
  // The members before the row are names, so the first match is the row's.
  const at = body.indexOf(ROW_MEMBER);
  const end = body.lastIndexOf('}');
  if (at < 0 || end < at) return undefined;
  const head = parsed(`${body.slice(0, at)}}`);
  const stream = STREAMS.find(each => each.name === head?.['stream'])?.name;
  const reason = REASONS.find(each => each === head?.['reason']) as DeadLetter['reason'] | undefined;
  return stream && reason && { stream, reason, text: body.slice(at + ROW_MEMBER.length, end) };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
