import { createRowStates } from '../../../lambda/store/rows.ts';
import { sha256 } from '../../../lambda/system.ts';
import { rowState } from '../../lambda/core/support/memory-table.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import type { CommandPage } from '../cli-reference/command-page.ts';

export const verify: CommandPage = {
  command: 'verify',
  purpose: `Proves completeness. It reads the API from the beginning, 500 rows per request, and compares each row with what Firehose acknowledged, according to the
row states. Without \`--repair\` it sends and saves nothing. It reads the whole table with eventual consistency and needs about a hundred bytes of memory per id. It does not
query the SIEM.

Differences may be changes that are not sent yet. The command waits for the next run to end cleanly (\`--wait\`) and checks each difference again: the row
state with strong consistency, and a single read at the API for up to a thousand ids. Only remaining differences are confirmed. With \`--wait 0\`, or while
the schedule is off, differences are reported without confirmation. In the latter case \`paused\` is true in JSON.

It finds rows that were never sent, rows sent with other content, rows sent as removed that are live, rows live at the SIEM but removed from the API
(ghosts), rows live at the SIEM that the [filter](filters.md) excludes, rows that await a replay, and row states that cannot be read. The exit status
is 0 if all rows are equal, no id is unconfirmed and there is no dead letter. DNS blocks have no row states, so they are only counted: for DNS blocks alone \`complete\` is null. If the API repeats a cursor instead of
ending a list, the rows after it are not compared, and the output says so. Rows that the filter excludes are not missing.

\`--repair\` gives what differs to the function, at most 500 ids at a time. Under its lease the function asks the API for each row by a single read. It
withdraws what the API confirms as gone, and sends what is missing or different. The output has a line for each row:

- \`withdrawn\`, \`sent\`: the SIEM was sent the removal, or the row that the API has. \`unchanged\`: the SIEM has it already.
- \`kept\`: nothing was sent. The line gives the reason.

The exit status is then 0 if no row was kept, no id is unconfirmed and there is no dead letter.`,
  scenes: [
    { before: each => each.run(), args: ['verify'] },
    {
      says: 'With a new row that no run has read yet:',
      before: each => each.connector.platform.put('assets', { id: 'asset-7f3a' }),
      args: ['verify', 'assets', '--wait', '0'],
    },
    {
      says: 'With a row that the SIEM has and the API has not:',
      before: each =>
        createRowStates(each.connector.table, sha256).put(
          'assets',
          new Map([['asset-0b1d', rowState({ rowHash: 'a'.repeat(32) })]]),
          pass,
        ),
      args: ['verify', 'assets', '--repair', '--wait', '0'],
    },
    {
      says: 'With a new row while the schedule is off:',
      before: async each => {
        each.connector.platform.put('assets', { id: 'asset-9c2e' });
        await each.ctl(['pause']);
      },
      args: ['verify', 'assets'],
    },
  ],
};
