import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { PREFIXES } from '../prefixes.ts';
import { allow, keyStatements, listing } from '../statements.ts';
import { suppressWildcard } from '../suppress-finding.ts';
import { databaseName, workgroupName } from './catalogue.ts';

export interface AnalystPolicyProps {
  readonly connectorName: string;
  readonly events: IBucket;
  readonly results: IBucket;
  readonly encryptionKey?: IKey;
}

/** Athena reads catalogue and objects with the permissions of its caller, so analysts need these themselves. */
export function createAnalystPolicy(scope: Construct, props: AnalystPolicyProps): iam.ManagedPolicy {
  const { connectorName, events, results, encryptionKey } = props;
  const stack = Stack.of(scope);
  const arn = (service: string, resource: string) => stack.formatArn({ service, resource });
  const tables = arn('glue', `table/${databaseName(connectorName)}/*`);
  const objects = events.arnForObjects(`${PREFIXES.events}*`);
  const answers = results.arnForObjects('*');
  const policy = new iam.ManagedPolicy(scope, 'AnalystPolicy', {
    description: `Asks the events of connector ${connectorName} in Athena.`,
    statements: [
      allow(ASK, arn('athena', `workgroup/${workgroupName(connectorName)}`)),
      allow(BROWSE, arn('athena', 'datacatalog/AwsDataCatalog')),
      allow(CHOOSE, '*'),
      allow(READ_CATALOGUE, arn('glue', 'catalog'), arn('glue', `database/${databaseName(connectorName)}`), tables),
      // Every query of Athena looks for this database.
      allow(['glue:GetDatabase'], arn('glue', 'database/default')),
      allow(['s3:GetObject'], objects),
      listing(events),
      allow(KEEP_ANSWERS, answers),
      allow(['s3:ListBucket', 's3:ListBucketMultipartUploads'], results.bucketArn),
      allow(['s3:GetBucketLocation'], events.bucketArn, results.bucketArn),
      ...keyStatements(scope, { readObjects: [encryptionKey, events.encryptionKey], writeObjects: [encryptionKey] }),
    ],
  });
  suppressWildcard(policy, tables, 'The database holds the table and the views of this connector and nothing else.');
  suppressWildcard(policy, objects, 'Firehose names the objects; the wildcard stays below the prefix of the events.');
  suppressWildcard(
    policy,
    '*',
    'Athena takes no narrower resource for what its console lists to choose from: names of workgroups, catalogues and engines.',
  );
  suppressWildcard(policy, answers, 'Athena names the answers; the bucket holds nothing else.');
  return policy;
}

const ASK = [
  'athena:BatchGetQueryExecution',
  'athena:GetQueryExecution',
  'athena:GetQueryResults',
  'athena:GetQueryResultsStream',
  'athena:GetWorkGroup',
  'athena:ListQueryExecutions',
  'athena:StartQueryExecution',
  'athena:StopQueryExecution',
];
const BROWSE = [
  'athena:GetDataCatalog',
  'athena:GetDatabase',
  'athena:GetTableMetadata',
  'athena:ListDatabases',
  'athena:ListTableMetadata',
];
/**
 * What Athena's console lists before a workgroup is chosen. None of these actions takes a resource, so AWS's own example policies grant them on
 * everything, too.
 */
const CHOOSE = ['athena:ListDataCatalogs', 'athena:ListEngineVersions', 'athena:ListWorkGroups'];
const READ_CATALOGUE = [
  'glue:GetDatabase',
  'glue:GetDatabases',
  'glue:GetPartitions',
  'glue:GetTable',
  'glue:GetTables',
];
const KEEP_ANSWERS = ['s3:AbortMultipartUpload', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:PutObject'];
