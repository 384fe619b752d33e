import type { CommandPage } from '../cli-reference/command-page.ts';

export const run: CommandPage = {
  command: 'run',
  purpose: `Runs the function now. The table shows what became of the rows of each stream. Below it is the duration of the run, from the call to the answer
(\`runSeconds\` in JSON). While another run holds the lease, the command waits. A terminal shows the number of committed events, updated about once a
second. Ctrl-C ends the command. A run that has started continues in AWS.

A run ends after at most 15 minutes, and the next scheduled run continues. \`--until-done\` repeats runs until the streams are caught up.`,
  scenes: [{ args: ['run'] }, { says: 'One stream, without changes:', args: ['run', '--stream', 'assets'] }],
};

export const resync: CommandPage = {
  command: 'resync',
  purpose: `Drops the cursor of a stream. Everything is read again, and only what differs from the last sent version is sent. Use it
after a change of \`dnsBlocksPath\` or \`threatAssetField\`. DNS blocks have no row states, so all but the newest are sent again.

The command prints the number of affected rows and asks for confirmation, unless \`--yes\` is set. The count reads the whole table, which costs a dollar
for about 65 GB. \`--no-count\` skips it. The command waits for the lease. Its run reads the other streams as well.`,
  scenes: [{ before: each => each.run(), args: ['resync', 'assets', 'threats', '--yes'] }],
};

export const replay: CommandPage = {
  command: 'replay',
  purpose: `Sends everything again once, for a SIEM that lost its data. Read [a SIEM that lost data](runbook.md#a-siem-that-lost-data) first: a replay does not contain
earlier removals. The options are those of \`resync\`.`,
  scenes: [
    {
      says: 'Without a terminal and `--yes` nothing is done:',
      before: each => each.run(),
      args: ['replay', 'assets'],
    },
    { args: ['replay', 'assets', 'dns-blocks', '--yes'] },
  ],
};

export const confirmOrganization: CommandPage = {
  command: 'confirm-organization',
  purpose: `Confirms that the credentials of [another organization](runbook.md#another-organization) are meant. Until then a run with them sends nothing and
fails with \`OrganizationChangedError\`. The command asks for confirmation, unless \`--yes\` is set, and runs the function.`,
  scenes: [{ args: ['confirm-organization'] }],
};
