import { TEST } from './test-event.ts';

/** Meaning of each kind of event for its id. */
export const MEANING = {
  upsert: 'exists',
  oversize: 'exists',
  tombstone: 'gone',
  withdrawn: 'gone',
  dns_block: 'happened',
  [TEST.kind]: 'nothing',
} as const;

export type Kind = keyof typeof MEANING;

/** The kinds that count as events. A test event counts nowhere, and a kind of a later release not before its meaning is known. */
export function isCounted(kind: string): kind is Kind {
  return kind in MEANING && MEANING[kind as Kind] !== 'nothing';
}
