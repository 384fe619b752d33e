import { Command, Option } from 'commander';
import { help, type Run, wholeNumber } from '../../command.ts';
import type { Context } from '../../context.ts';
import { RefusedError } from '../../errors.ts';
import { joined } from '../../painted.ts';
import { tryRead } from '../../read-result.ts';
import type { Outcome } from '../../report.ts';
import { timeText } from '../../text.ts';
import { type EveryOptions, everyConnector, isEvery, type Summary, withEvery } from '../every-connector.ts';
import { type Health, healthOf, healthText, inAlarm, streamSummaries } from './health.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { recentActivity, sparklineText } from './sparklines.ts';
import { statusJson } from './status-json.ts';
import { PAINT, statusText } from './status-text.ts';

interface StatusOptions extends EveryOptions {
  /** Seconds between two updates. */
  readonly watch?: number;
}

const WATCH_SECONDS = 15;

export function statusCommand(run: Run): Command {
  const command = new Command('status')
    .description('show whether the SIEM is up to date, with the state of each stream; changes nothing')
    .addOption(
      new Option('--watch [seconds]', 'update the output until Ctrl-C')
        .preset(String(WATCH_SECONDS))
        .argParser(wholeNumber({ min: 1, unit: ' of seconds' })),
    );
  return withEvery(command, 'watch')
    .addHelpText('after', help(MEANING, 'status', 'status --stack acme --json', 'status --watch 30', 'status --all'))
    .action(run(status));
}

const MEANING = `States of a stream:
  caught up     the last run reached the end
  backfilling   runs exceed their time budget, or the first run has not ended
  failing       the last run failed
  late          no run has ended for three intervals of the schedule, or none has reached the end for half an hour more
  silent        no run has reported for a day
  unreadable    another version wrote the saved state
  never run, off, unknown
The rows are those of the last 24 hours, the dead letters those in the bucket. "last success" has a resolution of a minute.
Everything up to "committed sequence" is sent and recorded. "generation" counts replays. The next run sends the rows of
"unconfirmed" ids again. An update reads about 36 metrics for 0.03 cent.

Exit status 3: an alarm fires, a stream is failing, unreadable, late or silent, the last deployment failed, alarms are muted or
missing while the schedule is on, or a part cannot be read. A pause and dead letters do not count. --watch exits with 0 at Ctrl-C.
With --all the exit status is that of the worst connector, and one that cannot be read is a line. Fifty connectors take 651 calls,
3 seconds where AWS answers in 50 ms, and 2 cents.`;

async function status(context: Context, { watch: every, ...options }: StatusOptions): Promise<Outcome | undefined> {
  if (isEvery(options)) return everyConnector(context, options, lineOf);
  if (every === undefined) return statusOf(context);
  await watch(context, every * 1000);
  return undefined;
}

async function statusOf(context: Context): Promise<Outcome> {
  const snapshot = await takeSnapshot(context);
  const health = healthOf(snapshot);
  return {
    text: statusText(snapshot, health),
    json: statusJson(snapshot, health),
    status: health.status === 'unhealthy' ? 3 : 0,
  };
}

/** Worst first. */
const RANKS = ['unhealthy', 'paused', 'in progress', 'healthy'];

async function lineOf(context: Context): Promise<Summary> {
  const snapshot = await takeSnapshot(context);
  const health = healthOf(snapshot);
  const isCritical = inAlarm(snapshot).some(({ severity }) => severity === 'critical');
  return {
    rank: isCritical ? -1 : RANKS.indexOf(health.status),
    kind: health.status,
    text: PAINT[health.status](healthText(health)),
    json: statusJson(snapshot, health),
    isFinding: health.status === 'unhealthy',
  };
}

/** Moves the cursor to the upper left corner and erases the screen. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** Redraws a terminal, prints a line per change elsewhere, ends without an error at Ctrl-C. @param every milliseconds */
async function watch(context: Context, every: number): Promise<void> {
  const { clock, signal } = context;
  let reported = '';
  try {
    for (let current = context; ; current = await refresh(current)) {
      const snapshot = await takeSnapshot(current);
      const health = healthOf(snapshot);
      if (context.shell.stdout.isTTY && !context.report.json) {
        const activity = await tryRead(() => recentActivity(current.aws, snapshot.deployment, snapshot.now), signal);
        context.shell.stdout.write(CLEAR);
        const foot = `${timeText(snapshot.now)}, every ${every / 1000} s. Press Ctrl-C to end.`;
        context.report.print(joined([statusText(snapshot, health), sparklineText(activity), foot], '\n\n'));
      } else reported = reportChange(context, snapshot, health, reported);
      await clock.sleep(every, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Reads the stack again, since its status may change. A failed read keeps the old context. */
async function refresh(context: Context): Promise<Context> {
  const next = context.refreshed();
  try {
    await next.deployment();
    return next;
  } catch (error) {
    if (context.signal.aborted || error instanceof RefusedError) throw error;
    return context;
  }
}

/** @returns the last printed change, so that nothing is printed twice */
function reportChange({ report }: Context, snapshot: Snapshot, health: Health, reported: string): string {
  const streams = streamSummaries(snapshot).map(({ stream, condition }) => `${stream} ${condition}`);
  const change = `${healthText(health)} (${streams.join(', ')})`;
  if (change === reported) return reported;
  report.print(report.json ? JSON.stringify(statusJson(snapshot, health)) : `${timeText(snapshot.now)} ${change}`);
  return change;
}
