import type { CommandPage } from '../cli-reference/command-page.ts';

export const pause: CommandPage = {
  command: 'pause',
  purpose: `Switches the schedule off, for example during a migration of the SIEM. No data is lost, however long the pause. The critical alarm \`stream-silent\`
fires after a while. With \`--mute\` the alarms \`critical\` and \`warning\` notify nobody until \`resume\`. The next \`cdk deploy\` that changes the schedule
switches it on again. To keep the pause, set \`"enabled": false\`.`,
  scenes: [{ args: ['pause'] }, { says: 'A second pause can mute the alarms:', args: ['pause', '--mute'] }],
};

export const resume: CommandPage = {
  command: 'resume',
  purpose: `Switches the schedule on and enables the notifications of the alarms \`critical\` and \`warning\`, even if a deployment with \`"enabled": false\` had disabled them.
SNS sends no notification for an alarm that fired while it was muted. \`status\` shows it.`,
  scenes: [{ before: each => each.ctl(['pause', '--mute']), args: ['resume'] }],
};
