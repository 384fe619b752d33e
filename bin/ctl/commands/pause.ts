import { Command } from 'commander';
import { mute, unmute } from '../alarms/mute.ts';
import { type Alarms, readAlarms } from '../alarms/read-alarms.ts';
import type { Aws } from '../aws.ts';
import { examples, type Run } from '../command.ts';
import type { Context } from '../context.ts';
import { durationText, timeText } from '../report/time-text.ts';
import { readSchedule, type Schedule, switchSchedule } from '../schedule/schedule.ts';

export function pauseCommand(run: Run): Command {
  return new Command('pause')
    .description('switch the schedule off; nothing is lost, and the next run goes on')
    .option('--mute', 'tell nobody of alarms either, until "resume"')
    .addHelpText('after', examples('pause', 'pause --stack acme --mute'))
    .action(run((context, { mute: muting }: { readonly mute?: true }) => pause(context, muting === true)));
}

/** Everything is read before anything is changed, and people are spared before the silence begins. */
async function pause({ aws, deployment }: Context, muting: boolean) {
  const { connector, scheduleName } = await deployment();
  const schedule = await readSchedule(aws, scheduleName);
  const alarms = await readAlarms(aws, connector);
  if (muting) await mute(aws, connector);
  if (schedule.enabled) await switchOff(aws, schedule, muting && !isMuted(alarms) ? connector : undefined);
  const muted = muting || isMuted(alarms);
  const text = [pausedText(schedule), LOST, toldText(alarms, muted), AFTER].join('\n');
  return {
    text,
    json: { schedule: scheduleName, enabled: false, changed: schedule.enabled, since: since(schedule), muted },
  };
}

/** @param muted the connector that was muted for it: a schedule that stays on must not run in silence */
async function switchOff(aws: Aws, schedule: Schedule, muted: string | undefined): Promise<void> {
  try {
    await switchSchedule(aws, schedule, false);
  } catch (error) {
    if (muted !== undefined) await unmute(aws, muted, STILL_MUTED);
    throw error;
  }
}

const STILL_MUTED =
  'The schedule could not be switched off, and nobody is told of alarms now. "npm run connectorctl -- resume" mends that; ';
const LOST =
  'Nothing is lost: the API keeps every change, and the next run goes on from the saved cursors. A run under way goes on to its end.';
const AFTER =
  '"npm run connectorctl -- resume" switches it on again. So does a deployment that changes the schedule or reverts drift: for a pause to stay, ' +
  'set "enabled" to false in cdk.json.';

function pausedText({ name, enabled, changed }: Schedule): string {
  if (enabled) return `The schedule ${name} is off.`;
  return `The schedule ${name} was off already${changed === undefined ? '' : `; it was last changed ${timeText(changed)}`}.`;
}

/** @returns ISO 8601, for a schedule that was off before */
function since({ enabled, changed }: Schedule): string | undefined {
  return enabled || changed === undefined ? undefined : timeText(changed);
}

function isMuted({ notifiers }: Alarms): boolean {
  return notifiers.length > 0 && notifiers.every(notifier => !notifier.tells);
}

function toldText({ alarms }: Alarms, muted: boolean): string {
  if (muted) return 'Nobody is told of alarms, of whatever kind, until "npm run connectorctl -- resume".';
  const checks = Math.max(0, ...alarms.filter(each => each.name.startsWith('stream-silent/')).map(each => each.checks));
  const after = checks > 0 ? ` after ${durationText(checks * 1000)} without a run` : '';
  return `The alarm stream-silent will page${after}: --mute spares people that.`;
}
