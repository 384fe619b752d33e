import { TEST_EVENT } from '../../../../lib/test-event.ts';

/** Meaning of each kind of event for its id. */
export const MEANING = {
  upsert: 'exists',
  oversize: 'exists',
  tombstone: 'gone',
  withdrawn: 'gone',
  dns_block: 'happened',
  [TEST_EVENT.kind]: 'nothing',
} as const;

export type Kind = keyof typeof MEANING;

/**
 * Whether an event of this kind is counted. Test events are not, nor kinds of later releases, whose
 * meaning is unknown here.
 */
export function isCounted(kind: string): kind is Kind {
  return kind in MEANING && MEANING[kind as Kind] !== 'nothing';
}
