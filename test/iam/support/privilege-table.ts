import { table } from '../../alarms/support/drill-table.ts';
import { RUNTIME_ACTIONS, type UsedGrant } from './privileges.ts';

/** What each action is for. A grant without a reason is one too many. */
export const NEEDED_FOR: Readonly<Record<string, string>> = {
  'secretsmanager:GetSecretValue':
    'Reading the client credentials: once a container, and past the cache when the token endpoint refuses them',
  'dynamodb:BatchGetItem': 'Reading the checkpoints of all streams in one call, and the states of the rows of a page',
  'dynamodb:BatchWriteItem':
    'Recording row states and memberships; adding to and striking off the withdrawal list; deleting memberships of withdrawn threats',
  'dynamodb:PutItem':
    'Saving a checkpoint, or the note of what is in flight, on the condition that no later run has written',
  'dynamodb:Query': 'Reading the withdrawal list, and the threats of a removed asset',
  'dynamodb:UpdateItem': 'Taking, renewing and giving back the lease; raising the fence after a run that was killed',
  'firehose:PutRecordBatch': 'Delivering events',
  's3:PutObject': 'Storing rows that cannot be sent',
  's3:GetObject': 'Reading a dead letter that an operator orders to be tried again',
  's3:DeleteObject': 'Deleting it once its row is sent, or known to be superseded',
  'logs:CreateLogStream': 'Lambda’s runtime stores what the function writes to stdout',
  'logs:PutLogEvents': 'The same',
};

const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^arn:aws:dynamodb:.*:table\/[^/]+$/, 'the state table'],
  [/^arn:aws:firehose:.*:deliverystream\/[^/]+$/, 'the delivery stream'],
  [/^arn:aws:secretsmanager:.*:secret:[^*]+$/, 'the secret of the credentials'],
  [/^arn:aws:s3:::[^/*]+\/dead-letter\/[^/*]+\/\*$/, 'objects below `dead-letter/<connector>/` of the bucket'],
  [/^arn:aws:logs:.*:log-group:[^*]+:\*$/, 'the function’s log group'],
];

const HEAD = `# What the function may do

Every grant of the function’s role in the synthesized template, with the calls that need it. The calls are those that the function made against the local AWS endpoints
in a suite of scenarios (first and quiet runs, changes, removals, dead letters, throttling, rotation, resync and replay, redrive, a takeover after a kill, overlapping runs),
recorded where they arrived. A test holds the two equal: no call that no grant allows, no grant that no call needs, and names in the function’s environment that lead to the
resources which the policy names.

Made by \`npm run iam-report -- --write\`; a test holds this page equal to what was recorded.
`;

const FOOT = `
With \`kmsKeyArn\` the role may also use that key, through DynamoDB, S3 and Secrets Manager only (\`kms:ViaService\`): those services call KMS in the function’s name when it makes the
calls above. With \`vpc\` it holds the network-interface actions that Lambda itself uses to place the function, and a second statement denies them to the function’s
code. Neither can be recorded here, since no call of the function shows it.
`;

/** docs/iam.md */
export function privilegeTable(grants: readonly UsedGrant[]): string {
  const rows = [...grants]
    .sort((one, other) => (one.action < other.action ? -1 : 1))
    .map(({ action, resource, scenarios }) => [
      `\`${action}\``,
      resourceName(resource),
      NEEDED_FOR[action] ?? '?',
      RUNTIME_ACTIONS.includes(action) ? 'every run' : scenarios.join(', '),
    ]);
  return `${HEAD}\n${table(['Action', 'Resource', 'Needed for', 'Called in'], rows)}\n${FOOT}`;
}

/** @throws Error for a resource that is not one narrow thing */
function resourceName(resource: string): string {
  const known = RESOURCES.find(([pattern]) => pattern.test(resource));
  if (!known) throw new Error(`Not one narrow resource: ${resource}`);
  return known[1];
}
