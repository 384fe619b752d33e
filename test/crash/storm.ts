/** The connector's processes, killed one after the other amid their work, while the estate lives; then calm. */

import type { Outcome } from './connector-process.ts';
import { drawMoment, type Moment } from './moment.ts';

export interface FaultParts {
  /** Runs the connector once, killed at that moment if it lives so long. */
  readonly run: (moment?: Moment) => Promise<RunOutcome>;
  readonly random: () => number;
  readonly kills: number;
  /** Lets the estate stand still. */
  readonly stopTraffic: () => Promise<void>;
  /** Epoch of the newest lease. */
  readonly epoch: () => Promise<number>;
  readonly onRun: (tally: FaultTally) => void;
}

export interface RunOutcome {
  readonly outcome: Outcome;
  /** AWS action at which the run was killed. */
  readonly killedAt: string | undefined;
}

export interface FaultTally {
  kills: number;
  /** By place and AWS action. */
  readonly killedAt: Map<string, number>;
  runs: number;
  completed: number;
  /** Runs that found the lease of a killed one, or that lost their own on a slow machine. */
  leaseHeld: number;
  leaseLost: number;
  readonly completedEpochs: Set<number>;
  readonly failures: string[];
}

/** Runs in the calm until one has nothing to do: those that wait for the last lease among them. */
const MAX_QUIET_RUNS = 60;

export async function faultInjection(parts: FaultParts): Promise<FaultTally> {
  const tally: FaultTally = {
    kills: 0,
    killedAt: new Map(),
    runs: 0,
    completed: 0,
    leaseHeld: 0,
    leaseLost: 0,
    completedEpochs: new Set(),
    failures: [],
  };
  while (tally.kills < parts.kills && tally.failures.length === 0) {
    await runOnce(parts, tally, drawMoment(parts.random));
  }
  await parts.stopTraffic();
  for (let runs = 0; runs < MAX_QUIET_RUNS && tally.failures.length === 0; runs++) {
    if (isQuiet(await runOnce(parts, tally))) return tally;
  }
  if (tally.failures.length === 0) tally.failures.push(`After ${MAX_QUIET_RUNS} runs in the calm there is still news.`);
  return tally;
}

async function runOnce(parts: FaultParts, tally: FaultTally, moment?: Moment): Promise<Outcome> {
  const { outcome, killedAt } = await parts.run(moment);
  tally.runs += 1;
  if (outcome === 'killed') {
    tally.kills += 1;
    const place = `${moment?.place} ${killedAt}`;
    tally.killedAt.set(place, (tally.killedAt.get(place) ?? 0) + 1);
  } else if ('error' in outcome) {
    if (outcome.error.includes('LeaseLostError')) tally.leaseLost += 1;
    else tally.failures.push(`A run failed that was not killed: ${outcome.error}`);
  } else if (outcome.leaseHeld) tally.leaseHeld += 1;
  else {
    tally.completed += 1;
    tally.completedEpochs.add(await parts.epoch());
  }
  parts.onRun(tally);
  return outcome;
}

function isQuiet(outcome: Outcome): boolean {
  if (outcome === 'killed' || 'error' in outcome || outcome.leaseHeld || outcome.more) return false;
  return Object.values(outcome.streams).every(({ forwarded, withdrawn }) => forwarded + withdrawn === 0);
}
