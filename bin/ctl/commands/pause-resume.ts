import { DisableAlarmActionsCommand, EnableAlarmActionsCommand } from '@aws-sdk/client-cloudwatch';
import { Command } from 'commander';
import { SEVERITIES } from '../../../lib/alarms/alarm-definition.ts';
import { CONNECTORCTL } from '../../../lib/installation.ts';
import type { Aws } from '../aws.ts';
import { helpText, type RunAction } from '../command.ts';
import type { Context } from '../context.ts';
import { awsCall } from '../errors.ts';
import { readSchedule, type Schedule, setScheduleEnabled } from '../schedule.ts';
import { timeText } from '../text.ts';

export function pauseCommand(run: RunAction): Command {
  return new Command('pause')
    .description('switch the schedule off; no data is lost, and the next run continues where the last one stopped')
    .option('--mute', 'disable the alarm notifications too, until "resume"')
    .addHelpText('after', helpText(PAUSE_NOTE, 'pause', 'pause --connector acme --mute'))
    .action(run(pause));
}

const PAUSE_NOTE = `Without --mute the critical alarm stream-silent fires after a while. A deployment that changes the schedule switches it on again.
To keep the pause, set "enabled" to false.`;

const RESUME_NOTE = `SNS does not notify of an alarm that fired while it was muted. "status" shows it.`;

/**
 * Switches the schedule off, and then mutes the alarms. Nobody is notified in between, because an
 * alarm on a missing run fires only after half an hour.
 */
async function pause({ aws, deployment }: Context, { mute: muted = false }: { readonly mute?: boolean }) {
  const { connector, scheduleName } = await deployment();
  const schedule = await readSchedule(aws, scheduleName);
  if (schedule.enabled) await setScheduleEnabled(aws, schedule, false);
  if (muted) await setMuted(aws, connector, true);

  const { enabled: changed, changed: time } = schedule;
  const since = changed || time === undefined ? undefined : timeText(time);
  const before = `The schedule ${scheduleName} was already off${since ? `, last changed ${since}` : ''}.`;
  const state = changed ? `The schedule ${scheduleName} is off.` : before;
  const text = [state, LOST, muted ? MUTED : NOT_MUTED, AFTER].join('\n');
  return { text, json: { schedule: scheduleName, enabled: false, changed, since, muted } };
}

const LOST =
  'No data is lost: the API keeps every change, and the next run continues from the saved cursors. A run in progress runs to its end.';
const MUTED = `No alarm notifies anybody until "${CONNECTORCTL.command} resume".`;
const NOT_MUTED =
  'The critical alarm stream-silent will fire after a while without a run. --mute prevents the notification.';
const AFTER =
  `"${CONNECTORCTL.command} resume" switches it on again. So does a deployment that changes the schedule or reverts drift. ` +
  'To keep the pause, set "enabled" to false and deploy.';

export function resumeCommand(run: RunAction): Command {
  return new Command('resume')
    .description('switch the schedule and the alarm notifications on')
    .addHelpText('after', helpText(RESUME_NOTE, 'resume', 'resume --connector acme'))
    .action(run(resume));
}

async function resume({ aws, deployment }: Context) {
  const { connector, scheduleName } = await deployment();
  const schedule = await readSchedule(aws, scheduleName);
  if (!schedule.enabled) await setScheduleEnabled(aws, schedule, true);
  await setMuted(aws, connector, false);
  const text = `${resumedText(schedule)}\nThe alarms notify people. "${CONNECTORCTL.command} run" starts a run now.`;
  return { text, json: { schedule: scheduleName, enabled: true, changed: !schedule.enabled, muted: false } };
}

function resumedText({ name, enabled, expression, changed }: Schedule): string {
  const rate = expression === '' ? '' : `, ${expression}`;
  if (enabled) return `The schedule ${name} was already on${rate}.`;
  const before = changed === undefined ? '' : `, last changed ${timeText(changed)}`;
  return `The schedule ${name} is on${rate}${before}.`;
}

/**
 * Mutes or unmutes the composite alarms. Muted alarms are still evaluated, but notify nobody.
 *
 * @throws AwsCallError
 */
async function setMuted(aws: Aws, connector: string, muted: boolean): Promise<void> {
  const input = { AlarmNames: SEVERITIES.map(name => `${connector}/${name}`) };
  const command = muted ? new DisableAlarmActionsCommand(input) : new EnableAlarmActionsCommand(input);
  await awsCall(
    aws.cloudWatch().send(command),
    `The alarms of ${connector} could not be ${muted ? 'muted' : 'unmuted'}`,
    muted ? 'The schedule is off, and the alarms are not muted.' : 'The schedule is on. The alarms are still muted.',
  );
}
