/** One invocation: obey the order within the time given, report, and reject if any stream failed. */
import type { Telemetry } from './adapters/telemetry.ts';
import type { Tokens } from './adapters/token.ts';
import { StreamsFailedError } from './core/errors.ts';
import type { LetterOutcome } from './core/redrive.ts';
import type { StreamResult } from './core/run.ts';
import { type TickOutcome, tick } from './core/tick.ts';
import { parseOrder } from './order.ts';
import type { Settings } from './settings.ts';
import { assign, createWorld, type Edges } from './world.ts';

export interface InvocationContext {
  /** Lambda's own; a bare process may leave it out and gets Lambda's longest. */
  getRemainingTimeInMillis?(): number;
}

export interface InvocationResult {
  readonly streams: Record<string, StreamResult>;
  /** There is more to read: the time budget ended first. The next run goes on from there. */
  readonly more: boolean;
  /** What became of each dead letter that was ordered to be tried again; present only then. */
  readonly letters?: readonly LetterOutcome[];
  /** Another run holds the lease; present only then. */
  readonly leaseHeld?: true;
}

export interface Invoker {
  readonly settings: Settings;
  readonly edges: Edges;
  readonly tokens: Tokens;
  readonly telemetry: Telemetry;
  /** Resident memory in bytes. */
  readonly memory: () => number;
}

/** Lambda runs no invocation for longer. */
const LONGEST_MILLISECONDS = 900_000;
/** What is kept to finish the page at hand, save and report. */
const RESERVE_MILLISECONDS = 30_000;
const RESERVE_SHARE = 0.1;

/** @throws StreamsFailedError after all streams have finished; CommandError, LeaseBusyError, StateError */
export async function invoke(
  payload: unknown,
  context: InvocationContext | undefined,
  invoker: Invoker,
): Promise<InvocationResult> {
  const { settings, edges, telemetry } = invoker;
  const order = parseOrder(
    payload,
    assign(settings).streams.map(each => each.name),
    settings.connector,
  );
  const timeLeft = clockOf(context, edges);
  const reserve = Math.min(RESERVE_MILLISECONDS, timeLeft() * RESERVE_SHARE);
  const { world, lease, warmUp } = createWorld(settings, edges, invoker.tokens, () => timeLeft() - reserve / 2);
  const outcome = await tick({
    world,
    lease,
    warmUp,
    assignment: assign(settings, order.streams),
    commands: order,
    outOfTime: () => timeLeft() <= reserve,
  });
  telemetry.report({ outcome, timeLeft: timeLeft(), memory: invoker.memory() });
  return conclude(outcome, edges);
}

/** @returns milliseconds until the invocation must have ended */
function clockOf(context: InvocationContext | undefined, { clock }: Edges): () => number {
  const end = clock.now() + LONGEST_MILLISECONDS;
  return () => context?.getRemainingTimeInMillis?.() ?? end - clock.now();
}

function conclude({ leaseHeld, results, failures, letters }: TickOutcome, { log }: Edges): InvocationResult {
  if (leaseHeld) {
    log.info('Another run holds the lease; this one leaves the work to it');
    return { streams: {}, more: false, leaseHeld: true };
  }
  for (const [stream, error] of failures) log.error('A stream failed', error, { stream });
  if (failures.size > 0) throw new StreamsFailedError(failures, results.size);
  const more = [...results.values()].some(result => !result.caughtUp);
  log.info(more ? 'The time budget ended before the streams did' : 'Every stream is drained', { more });
  return { streams: Object.fromEntries(results), more, ...(letters.length > 0 && { letters }) };
}
