/** The list of docs/permissions.md about the function's role. */
import { type Privileges, privileges } from './support/privileges.ts';

let found: Promise<Privileges> | undefined;

/** The grants of the role and the calls of the function, compared once in this process. */
export function functionPrivileges(): Promise<Privileges> {
  found ??= privileges();
  return found;
}

/** Purpose of each action. A grant without one fails the test. */
export const NEEDED_FOR: Readonly<Record<string, string>> = {
  'secretsmanager:GetSecretValue': 'for each token',
  'dynamodb:BatchGetItem': 'checkpoints, and the states of the rows of a page',
  'dynamodb:BatchWriteItem': 'row states, the child index and the list of removals',
  'dynamodb:PutItem': 'a checkpoint or the name of a log',
  'dynamodb:Query': 'the list of removals, and the threats of a removed asset',
  'dynamodb:Scan': 'rows that the API does not list any more',
  'dynamodb:UpdateItem': 'lease and fence',
  'firehose:PutRecordBatch': 'events',
  's3:DeleteObject': 'the log of a batch that is saved',
  's3:DeleteObjectVersion': 'the versions of that log, because the bucket keeps them',
  's3:GetObject': 'the log of a batch that a killed run left unfinished',
  's3:PutObject': 'rows that cannot be sent, and logs of batches',
  'logs:CreateLogStream': 'by the runtime of Lambda',
  'logs:PutLogEvents': 'by the runtime of Lambda',
};

const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^arn:aws:dynamodb:.*:table\/[^/]+$/, 'the state table'],
  [/^arn:aws:firehose:.*:deliverystream\/[^/]+$/, 'the delivery stream'],
  [/^arn:aws:secretsmanager:.*:secret:[^*]+$/, 'the secret of the credentials'],
  [/^arn:aws:s3:::[^/*]+\/dead-letter\/[^/*]+\/\*$/, 'objects below `dead-letter/<connector>/`'],
  [/^arn:aws:s3:::[^/*]+\/log\/\*$/, 'objects below `log/`'],
  [/^arn:aws:logs:.*:log-group:[^*]+:\*$/, 'the function’s log group'],
];

/** A line for each resource of the grants, with its actions and their purposes. */
export async function functionLines(): Promise<string[]> {
  const { grants } = await functionPrivileges();
  const byResource = Map.groupBy(
    grants.toSorted((one, other) => one.action.localeCompare(other.action)),
    ({ resource }) => resourceName(resource),
  );

  return [...byResource].map(([resource, granted]) => {
    const actions = granted.map(({ action }) => `\`${action}\` (${NEEDED_FOR[action] ?? '?'})`);
    return `**${resource}**: ${actions.join(', ')}`;
  });
}

/** @throws Error for a resource that is not one narrow thing */
function resourceName(resource: string): string {
  const known = RESOURCES.find(([pattern]) => pattern.test(resource));
  if (!known) throw new Error(`Not one narrow resource: ${resource}`);
  return known[1];
}
