/** Decides which rows `resync --send-all` still has to send again. */
import type { Checkpoint, RowState } from '../ports.ts';
import { epochAt, leastSequence } from './sequence.ts';

/**
 * Whether the row's last event is still to be sent again. A row that was sent after the replay
 * began has the new generation.
 *
 *     generation of the walk 12, since 10:00
 *     state  generation 11, sent at 11:00   is sent again
 *     state  generation 12, sent at 12:01   was sent again, or has changed since 12:00
 *     state  generation 11, sent at 9:00    is not sent: older than the time that the operator gave
 */
export function awaitsReplay(
  state: Pick<RowState, 'generation' | 'sequence'>,
  { generation, second }: Pick<Checkpoint, 'generation' | 'second'>,
): boolean {
  const least = second?.since === undefined ? '' : leastSequence(epochAt(second.since));
  return second?.mode === 'all' && state.generation < generation && state.sequence >= least;
}
