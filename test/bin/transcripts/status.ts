import type { CommandPage } from './command-page.ts';

export const status: CommandPage = {
  command: 'status',
  purpose: `Is the SIEM up to date, and if not, why? The first line is the verdict: \`well\`, \`under way\` (a stream is being read for the
first time, or again), \`paused\`, or \`amiss\` with the reasons. Below come the alarms in alarm with their sections of the runbook, then a line a stream:

- \`caught up\`: the newest report is of a run that reached the end. \`backfilling\`: runs end for want of time, or the first has not ended yet.
  \`failing\`: the newest report is of a failure. \`damaged\`: what the table holds of it cannot be read. \`silent\`: no run has reported for
  a day. \`never run\`, \`off\`, \`unknown\` are what they say.
- \`last success\`, to the minute, which is as fine as metrics are.
- Rows read and what became of them: forwarded, suppressed or other. Threats withdrawn. All in the last 24 hours. Dead letters in the bucket.

The last table is what is saved of each stream. A cursor's value is never shown. \`settled sequence\` is the newest \`sequence\` up to which
all is sent and recorded; \`window\` how many rows are remembered from the last pages; \`generation\` the run of the last replay; \`in doubt\`
the ids that an unclean end has left, of which the next run sends the rows again.

It exits with 3 when an alarm is in alarm, a stream is failing, damaged or (while the schedule is on) silent, the stack is in trouble, alarms are muted or gone
although the schedule is on, or a part could not be read: of what cannot be read nobody can say that it is well. Dead letters alone are no reason, since their alarm tells of new ones, nor is a pause. With
\`--watch\` it exits with 0 at Ctrl-C. A look costs about 30 metrics, 0.03 cent.`,
  scenes: [
    { before: each => each.run({}, 5), args: ['status'] },
    {
      says: 'When a stream fails and somebody has been paged:',
      async before(each) {
        each.connector.platform.account.roles.delete('threats:read');
        await each.run();
        each.stack.alarms.set('acme/role-missing/threats', 'ALARM');
      },
      args: ['status'],
      shown: output => output.split('\n\n').slice(0, 2).join('\n\n').concat('\n\n[…]\n'),
    },
  ],
};
