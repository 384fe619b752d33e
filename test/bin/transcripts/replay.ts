import type { CommandPage } from './command-page.ts';

export const replay: CommandPage = {
  command: 'replay',
  purpose: `Sends everything again once, for a SIEM that lost its data. Read [a SIEM that lost data](runbook.md#a-siem-that-lost-data) first: what was
removed before is not in a replay. Options as for \`resync\`.`,
  scenes: [
    {
      says: 'Where nobody can be asked and `--yes` is missing, nothing is done:',
      before: each => each.run(),
      args: ['replay', 'assets'],
    },
    { args: ['replay', 'assets', 'dns-blocks', '--yes'] },
  ],
};
