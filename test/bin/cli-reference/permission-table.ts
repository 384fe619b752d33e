import { table } from '../../alarms/support/drill-table.ts';
import type { Recording } from './record.ts';

/** What a resource is called in the page; a pattern for each kind that a command asks about. */
const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, 'everything (AWS takes no narrower one)'],
  [/^arn:aws:cloudformation:.*:stack\/\*/, 'every stack, where `--stack` is not given'],
  [/^arn:aws:cloudformation:.*:stack\/CDKToolkit\//, 'the stack `CDKToolkit`'],
  [/^arn:aws:cloudformation:.*:stack\//, 'the stack'],
  [/^arn:aws:cloudwatch:.*:alarm:/, 'the alarms `<connector>/page` and `<connector>/ticket`'],
  [/^arn:aws:dynamodb:/, 'the state table'],
  [/^arn:aws:firehose:/, 'the delivery stream'],
  [/^arn:aws:iam:.*:policy\//, 'the reader’s policy'],
  [/^arn:aws:iam:.*:role\/.*TickRole/, 'the schedule’s role'],
  [/^arn:aws:iam:.*:role\//, 'the reader’s role'],
  [/^arn:aws:lambda:/, 'the function'],
  [/^arn:aws:s3:::[^/]+$/, 'the bucket'],
  [/^arn:aws:s3:::[^/]+\/events\//, 'objects below `events/`'],
  [/^arn:aws:s3:::[^/]+\/dead-letter\//, 'objects below `dead-letter/`'],
  [/^arn:aws:s3:::[^/]+\/delivery-errors\//, 'objects below `delivery-errors/`'],
  [/^arn:aws:scheduler:/, 'the schedule'],
  [/^arn:aws:secretsmanager:/, 'the secret'],
  [/^arn:aws:sns:/, 'the topic of the alarms'],
  [/^arn:aws:sqs:/, 'the queues of the stack'],
];

/** @throws Error for a resource that has no name here */
function nameOf(resource: string): string {
  const known = RESOURCES.find(([pattern]) => pattern.test(resource));
  if (!known) throw new Error(`No name for the resource ${resource}`);
  return known[1];
}

/** A row an action and kind of resource, with the commands that called it. */
export function permissionTable(recordings: readonly Recording[]): string {
  const commands = new Map<string, Set<string>>();
  for (const { page, asked } of recordings) {
    for (const { permission, resource } of asked) {
      const key = `\`${permission}\`\n${nameOf(resource)}`;
      commands.set(key, (commands.get(key) ?? new Set()).add(`\`${page.command}\``));
    }
  }
  const rows = [...commands].map(([key, names]) => [...key.split('\n'), [...names].join(', ')]);
  return table(
    ['Action', 'Resource', 'Commands'],
    rows.toSorted((a, b) => (a.join() < b.join() ? -1 : 1)),
  );
}
