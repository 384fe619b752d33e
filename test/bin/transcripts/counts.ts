import { START } from '../../lambda/support/stepped-clock.ts';
import type { CommandPage } from '../cli-reference/command-page.ts';

export const counts: CommandPage = {
  command: 'counts',
  choices: { aws: { now: () => START } },
  scenes: [{ before: each => each.run(), args: ['counts', '--from', '2026-11-20'] }],
};
