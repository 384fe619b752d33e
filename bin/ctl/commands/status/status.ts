import { Command } from 'commander';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { helpText, type RunAction } from '../../command.ts';
import { type Context, connectorContext } from '../../context.ts';
import { listConnectors } from '../../deployment.ts';
import { RefusedError } from '../../errors.ts';
import { groupBy } from '../../group-by.ts';
import { joinTexts, paint, painted, type ReportText } from '../../painted.ts';
import { tryRead } from '../../read-result.ts';
import type { CommandOutcome } from '../../report.ts';
import { alarmsInAlarm, healthOf, healthText } from './health.ts';
import { takeSnapshot } from './snapshot.ts';
import { statusJson } from './status-json.ts';
import { STATUS_PAINT, statusText } from './status-text.ts';

export function statusCommand(run: RunAction): Command {
  return new Command('status')
    .description('show whether the SIEM is up to date, with the state of each stream; changes nothing')
    .option('--all', 'one line for each connector of account and region, the worst first')
    .addHelpText('after', helpText(MEANING, 'status', 'status --connector acme --json', 'status --all'))
    .action(run((context, { all }: { readonly all?: boolean }) => (all ? statusOfAll(context) : statusOf(context))));
}

const MEANING = `States of a stream:
  caught up     the last run reached the end
  backfilling   runs exceed their time budget, or the first run has not ended
  failing       the last run failed
  late          no run has ended for three intervals of the schedule, or no run has reached the end for half an hour more
  silent        no run has reported for a day
  unreadable    another version wrote the saved state
  never run, off, unknown
Rows are counted for the last 24 hours, dead letters in the bucket. "last success" has a resolution of a minute.
In JSON "checkpoint" is the saved state of a stream: everything up to "committedSequence" is sent and recorded, and
"batchOpen" says that a run was killed within a batch, which the next run finishes.
To repeat it every 15 seconds: watch -n 15 ${CONNECTORCTL.command} status

Exit status 3: an alarm fires, a stream is failing, unreadable, late or silent, the last deployment failed, alarms are muted or
missing while the schedule is on, or a part cannot be read. A paused schedule and dead letters do not change the exit status.
With --all, the worst connector decides the exit status. A connector that cannot be read has a line, too.`;

async function statusOf(context: Context): Promise<CommandOutcome> {
  const snapshot = await takeSnapshot(context);
  const health = healthOf(snapshot);
  return {
    text: statusText(snapshot, health),
    json: statusJson(snapshot, health),
    status: health.status === 'unhealthy' ? 3 : 0,
  };
}

/** @throws RefusedError if there is no connector; AwsCallError */
async function statusOfAll(context: Context): Promise<CommandOutcome> {
  const { aws, options, report } = context;
  if (options.connector !== undefined || options.stack !== undefined) {
    throw new RefusedError('--all takes neither --connector nor --stack. Nothing was done.');
  }
  const connectors = await listConnectors(aws);
  if (connectors.length === 0) {
    throw new RefusedError('There is no connector there. Use --region or --profile, or deploy one.');
  }

  using progress = report.progress(`Reading ${connectors.length} connectors.`);
  const lines = await runFourAtATime(connectors, async ({ connector, deployment }) => {
    const line = await lineOf(connector, { ...context, ...connectorContext(aws, deployment) });
    progress.advance(connector);
    return line;
  });
  return outcomeOfConnectors(lines);
}

/**
 * Runs four tasks at a time, because each connector takes some 20 calls, and AWS limits
 * DescribeAlarms to 9 calls per second.
 */
export async function runFourAtATime<Item, Result>(items: readonly Item[], task: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += 4) {
    results.push(...(await Promise.all(items.slice(from, from + 4).map(task))));
  }
  return results;
}

/**
 * The line of `status --all` about one connector. A connector that cannot be read has a line, too.
 */
export interface ConnectorLine {
  readonly connector: string;
  readonly kind: 'not readable' | keyof typeof STATUS_PAINT;
  /** Whether a critical alarm fires. */
  readonly isCritical: boolean;
  readonly text: ReportText;
  readonly json: object;
}

async function lineOf(connector: string, context: Context): Promise<ConnectorLine> {
  const read = await tryRead(() => takeSnapshot(context), context.signal);
  if ('notReadable' in read) {
    const text = paint.bad(`not readable: ${read.notReadable}`);
    return { connector, kind: 'not readable', isCritical: false, text, json: read };
  }
  const health = healthOf(read.value);
  return {
    connector,
    kind: health.status,
    isCritical: alarmsInAlarm(read.value).some(({ severity }) => severity === 'critical'),
    text: STATUS_PAINT[health.status](healthText(health)),
    json: statusJson(read.value, health),
  };
}

const WORST_FIRST = ['not readable', 'critical', 'unhealthy', 'paused', 'in progress', 'healthy'];

export function outcomeOfConnectors(lines: readonly ConnectorLine[]): CommandOutcome {
  const rank = ({ kind, isCritical }: ConnectorLine) => WORST_FIRST.indexOf(isCritical ? 'critical' : kind);
  const sorted = lines.toSorted((a, b) => rank(a) - rank(b) || (a.connector < b.connector ? -1 : 1));
  const width = Math.max(...lines.map(({ connector }) => connector.length));
  const kinds = [...groupBy(sorted, ({ kind }) => kind)].map(([kind, of]) => `${of.length} ${kind}`);
  return {
    text: joinTexts([
      ...sorted.map(({ connector, text }) => painted`${connector.padEnd(width)}  ${text}`),
      '',
      kinds.join(', '),
    ]),
    json: { connectors: sorted.map(({ connector, json }) => ({ connector, ...json })) },
    status: lines.some(({ kind }) => kind === 'not readable' || kind === 'unhealthy') ? 3 : 0,
  };
}
