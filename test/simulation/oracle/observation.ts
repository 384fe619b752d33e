/** Everything that a history leaves behind for the checks. */

import type { StreamName } from '../../../lambda/streams.ts';
import type { Truth } from '../../../local/platform/truth.ts';
import type { ReceivedEvent } from '../../support/siem.ts';

export interface Observation {
  /** In the order of arrival. */
  readonly events: ReceivedEvent[];
  /** Bodies of the dead letters. */
  readonly letters: string[];
  /** By stream: when the SIEM lost what it had, and asked for a replay. */
  readonly lostBefore: Map<StreamName, number>;
  /** Whether the API delivered a row that can be no event. */
  badRow: boolean;
  /** Faults that the walk of the history itself showed, such as a cursor saved too early. */
  readonly violations: string[];
  /** Virtual times at which something happened after which an event may come again. */
  readonly disturbances: number[];
  /** Of the rows that the filters keep. */
  truth: Truth;
  /** Stream and id of the live rows that the filters exclude, and of those that a filter excluded when they were read. */
  withheld: ReadonlySet<string>;
  /** Ticks that it took after the faults until a tick had nothing to do. */
  ticksToQuiet: number;
  /** Whether a walk began again, by a command or because a cursor was refused. Then older versions may be sent again. */
  replayed: boolean;
  /** Milliseconds before which no row is sent again. Absent: rows are not refreshed. */
  readonly refreshAfter: number | undefined;
  /** Whether the platform keeps every version where it was delivered. */
  readonly everyVersion: boolean;
  readonly seen: Tally;
}

/** What the history contained. */
export interface Tally {
  ticks: number;
  kills: number;
  zombies: number;
  overlaps: number;
  faults: number;
  changes: number;
  removals: number;
  restores: number;
  leaseHeld: number;
  /** Dead letters stored. */
  letters: number;
  /** Histories whose pages are written in several batches. */
  wide: number;
  /** Histories in which many assets are removed between two polls. */
  massRemovals: number;
  /** Kills of a run in the middle of its withdrawals. */
  killsWhileWithdrawing: number;
  /** Rows sent again so that the SIEM does not forget them. */
  refreshed: number;
  /** Deployments of filters. */
  filters: number;
  /** Requests that a stubborn fault struck. */
  stubborn: number;
  /** Invocations in a container that an earlier one had left frozen. */
  thaws: number;
  failedTicks: number;
  budgetsSpent: number;
}

export function emptyTally(): Tally {
  return {
    ticks: 0,
    kills: 0,
    zombies: 0,
    overlaps: 0,
    faults: 0,
    changes: 0,
    removals: 0,
    restores: 0,
    leaseHeld: 0,
    letters: 0,
    wide: 0,
    massRemovals: 0,
    killsWhileWithdrawing: 0,
    refreshed: 0,
    filters: 0,
    stubborn: 0,
    thaws: 0,
    failedTicks: 0,
    budgetsSpent: 0,
  };
}
