import type { CommandPage } from '../cli-reference/command-page.ts';

export const run: CommandPage = {
  command: 'run',
  scenes: [{ args: ['run'] }, { args: ['run', '--stream', 'assets'] }],
};

export const resync: CommandPage = {
  command: 'resync',
  scenes: [{ before: each => each.run(), args: ['resync', 'assets', 'threats', '--yes'] }],
};

export const replay: CommandPage = {
  command: 'replay',
  scenes: [
    {
      before: each => each.run(),
      args: ['replay', 'assets'],
    },
    { args: ['replay', 'assets', 'dns-blocks', '--yes'] },
  ],
};

export const confirmOrganization: CommandPage = {
  command: 'confirm-organization',
  scenes: [{ args: ['confirm-organization'] }],
};
