/** Decides from the API's answer and the row state whether the SIEM's copy of a row is current. */
import { awaitsReplay } from '../../../../lambda/core/replay.ts';
import type { RowState, SavedStream } from '../../../../lambda/ports.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { isBatchOpen } from '../../state.ts';
import type { RowAnswer } from './answer.ts';

export interface LookupResult {
  /** Whether the SIEM's copy is current. */
  readonly current: boolean;
  readonly meaning: string;
  readonly remedy: string;
}

const LATER = `Repeat the command after the next run. If the result stays, "${CONNECTORCTL.command} resync" of the stream heals it.`;

const current = (meaning: string): LookupResult => ({ current: true, meaning, remedy: '' });
const other = (meaning: string, remedy = LATER): LookupResult => ({ current: false, meaning, remedy });

export const LOOKUP_RESULTS = {
  same: current('The SIEM was sent the row that the API returns.'),
  removed: current('The SIEM was sent the removal, and the API no longer has the row.'),
  filtered: current('The filter excludes the row, and the SIEM does not have it.'),
  'not withdrawn': other('The filter excludes the row, and the SIEM has it until the next run that reads it.'),
  'not removed': other('The API no longer has the row, and the SIEM was not sent its removal.'),
  differs: other('The SIEM was sent another version, or the removal.'),
  'never sent': other('The SIEM was never sent the row.'),
  'not found': other('The API does not have the row, and the SIEM was never sent it.', 'Check the id.'),
  'too large': other(
    'The row is too large. The SIEM was sent an oversize event, and the row is a dead letter.',
    `"${CONNECTORCTL.command} dead-letters list" shows it.`,
  ),
  'awaits a replay': other(
    'The SIEM was sent the row before the last "resync --send-all", and not since.',
    `Repeat the command after the next run. If the result stays, repeat "${CONNECTORCTL.command} resync --send-all" of the stream.`,
  ),
  unfinished: other('A run was killed within a batch, which may hold another version. The next run finishes it.', ''),
  unknown: other('The row state or the answer of the API cannot be read.', ''),
} satisfies Readonly<Record<string, LookupResult>>;

export type LookupResultName = keyof typeof LOOKUP_RESULTS;

/** @param stored row state, undefined if the id was never sent */
export function lookupResultOf(answer: RowAnswer, stored: RowState | undefined): LookupResultName {
  if (answer.kind === 'unclear') return 'unknown';
  const isLive = stored?.status === 'live';
  if (answer.kind === 'row' && answer.row.filter === 'filtered') return isLive ? 'not withdrawn' : 'filtered';
  if (!stored) return answer.kind === 'row' && !answer.row.deleted ? 'never sent' : 'not found';

  if (answer.kind !== 'row') return isLive ? 'not removed' : 'removed';
  if (isLive === answer.row.deleted) return 'differs';
  // The SIEM never had the row, so the tombstone is not sent.
  if (stored.rowHash === '') return 'removed';
  if (stored.rowHash !== answer.row.rowHash) return 'differs';
  return isLive ? 'same' : 'removed';
}

/** @returns undefined if the row state can be relied on */
export function unsettledResult(
  stored: RowState | undefined,
  saved: SavedStream | Error | undefined,
): LookupResultName | undefined {
  if (!saved) return undefined;
  if (saved instanceof Error) return 'unknown';
  if (isBatchOpen(saved)) return 'unfinished';
  const isDue = stored?.status === 'live' && awaitsReplay(stored, saved.checkpoint);
  return isDue ? 'awaits a replay' : undefined;
}

export function isCurrentResult(result: LookupResultName): boolean {
  return LOOKUP_RESULTS[result].current;
}
