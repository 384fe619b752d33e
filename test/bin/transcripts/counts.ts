import { START } from '../../lambda/support/stepped-clock.ts';
import type { CommandPage } from '../cli-reference/command-page.ts';

export const counts: CommandPage = {
  command: 'counts',
  purpose: `Counts the events of each stream and day in the bucket, each once, to be compared with the SIEM: [is everything there?](siem/completeness.md). A day is
that of \`forwarded_at\` in UTC. \`repeats\` are lines with an \`event_id\` that was counted already. With \`--compare\` it reads the same counts from
a CSV file that the SIEM exported, with the columns \`stream\`, \`day\` and \`events\`; rows of another \`connector\` are left out. The exit status is 3
if a count differs.

It reads every object of these days and of two hours more, so events that Firehose retried for longer are missing. It does not read Parquet, or what
another destination has.`,
  choices: { aws: { now: () => START } },
  scenes: [{ before: each => each.run(), args: ['counts', '--from', '2026-11-20'] }],
};
