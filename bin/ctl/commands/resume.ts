import { Command } from 'commander';
import { unmute } from '../alarms/mute.ts';
import { examples, type Run } from '../command.ts';
import type { Context } from '../context.ts';
import { timeText } from '../report/time-text.ts';
import { readSchedule, type Schedule, switchSchedule } from '../schedule/schedule.ts';

export function resumeCommand(run: Run): Command {
  return new Command('resume')
    .description('switch the schedule on again, and the alarms that tell people')
    .addHelpText('after', examples('resume', 'resume --stack acme'))
    .action(run(resume));
}

async function resume({ aws, deployment }: Context) {
  const { connector, scheduleName } = await deployment();
  const schedule = await readSchedule(aws, scheduleName);
  if (!schedule.enabled) await switchSchedule(aws, schedule, true);
  await unmute(aws, connector);
  const text = `${resumedText(schedule)}\nThe alarms page and ticket tell people. "npm run connectorctl -- run" starts a run now.`;
  return { text, json: { schedule: scheduleName, enabled: true, changed: !schedule.enabled, muted: false } };
}

function resumedText({ name, enabled, expression, changed }: Schedule): string {
  const rate = expression === '' ? '' : `, ${expression}`;
  if (enabled) return `The schedule ${name} was on already${rate}.`;
  const before = changed === undefined ? '' : `; it was last changed ${timeText(changed)}`;
  return `The schedule ${name} is on${rate}${before}.`;
}
