import type { CommandPage } from '../cli-reference/command-page.ts';

export const pause: CommandPage = {
  command: 'pause',
  scenes: [{ args: ['pause'] }, { args: ['pause', '--mute'] }],
};

export const resume: CommandPage = {
  command: 'resume',
  scenes: [{ before: each => each.ctl(['pause', '--mute']), args: ['resume'] }],
};
