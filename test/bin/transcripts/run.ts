import type { CommandPage } from './command-page.ts';

export const run: CommandPage = {
  command: 'run',
  purpose: `A run now, instead of at the next tick; the table is what became of each stream, and below it stands how long the
run took, from the call to the answer (\`runSeconds\` for machines). While another run holds the lease it waits. On a terminal it
shows how many events the run has settled, by what the table says about once a second. Ctrl-C ends the waiting, never the run: that goes
on in AWS.

A run ends after 15 minutes at most, and the schedule goes on where it ended; \`--until-done\` starts run after run until the streams are drained.`,
  scenes: [{ args: ['run'] }, { says: 'A stream alone; nothing has changed:', args: ['run', '--stream', 'assets'] }],
};
