import type { CommandPage } from './command-page.ts';

export const resync: CommandPage = {
  command: 'resync',
  purpose: `Drops the cursor of a stream: everything is read again, and only what differs from what was last forwarded is sent. It mends
[damaged state](runbook.md#damaged-state), and follows a change of \`dnsBlocksPath\` or \`threatAssetField\`. DNS blocks are not remembered one by
one, so all but the newest are sent again.

It says how many rows it concerns and asks, unless \`--yes\`. The count reads the whole table, which costs a dollar for about 65 GB;
\`--no-count\` leaves it out. It waits for the lease, and the run that obeys drains the other streams as well.`,
  scenes: [{ before: each => each.run(), args: ['resync', 'assets', 'threats', '--yes'] }],
};
