import type { CommandPage } from '../cli-reference/command-page.ts';

export const status: CommandPage = {
  command: 'status',
  purpose: `Shows whether the SIEM is up to date. The first line is the health: \`healthy\`, \`in progress\` (a stream is read for the first time, or again), \`paused\`, or
\`unhealthy\` with the reasons. Then follow the firing alarms with links to the runbook, and a line per stream:

- \`caught up\`: the last run reached the end of the stream. \`backfilling\`: runs exceed their time budget, or the first run has not ended.
  \`failing\`: the last run failed. \`late\`: no run has ended for three intervals of the schedule. \`unreadable\`: another version wrote the saved state.
  \`silent\`: no run has reported for a day. The others are \`never run\`, \`off\` and \`unknown\`.
- \`last success\`, with a resolution of one minute.
- Rows of the last 24 hours: read, forwarded, filtered where a [filter](filters.md) withheld any, other. Withdrawn threats. The dead letters are those in the
  bucket.

The last table is the saved state of each stream, without the cursor. Everything up to the \`committed sequence\` is sent and recorded. \`window\` is the
number of rows in the de-duplication window. \`generation\` counts replays. \`unconfirmed\` ids may have been sent by a run that was killed. The next
run sends their rows again.

The exit status is 3 if an alarm fires, a stream is failing, unreadable or (while the schedule is on) late or silent, the last deployment failed,
alarms are muted or missing while the schedule is on, or a part cannot be read. A pause and dead letters do not change it. With \`--watch\` it is 0 at Ctrl-C. An update
reads about 36 metrics for 0.03 cent.`,
  scenes: [
    { before: each => each.run({}, 3), args: ['status'] },
    {
      says: 'With a failing stream:',
      async before(each) {
        each.connector.platform.account.roles.delete('threats:read');
        await each.run();
        each.stack.alarms.set('acme/role-missing', 'ALARM');
      },
      args: ['status'],
      shown: output => output.split('\n\n').slice(0, 2).join('\n\n').concat('\n\n[…]\n'),
    },
  ],
};
