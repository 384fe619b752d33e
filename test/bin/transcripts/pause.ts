import type { CommandPage } from './command-page.ts';

export const pause: CommandPage = {
  command: 'pause',
  purpose: `Switches the schedule off, for a migration of the SIEM or at the wish of the API's operator. Nothing is lost, for as long as it takes. The
alarm \`stream-silent\` will page; with \`--mute\` the alarms \`page\` and \`ticket\` tell nobody, whatever the reason, until \`resume\`. The next
\`cdk deploy\` that changes the schedule sets it back: for a pause to stay, set \`"enabled": false\`.`,
  scenes: [{ args: ['pause'] }, { says: 'Twice is once, and muting can be added:', args: ['pause', '--mute'] }],
};

export const resume: CommandPage = {
  command: 'resume',
  purpose: `Switches the schedule on again, and has the alarms \`page\` and \`ticket\` tell people again, also where a deployment with
\`"enabled": false\` had silenced them. An alarm that went off meanwhile is not told afterwards: \`status\` shows it.`,
  scenes: [{ before: each => each.ctl(['pause', '--mute']), args: ['resume'] }],
};
