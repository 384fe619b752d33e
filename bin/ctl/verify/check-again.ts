/** Which differences last: each is looked at once more, after a run has had the time to mend what was only on its way. */
import type { RowState, StoredState } from '../../../lambda/ports.ts';
import type { Access } from '../access/access.ts';
import { type Answer, askForRow, isGone } from '../inquiry/answer.ts';
import { isTrue, resultOf } from '../inquiry/verdict.ts';
import type { Comparison } from './compare.ts';
import type { Difference } from './difference.ts';

export interface Checked {
  /** They last. */
  readonly confirmed: readonly Difference[];
  /** Their state has moved meanwhile, and a single read does not say whether to what the list holds. */
  readonly moved: readonly Difference[];
  /** Nothing differs any more. */
  readonly resolved: number;
}

/** Beyond these the API is not asked one by one; such differences count as lasting. */
const MOST_SINGLE_READS = 1_000;
const PIECE = 100;

export type Compared = Pick<Comparison, 'stream' | 'found' | 'generation'>;

/**
 * @param begun when the comparison began, in milliseconds since 1970
 * @throws AwsCallError; as the API's client does
 */
export async function checkAgain(
  access: Access,
  { stream, found: differences, generation }: Compared,
  begun: number,
): Promise<Checked> {
  const confirmed: Difference[] = [];
  const moved: Difference[] = [];
  let resolved = 0;
  let asked = 0;
  for (let from = 0; from < differences.length; from += PIECE) {
    const piece = differences.slice(from, from + PIECE);
    const states = await access.rowStates.get(
      stream.name,
      piece.flatMap(({ id }) => id ?? []),
    );
    for (const each of piece) {
      const state = each.id === undefined ? undefined : states.get(each.id);
      const stale = each.kind === 'stale' && !isOf(generation, state);
      if (!stale && agrees(each, state)) resolved++;
      else if (each.id === undefined || stale || asked++ >= MOST_SINGLE_READS) confirmed.push(each);
      else {
        const outcome = checked(await askForRow(access, stream, each.id), state, begun);
        if (outcome === 'resolved') resolved++;
        else (outcome === 'moved' ? moved : confirmed).push(each);
      }
    }
  }
  return { confirmed, moved, resolved };
}

function isOf(generation: number, state: StoredState | undefined): boolean {
  return state !== undefined && !(state instanceof Error) && state.generation >= generation;
}

/** Whether the state says by now what the list said. */
function agrees({ listed, rowHash }: Difference, state: StoredState | undefined): boolean {
  if (!state || state instanceof Error) return false;
  if (!listed) return state.removed;
  return state.rowHash === rowHash && state.removed === (listed === 'tombstone');
}

/** By the API's answer now: the row may have changed again since it was listed. */
function checked(answer: Answer, state: StoredState | undefined, begun: number): 'resolved' | 'moved' | 'lasts' {
  if (state instanceof Error) return 'lasts';
  // Listed, and gone before it could be sent.
  if (!state) return isGone(answer) ? 'resolved' : 'lasts';
  if (isTrue(resultOf(answer, state))) return 'resolved';
  return hasMoved(state, begun) && !isGone(answer) ? 'moved' : 'lasts';
}

function hasMoved({ forwardedAt }: RowState, begun: number): boolean {
  return Date.parse(forwardedAt) >= begun;
}
