/**
 * Kills processes of the function one after the other, while the rows of the API change. Then runs
 * the function until nothing is left to do, and compares what the SIEM received with what the API
 * would answer.
 */
import { createRandom } from '../../../local/api-simulator/random.ts';
import { createTraffic } from '../../../local/api-simulator/traffic.ts';
import { createFaultControl } from '../../../local/aws/faults.ts';
import { bundle } from '../../support/function/bundle.ts';
import { type Connector, connector } from '../../support/function/connector.ts';
import { startFunction } from '../../support/function/function-process.ts';
import { check, type Result } from '../../support/promise.ts';
import { type Moment, randomMoment, Trigger } from './trigger.ts';

export interface TrialOptions {
  readonly kills: number;
  /**
   * Seed of the rows, their changes and the moments of the kills. What each kill hits depends on
   * the machine.
   */
  readonly seed: number;
  /** Changes per second. */
  readonly traffic: number;
  readonly onRun?: (counts: RunCounts) => void;
}

export interface TrialResult extends Result {
  readonly counts: RunCounts;
  readonly events: number;
}

export interface RunCounts {
  kills: number;
  /** By what the kill lost, and the AWS action at which it happened. */
  readonly killedAt: Record<string, number>;
  runs: number;
}

/** Small pages make many calls. With a short lease the next run takes over quickly. */
const SETTINGS = { CONNECTOR_NAME: 'crash-test', PAGE_LIMIT: '25', LEASE_SECONDS: '2' };
const ROWS = { assets: 100, threats: 300, dnsBlocks: 100 };
const API = { tieSize: 3, shortPages: 0.1, emptyPages: 0.05, shuffleMembers: true };
/**
 * Most runs after the kills until one has nothing to do. Those that wait for the last lease count
 * too.
 */
const MOST_QUIET_RUNS = 60;

export async function trial({ kills, seed, traffic, onRun = () => {} }: TrialOptions): Promise<TrialResult> {
  const random = createRandom(seed);
  const watch: Watch = {};
  const faults = {
    ...createFaultControl(),
    for: (_: unknown, operation: never) => watch.trigger?.arrives(operation) ?? {},
  };
  await using code = await bundle();
  await using scene = await connector({
    simulator: { ...API, seed },
    environment: SETTINGS,
    aws: { faults, onCall: call => watch.trigger?.done(call) },
  });
  const counts: RunCounts = { kills: 0, killedAt: {}, runs: 0 };
  const run = async (moment?: Moment): Promise<boolean> => {
    const isQuiet = await runOnce({ scene, module: code.module, watch, counts }, moment);
    onRun(counts);
    return isQuiet;
  };

  scene.simulator.populate(ROWS);
  const pace = createTraffic(scene.simulator, createRandom(seed + 1));
  pace.setRate(traffic);
  try {
    while (counts.kills < kills) await run(randomMoment(random));
  } finally {
    pace.setRate(0);
  }
  let quietRuns = 0;
  while (!(await run())) if (++quietRuns > MOST_QUIET_RUNS) throw new Error('The connector does not come to rest');

  const lines = await scene.lines();
  return { ...check({ lines, truth: scene.simulator.truth() }), counts, events: lines.length };
}

/** Kills the process of the current run at its moment. */
interface Watch {
  trigger?: Trigger | undefined;
}

interface Trial {
  readonly scene: Connector;
  readonly module: URL;
  readonly watch: Watch;
  readonly counts: RunCounts;
}

/** @returns whether the run found nothing to do @throws if it failed by itself */
async function runOnce({ scene, module, watch, counts }: Trial, moment?: Moment): Promise<boolean> {
  const { kill, ended } = startFunction(module, scene.environment);
  const killAt = (action: string) => {
    watch.trigger = undefined;
    if (!kill()) return;
    const place = `${moment?.place} ${action}`;
    counts.killedAt[place] = (counts.killedAt[place] ?? 0) + 1;
  };
  // The process is still loading its code, so this is long before its first call.
  watch.trigger = moment && new Trigger(moment, killAt);
  const { outcomes, signal, stderr } = await ended;
  watch.trigger = undefined;
  counts.runs += 1;
  const [outcome] = outcomes;
  if (signal === 'SIGKILL') {
    counts.kills += 1;
    return false;
  }
  if (!outcome) throw new Error(`A run ended without an outcome: ${stderr}`);
  // A run may find the lease of a killed run, or lose its own on a slow machine.
  if ('error' in outcome) {
    if (outcome.error.includes('LeaseLostError')) return false;
    throw new Error(`A run failed that was not killed: ${outcome.error}`);
  }
  const streams = Object.values(outcome.streams);
  return (
    !outcome.leaseHeld && !outcome.more && streams.every(({ forwarded, withdrawn }) => forwarded + withdrawn === 0)
  );
}
