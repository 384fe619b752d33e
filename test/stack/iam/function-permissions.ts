/** The table of docs/permissions.md about the function's role. */
import { type Privileges, privileges } from './support/privileges.ts';

let found: Promise<Privileges> | undefined;

/** The grants of the role and the calls of the function, compared once in this process. */
export function functionPrivileges(): Promise<Privileges> {
  found ??= privileges();
  return found;
}

/** Purpose of each action. A grant without one fails the test. */
export const NEEDED_FOR: Readonly<Record<string, string>> = {
  'secretsmanager:GetSecretValue': 'Reading the client credentials, for each token',
  'dynamodb:BatchGetItem': 'Reading checkpoints, and the states of the rows of a page',
  'dynamodb:BatchWriteItem': 'Saving row states, the child index and the list of removals',
  'dynamodb:PutItem': 'Saving a checkpoint or the name of a log',
  'dynamodb:Query': 'Reading the list of removals, and the threats of a removed asset',
  'dynamodb:Scan': 'Finding rows that the API does not list any more',
  'dynamodb:UpdateItem': 'Taking, renewing and releasing the lease, and raising the fence after a run that was killed',
  'firehose:PutRecordBatch': 'Delivering events',
  's3:DeleteObject': 'Deleting the log of a batch that is saved',
  's3:DeleteObjectVersion': 'Deleting it for good, because the bucket has versions',
  's3:GetObject': 'Reading the log of a batch that a killed run left unfinished',
  's3:PutObject': 'Storing rows that cannot be sent, and the logs of batches',
  'logs:CreateLogStream': 'Storing the log, by the runtime of Lambda',
  'logs:PutLogEvents': 'Storing the log, by the runtime of Lambda',
};

const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^arn:aws:dynamodb:.*:table\/[^/]+$/, 'the state table'],
  [/^arn:aws:firehose:.*:deliverystream\/[^/]+$/, 'the delivery stream'],
  [/^arn:aws:secretsmanager:.*:secret:[^*]+$/, 'the secret of the credentials'],
  [/^arn:aws:s3:::[^/*]+\/dead-letter\/[^/*]+\/\*$/, 'objects below `dead-letter/<connector>/`'],
  [/^arn:aws:s3:::[^/*]+\/log\/\*$/, 'objects below `log/`'],
  [/^arn:aws:logs:.*:log-group:[^*]+:\*$/, 'the function’s log group'],
];

/** A row for each grant, in the order of actions and resources. */
export async function functionRows(): Promise<string[][]> {
  const { grants } = await functionPrivileges();
  return [...grants]
    .sort((one, other) => (`${one.action} ${one.resource}` < `${other.action} ${other.resource}` ? -1 : 1))
    .map(({ action, resource }) => [`\`${action}\``, resourceName(resource), NEEDED_FOR[action] ?? '?']);
}

/** @throws Error for a resource that is not one narrow thing */
function resourceName(resource: string): string {
  const known = RESOURCES.find(([pattern]) => pattern.test(resource));
  if (!known) throw new Error(`Not one narrow resource: ${resource}`);
  return known[1];
}
