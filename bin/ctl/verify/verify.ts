/** Proof that the SIEM was sent everything: compares, waits for what is on its way, and looks again at what differs. */
import { STREAMS, type StreamName, type SyncedStream } from '../../../lambda/streams.ts';
import { openAccess } from '../access/access.ts';
import type { Context } from '../context.ts';
import { streamOf } from '../inquiry/inquire.ts';
import { scheduleIsOff } from '../schedule/is-off.ts';
import { readState } from '../state/read-state.ts';
import { type Checked, checkAgain } from './check-again.ts';
import { type Comparison, compare, unconfirmedAgain } from './compare.ts';
import { nextRunEnded } from './next-run.ts';

export interface VerifiedStream extends Comparison {
  /** Nothing while nothing was checked again: what differs may only be on its way. */
  readonly checked: Checked | undefined;
}

export interface Verification {
  readonly streams: readonly VerifiedStream[];
  /** No run came that could have settled what differs, because the schedule is off. */
  readonly paused: boolean;
}

export interface VerifyOptions {
  /** Seconds to wait for a run that mends what is only on its way; 0: nothing is checked again. */
  readonly wait: number;
}

/**
 * @param names nothing: every stream that is on and whose rows are remembered one by one
 * @throws RefusedError, AwsCallError; as the API's client does
 */
export async function verify(
  context: Context,
  names: readonly StreamName[],
  { wait }: VerifyOptions,
): Promise<Verification> {
  const { aws, clock, report } = context;
  const access = await openAccess(context);
  const { table } = await context.deployment();
  // Before the walk, which may take long: nobody should wait for it to hear that it cannot prove what they want.
  if (wait > 0 && (await scheduleIsOff(context))) report.say(PAUSED);
  const begun = clock.now();
  const comparisons = await compare(
    context,
    access,
    streamsOf(names, name => streamOf(access, name)),
  );
  const count = comparisons.reduce((sum, { found, unconfirmed }) => sum + found.length + unconfirmed, 0);
  const paused = count > 0 && wait > 0 && (await scheduleIsOff(context));
  if (count === 0 || wait === 0 || paused) {
    return { streams: comparisons.map(each => ({ ...each, checked: undefined })), paused };
  }
  const lease = async () => (await readState(aws, table, clock.now())).lease;
  const epoch = (await lease())?.epoch ?? 0;
  report.say(
    `${count} ids differ or are in doubt. They may be on their way: waiting for the next run to end, for ${wait} s at most.`,
  );
  const ended = await nextRunEnded(context, { lease, epoch, wait });
  const verified: VerifiedStream[] = [];
  for (const each of comparisons) {
    const checked = ended && each.found.length > 0 ? await checkAgain(access, each, begun) : undefined;
    verified.push({ ...each, checked });
  }
  return { streams: await unconfirmedAgain(access, verified), paused };
}

const PAUSED =
  'The schedule is off, so no run will come that settles what is only on its way: what differs is told at once, not confirmed.';

function streamsOf(names: readonly StreamName[], find: (name: StreamName) => SyncedStream): SyncedStream[] {
  const remembered = STREAMS.filter(({ hasRowStates }) => hasRowStates).map(({ name }) => name);
  return [...new Set(names.length > 0 ? names : remembered)].map(find);
}
