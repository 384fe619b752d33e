/** The table of docs/permissions.md: what operators may do, and which commands need it. */
import { OPERATOR_PERMISSIONS } from '../../../lib/grants/operator-permissions.ts';
import { type Recording, recordAll } from './record.ts';

let recordings: Promise<Recording[]> | undefined;

/** The calls of every command, recorded once in this process. */
export function recordedCalls(): Promise<Recording[]> {
  recordings ??= recordAll();
  return recordings;
}

/** Names of resources in docs/permissions.md, by pattern. They are those of OPERATOR_PERMISSIONS. */
const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^\*$/, '`*`'],
  [/^arn:aws:cloudformation:.*:stack\/\*/, 'every stack, without `--stack`'],
  [/^arn:aws:cloudformation:.*:stack\//, 'the stack'],
  [/^arn:aws:cloudwatch:.*:alarm:/, 'the alarms `<connector>/critical` and `<connector>/warning`'],
  [/^arn:aws:dynamodb:/, 'the state table'],
  [/^arn:aws:firehose:/, 'the delivery stream'],
  [/^arn:aws:iam:.*:role\/.*TickRole/, 'the schedule’s role'],
  [/^arn:aws:lambda:/, 'the function'],
  [/^arn:aws:logs:/, 'the function’s log group'],
  [/^arn:aws:s3:::[^/]+$/, 'the bucket'],
  [/^arn:aws:s3:::[^/]+\/dead-letter\//, 'objects below `dead-letter/`'],
  [/^arn:aws:s3:::[^/]+\/delivery-errors\//, 'objects below `delivery-errors/`'],
  [/^arn:aws:scheduler:/, 'the schedule'],
  [/^arn:aws:secretsmanager:/, 'the secret'],
  [/^arn:aws:sns:/, 'the topic of the alarms'],
  [/^arn:aws:sqs:.*SiemAnnouncements/, 'the SIEM’s queue'],
  [/^arn:aws:sqs:.*SiemUnread/, 'the SIEM’s dead-letter queue'],
  [/^arn:aws:sqs:.*TickUndelivered/, 'the schedule’s dead-letter queue'],
];

/** @throws Error for a resource that has no name here */
export function nameOf(resource: string): string {
  const known = RESOURCES.find(([pattern]) => pattern.test(resource));
  if (!known) throw new Error(`No name for the resource ${resource}`);
  return known[1];
}

/** A row for each permission, with the commands that were seen to use it. In bold is what only `grantOperate` allows. */
export async function operatorRows(): Promise<string[][]> {
  const users = await commandsByCall();
  return OPERATOR_PERMISSIONS.flatMap(({ grant, on, actions, uncalled }) =>
    actions.map(action => {
      const commands = uncalled ? [withoutCall(uncalled)] : [...(users.get(callOf(on, action)) ?? [])];
      return { on, action: grant === 'operate' ? `**\`${action}\`**` : `\`${action}\``, users: commands.join(', ') };
    }),
  )
    .toSorted((one, other) => one.on.localeCompare(other.on))
    .reduce<string[][]>(mergeSame, []);
}

/** AWS checks `iam:PassRole` without a call of the command. */
function withoutCall(reason: string): string {
  return reason.includes('runbook') ? 'runbook' : '`pause`, `resume`';
}

/** Actions on one resource that the same commands need are one row. */
function mergeSame(rows: string[][], { on, action, users }: { on: string; action: string; users: string }): string[][] {
  const last = rows.at(-1);
  if (last?.[0] === on && last[2] === users) return [...rows.slice(0, -1), [on, `${last[1]}, ${action}`, users]];
  return [...rows, [on, action, users]];
}

function callOf(resource: string, action: string): string {
  return `${action} on ${resource}`;
}

async function commandsByCall(): Promise<Map<string, Set<string>>> {
  const all = await recordedCalls();
  const users = new Map<string, Set<string>>();
  for (const { command, asked } of all) {
    for (const { permission, resource } of asked) {
      const call = callOf(nameOf(resource), permission);
      users.set(call, (users.get(call) ?? new Set()).add(`\`${command}\``));
    }
  }
  return new Map(
    [...users].map(([call, commands]) => [call, commands.size === all.length ? new Set(['every command']) : commands]),
  );
}
