/**
 * Runs one invocation: applies the command within the given time, reports the outcome, and rejects
 * if any stream failed.
 */

import { type Command, parseCommand } from './command.ts';
import { type Clients, composeRun, createAssignment } from './compose.ts';
import { StreamsFailedError } from './core/errors.ts';
import { publicError } from './core/public-error.ts';
import type { StreamResult } from './core/run.ts';
import { type RunOutcome, runStreams } from './core/run-streams.ts';
import type { Settings } from './settings.ts';
import type { TokenSource } from './source/token.ts';
import type { Telemetry } from './telemetry.ts';

export interface InvocationContext {
  /**
   * Method of Lambda. A process outside Lambda may leave it out, and then has the longest time that
   * Lambda allows.
   */
  getRemainingTimeInMillis?(): number;
}

export interface InvocationResult {
  readonly streams: Record<string, StreamResult>;
  /**
   * Whether the time budget ended before all streams were read. The next run continues from there.
   */
  readonly more: boolean;
  /** Present only when another run holds the lease. */
  readonly leaseHeld?: true;
}

/** Parts that a container of the function keeps between its invocations. */
export interface ContainerParts {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly tokens: TokenSource;
  readonly telemetry: Telemetry;
  /** Returns the resident memory in bytes. */
  readonly memory: () => number;
}

/** Longest time that Lambda grants to an invocation. */
const LONGEST_MILLISECONDS = 900_000;
/** Time reserved to finish the current page, save the checkpoint and report the metrics. */
const RESERVE_MILLISECONDS = 30_000;
const RESERVE_SHARE = 0.1;

/**
 * @throws StreamsFailedError after all streams have finished; CommandError, LeaseBusyError,
 * StateError
 */
export async function invoke(
  payload: unknown,
  context: InvocationContext | undefined,
  parts: ContainerParts,
): Promise<InvocationResult> {
  const { settings } = parts;
  const on = createAssignment(settings).streams.map(({ name }) => name);
  const command = parseCommand(payload, on);
  try {
    return await run(command, context, parts);
  } catch (error) {
    // Lambda prints the error of the handler with all of its members and causes.
    throw publicError(error);
  }
}

async function run(
  command: Command,
  context: InvocationContext | undefined,
  parts: ContainerParts,
): Promise<InvocationResult> {
  const { settings, clients, telemetry } = parts;
  const timeLeft = clockOf(context, clients);
  const reserve = Math.min(RESERVE_MILLISECONDS, timeLeft() * RESERVE_SHARE);
  const { ports, lease, warmUp } = composeRun(settings, clients, parts.tokens, () => timeLeft() - reserve / 2);
  const outcome = await runStreams({
    ports,
    lease,
    warmUp,
    assignment: createAssignment(settings, command.streams),
    commands: command,
    outOfTime: () => timeLeft() <= reserve,
  });
  telemetry.report({
    outcome,
    complete: command.streams === undefined,
    timeLeft: timeLeft(),
    memory: parts.memory(),
  });
  return conclude(outcome, clients);
}

/** @returns a function that returns the milliseconds until the invocation must have ended */
function clockOf(context: InvocationContext | undefined, { clock }: Clients): () => number {
  const end = clock.now() + LONGEST_MILLISECONDS;
  return () => context?.getRemainingTimeInMillis?.() ?? end - clock.now();
}

function conclude({ leaseHeld, results, failures }: RunOutcome, { log }: Clients): InvocationResult {
  if (leaseHeld) {
    log.info('Another run holds the lease; this one leaves the work to it');
    return { streams: {}, more: false, leaseHeld: true };
  }
  if (failures.size > 0) throw new StreamsFailedError(failures, results.size);
  const more = [...results.values()].some(({ caughtUp, stalledCursors, readsAgain }) => {
    // After a stalled cursor another run would stop at the same place.
    return readsAgain || (!caughtUp && stalledCursors === 0);
  });
  log.info(more ? 'The time budget ended before the streams did' : 'Every stream was read as far as the API leads');
  return { streams: Object.fromEntries(results), more };
}
