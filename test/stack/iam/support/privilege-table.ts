import { OPERATOR_PERMISSIONS, type OperatorGrant } from '../../../../lib/grants/operator-permissions.ts';
import { table } from '../../alarms/support/drill-table.ts';
import type { UsedGrant } from './privileges.ts';

/** Purpose of each action. A grant without one fails the test. */
export const NEEDED_FOR: Readonly<Record<string, string>> = {
  'secretsmanager:GetSecretValue':
    'Reading the client credentials: for each token, and once more when the token endpoint refuses them',
  'dynamodb:BatchGetItem': 'Reading the checkpoints of all streams in one call, and the states of the rows of a page',
  'dynamodb:BatchWriteItem':
    'Saving row states and the child index, changing the withdrawal list, deleting what belongs to withdrawn threats',
  'dynamodb:PutItem': 'Saving a checkpoint or the name of a log, on the condition that nothing later was written',
  'dynamodb:Query': 'Reading the withdrawal list, and the threats of a removed asset',
  'dynamodb:Scan': 'Finding rows that the API does not list any more',
  'dynamodb:UpdateItem':
    'Acquiring, renewing and releasing the lease; raising the fence after a run that was terminated',
  'firehose:PutRecordBatch': 'Delivering events',
  's3:DeleteObject': 'Deleting the log of a batch that is saved',
  's3:DeleteObjectVersion': 'Deleting it for good, because the bucket has versions',
  's3:GetObject': 'Reading the log of a batch that a killed run left unfinished',
  's3:PutObject': 'Storing rows that cannot be sent below `dead-letter/`, and the logs of batches below `log/`',
  'logs:CreateLogStream': 'Storing stdout, by the runtime of Lambda',
  'logs:PutLogEvents': 'Storing stdout, by the runtime of Lambda',
};

const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^arn:aws:dynamodb:.*:table\/[^/]+$/, 'the state table'],
  [/^arn:aws:firehose:.*:deliverystream\/[^/]+$/, 'the delivery stream'],
  [/^arn:aws:secretsmanager:.*:secret:[^*]+$/, 'the secret of the credentials'],
  [/^arn:aws:s3:::[^/*]+\/dead-letter\/[^/*]+\/\*$/, 'objects below `dead-letter/<connector>/` of the bucket'],
  [/^arn:aws:s3:::[^/*]+\/log\/\*$/, 'objects below `log/` of the bucket'],
  [/^arn:aws:logs:.*:log-group:[^*]+:\*$/, 'the function’s log group'],
];

const HEAD = `# IAM report

Every grant of the function's role. A test compares them with the calls that the function makes at the local AWS endpoints: every call has a grant, and
every grant has a call.

Made by \`npm run iam-report -- --write\`.
`;

const FOOT = `
With \`kmsKeyArn\` the role may also use that key, through DynamoDB, S3 and Secrets Manager only (\`kms:ViaService\`). With \`vpc\` it has the
network-interface actions that Lambda uses to place the function, and a second statement denies them to the function's code.

## Operators

What \`grantInspect\` and \`grantOperate\` of [the construct](construct.md#grants) allow. \`grantOperate\` includes \`grantInspect\`.
[cli.md](cli.md#permissions) has the calls of each command.
`;

const OPERATOR_FOOT = `
\`s3:ListBucket\` is limited to the prefixes \`events/\`, \`dead-letter/\` and \`delivery-errors/\`, and \`iam:PassRole\` to EventBridge Scheduler. With a key,
both grants allow \`kms:Decrypt\` through DynamoDB, S3 and Secrets Manager, and \`grantOperate\` also \`kms:GenerateDataKey\` through Secrets Manager.
No grant writes to the state table.
`;

/** docs/iam.md */
export function privilegeTable(grants: readonly UsedGrant[]): string {
  const rows = [...grants]
    .sort((one, other) => (`${one.action} ${one.resource}` < `${other.action} ${other.resource}` ? -1 : 1))
    .map(({ action, resource }) => [`\`${action}\``, resourceName(resource), NEEDED_FOR[action] ?? '?']);
  return `${HEAD}\n${table(['Action', 'Resource', 'Needed for'], rows)}\n${FOOT}\n${operatorTable()}\n${OPERATOR_FOOT}`;
}

/** A row for each resource, with what each grant allows on it. */
function operatorTable(): string {
  const rows = [...Map.groupBy(OPERATOR_PERMISSIONS, ({ on }) => on)].map(([on, permissions]) => {
    const actionsOf = (grant: OperatorGrant) =>
      permissions
        .filter(each => each.grant === grant)
        .flatMap(({ actions }) => actions.map(action => `\`${action}\``))
        .join(', ');
    return [on, actionsOf('inspect'), actionsOf('operate')];
  });
  return table(['Resource', '`grantInspect`', '`grantOperate`, on top'], rows);
}

/** @throws Error for a resource that is not one narrow thing */
function resourceName(resource: string): string {
  const known = RESOURCES.find(([pattern]) => pattern.test(resource));
  if (!known) throw new Error(`Not one narrow resource: ${resource}`);
  return known[1];
}
