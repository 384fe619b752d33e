import type { CommandPage } from './command-page.ts';

export const verify: CommandPage = {
  command: 'verify',
  purpose: `Proof of completeness. It walks the API from the beginning, 500 rows a request, sends and saves nothing, and compares each row with what the
connector noted that Firehose acknowledged. For that it reads the whole table, without strong consistency, and holds about a hundred bytes an id in
memory. What it does not do is ask the SIEM.

What differs may only be on its way, so it waits for the next run that begins and ends cleanly (\`--wait\`), then looks at each difference once more: the state with
strong consistency, and the API's single read, of a thousand ids at most. Only what lasts is told as different. With \`--wait 0\` everything is told at once,
as not confirmed. So it is while the schedule is off, because no run would come: that is said before anything is read, and with \`--json\` \`paused\` is true.

It finds rows never sent, rows sent with other content, rows that the SIEM was told are gone and that live, rows that live at the SIEM and are gone from the API
(ghosts), rows that a replay has still to send, and states that cannot be read. It exits with 0 when all is equal, no id is in doubt and no dead letter lies in the bucket. DNS blocks
are not remembered one by one: they are counted when they are named, and nothing is proven of them: with \`--json\`, \`complete\` of blocks alone is null.
Where the API gives a cursor again instead of an end, that is said: what it may hold behind that is not compared.`,
  scenes: [
    { before: each => each.run(), args: ['verify'] },
    {
      says: 'When a row has appeared that no run has read yet:',
      before: each => each.connector.platform.putAsset({ id: 'asset-7f3a' }),
      args: ['verify', 'assets', '--wait', '0'],
    },
    {
      says: 'The same while the schedule is off:',
      before: async each => each.ctl(['pause']),
      args: ['verify', 'assets'],
    },
  ],
};
