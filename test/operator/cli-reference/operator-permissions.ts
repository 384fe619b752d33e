/** The table of docs/permissions.md about operators. */
import { OPERATOR_PERMISSIONS, type OperatorGrant } from '../../../lib/grants/operator-permissions.ts';

/**
 * Names of resources in docs/permissions.md, by pattern. They are those of OPERATOR_PERMISSIONS.
 */
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

/**
 * A row for each resource, with the actions of `grantInspect`, and those that only `grantOperate`
 * allows.
 */
export function operatorRows(): string[][] {
  const resources = [...new Set(OPERATOR_PERMISSIONS.map(({ on }) => on))].sort();
  return resources.map(resource => [resource, actionsOf('inspect', resource), actionsOf('operate', resource)]);
}

function actionsOf(grant: OperatorGrant, resource: string): string {
  const permissions = OPERATOR_PERMISSIONS.filter(each => each.grant === grant && each.on === resource);
  return permissions.flatMap(({ actions }) => actions.map(action => `\`${action}\``)).join(', ');
}
