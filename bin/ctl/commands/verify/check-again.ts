/**
 * Checks each difference again after the next run, because that run sends the changes that were not
 * sent yet.
 */
import { awaitsReplay } from '../../../../lambda/core/replay.ts';
import type { RowState } from '../../../../lambda/ports.ts';
import type { ConnectorAccess } from '../../access.ts';
import { askForRow, isRowGone, type RowAnswer } from '../lookup/answer.ts';
import { isCurrentResult, lookupResultOf } from '../lookup/result.ts';
import type { StreamComparison } from './compare.ts';
import type { Difference } from './id-index.ts';

export type SecondCheck = Awaited<ReturnType<typeof checkDifferencesAgain>>;

/**
 * Largest number of single reads at the API. Further differences count as confirmed without a read.
 */
const MOST_SINGLE_READS = 1_000;
const IDS_PER_READ = 100;

/**
 * @param begun time at which the comparison began, in milliseconds since 1970
 * @throws AwsCallError; the errors of the API's client
 */
export async function checkDifferencesAgain(
  access: ConnectorAccess,
  { stream, found: differences, checkpoint }: Pick<StreamComparison, 'stream' | 'found' | 'checkpoint'>,
  begun: number,
) {
  /** Differences that still exist. */
  const confirmed: Difference[] = [];
  /**
   * Differences whose rows were sent again after the comparison. They stay unconfirmed, because a
   * single read may have other members than the list.
   */
  const moved: Difference[] = [];
  /** Number of ids that no longer differ. */
  let resolved = 0;
  let asked = 0;
  for (let from = 0; from < differences.length; from += IDS_PER_READ) {
    const piece = differences.slice(from, from + IDS_PER_READ);
    const ids = piece.flatMap(({ id }) => id ?? []);
    const states = await access.readRowStates(stream.name, ids);

    for (const difference of piece) {
      const { id, kind } = difference;
      const state = id === undefined ? undefined : states.get(id);
      const stale = kind === 'stale' && (state === undefined || awaitsReplay(state, checkpoint));
      const isAsked = id !== undefined && !stale && asked < MOST_SINGLE_READS;
      if (!stale && agrees(difference, state)) resolved++;
      else if (!isAsked) confirmed.push(difference);
      else {
        asked++;
        const outcome = checked(await askForRow(access, stream, id), state, begun);
        if (outcome === 'resolved') resolved++;
        else (outcome === 'moved' ? moved : confirmed).push(difference);
      }
    }
  }
  return { confirmed, moved, resolved };
}

/** Whether the row state now equals the row that the API listed. */
function agrees({ listed, listedHash }: Difference, state: RowState | undefined): boolean {
  if (listed === 'filtered') return state?.status !== 'live';
  if (!state) return false;
  if (!listed) return state.status !== 'live';
  return state.rowHash === listedHash && (state.status !== 'live') === (listed === 'tombstone');
}

/**
 * Compares the row state with the API's current answer, because the row may have changed since it
 * was listed.
 */
function checked(answer: RowAnswer, state: RowState | undefined, begun: number): 'resolved' | 'moved' | 'lasts' {
  if (isCurrentResult(lookupResultOf(answer, state))) return 'resolved';
  // The row was removed before it could be sent.
  if (!state) return isRowGone(answer) ? 'resolved' : 'lasts';
  return Date.parse(state.forwardedAt) >= begun && !isRowGone(answer) ? 'moved' : 'lasts';
}
