import { Argument, Command } from 'commander';
import { STREAMS, type StreamName } from '../../../../lambda/streams.ts';
import { openAccess, requireStream } from '../../access.ts';
import { helpText, type RunAction, STREAM_NAMES, wholeNumberParser } from '../../command.ts';
import type { Context } from '../../context.ts';
import { scheduleIsOff } from '../../schedule.ts';
import { isBatchOpen, type LeaseState, readState } from '../../state.ts';
import { checkDifferencesAgain } from './check-again.ts';
import { compareStreams, readSavedStreams } from './compare.ts';
import { type Verification, type VerifiedStream, verifyOutcome } from './verify-result.ts';

const WAIT_SECONDS = 180;
const NAMED_IDS = 20;

export function verifyCommand(run: RunAction): Command {
  return new Command('verify')
    .description('compare every row at the API with its last event; changes nothing')
    .addArgument(
      new Argument('[stream...]', 'which streams; DNS blocks are only counted')
        .choices(STREAM_NAMES)
        .default([], 'assets and threats'),
    )
    .option(
      '--wait <seconds>',
      'how long to wait for the next run, after which differences are checked again',
      wholeNumberParser(),
      WAIT_SECONDS,
    )
    .option('--limit <n>', 'number of ids to print for each kind', wholeNumberParser(), NAMED_IDS)
    .addHelpText('after', helpText(MEANING, 'verify', 'verify threats --wait 0 --json'))
    .action(
      run(async (context, streams: readonly StreamName[], { wait, limit }: Options) =>
        verifyOutcome(await verify(context, streams, wait), limit),
      ),
    );
}

interface Options {
  /** Seconds to wait for the next run. If 0, differences are not checked again. */
  readonly wait: number;
  readonly limit: number;
}

const MEANING = `It finds rows that were never sent, were sent with other content or as removed, are live at the SIEM but removed from the API or
excluded by the filter, await a replay, or whose row state cannot be read. It waits for the next run to end, and checks each
difference again, because that run may send it. The remaining differences are confirmed. With --wait 0, or while the schedule is
off ("paused" in JSON), nothing is confirmed. DNS blocks are only counted: for them alone "complete" is null in JSON.
The first line has the sums of the table below it, in ids. "ids equal" counts ids of the API's list whose last row is the last row
that was sent to the SIEM. It is smaller than "rows listed" by repeated rows, rows that a filter excludes, rows that cannot become
events, tombstones of ids that were never sent, and ids that differ. "differed" also counts ids that only the SIEM has.
It reads the whole table, and needs about 240 MB of memory for a million ids.
The output names the command that heals the differences: "resync" if the row state differs from the API, but "resync --send-all"
if the row state equals the API.

Exit status 3: ids differ after the next run, no run ended in time, the schedule is off, a batch is open, or there are
dead letters. While the schedule is off, the command does not wait.
It compares with the events that Firehose acknowledged, but does not query the SIEM. If the SIEM lost rows that are equal here,
use "resync --send-all".`;

/**
 * Compares the rows, waits for the next run, and checks the differences again.
 *
 * @param names streams to compare; if empty, every stream with row states
 * @throws RefusedError, AwsCallError; the errors of the API's client
 */
async function verify(context: Context, names: readonly StreamName[], wait: number): Promise<Verification> {
  const { aws, clock, report } = context;
  const access = await openAccess(context);
  const { table } = await context.deployment();
  // The note comes before the comparison, which may take long, because without a run the
  // differences cannot be confirmed.
  if (wait > 0 && (await scheduleIsOff(context))) report.say(PAUSED);

  const begun = clock.now();
  const streams = [...new Set(names.length > 0 ? names : WITH_STATES)].map(name => requireStream(access, name));
  const comparisons = await compareStreams(context, access, streams);
  const count = comparisons.reduce((sum, { found, batchOpen }) => sum + found.length + Number(batchOpen), 0);
  const paused = count > 0 && wait > 0 && (await scheduleIsOff(context));
  if (count === 0 || wait === 0 || paused) {
    return { streams: comparisons.map(each => ({ ...each, checked: undefined })), paused };
  }

  const lease = async () => (await readState(aws, table, clock.now())).lease;
  const epoch = (await lease())?.epoch ?? 0;
  report.say(
    `${count} ids differ or belong to an open batch. They may not be sent yet. Waiting up to ${wait} s for the next run to end.`,
  );
  const ended = await waitForNextRun(context, lease, epoch, wait);

  const verified: VerifiedStream[] = [];
  for (const comparison of comparisons) {
    const checked =
      ended && comparison.found.length > 0 ? await checkDifferencesAgain(access, comparison, begun) : undefined;
    verified.push({ ...comparison, checked });
  }
  // Batches are read again, because a run in progress has an open batch until it commits that
  // batch.
  const saved = await readSavedStreams(access, streams);
  return {
    streams: verified.map(each => ({ ...each, batchOpen: isBatchOpen(saved.get(each.stream.name)!) })),
    paused,
  };
}

const PAUSED =
  'The schedule is off, so no run will send the missing rows. Differences are reported without confirmation.';

const WITH_STATES = STREAMS.filter(({ hasRowStates }) => hasRowStates).map(({ name }) => name);

const PAUSE_MILLISECONDS = 1_000;

type ReadLease = () => Promise<LeaseState | undefined>;

/**
 * Waits until a run later than `epoch` has ended cleanly.
 *
 * @returns whether it ended in time
 * @throws the signal's reason at Ctrl-C
 */
export async function waitForNextRun({ clock, signal }: Context, lease: ReadLease, epoch: number, wait: number) {
  const end = clock.now() + wait * 1000;
  for (;;) {
    const seen = await lease();
    if (seen && seen.epoch > epoch && seen.ended === 'clean') return true;
    const left = end - clock.now();
    if (left <= 0) return false;
    await clock.sleep(Math.min(PAUSE_MILLISECONDS, left), signal);
  }
}
