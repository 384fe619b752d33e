import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as athena from 'aws-cdk-lib/aws-athena';
import * as glue from 'aws-cdk-lib/aws-glue';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Query } from '../connector-props.ts';
import { bucketDefaults } from '../data-bucket.ts';
import { suppressFinding } from '../suppress-finding.ts';
import { createAnalystPolicy } from './analyst-policy.ts';
import { athenaView, databaseName, linesTable, workgroupName } from './catalogue.ts';
import { VIEWS } from './views.ts';

interface QueryProps extends ResultsBucketProps {
  readonly connectorName: string;
  /** Bucket of the delivered events. */
  readonly bucket: IBucket;
  /** The same bucket, if this stack creates it. Only then is its retention known. */
  readonly createdBucket: IBucket | undefined;
  readonly retention: Duration;
  readonly queryScanGigabytes: number;
  readonly encryptionKey?: IKey;
}

export function createQuery(scope: Construct, props: QueryProps): Query {
  const within = new Construct(scope, 'Query');
  const database = databaseName(props.connectorName);
  createCatalogue(within, database, props);
  const results = createResultsBucket(within, props);
  const parts = { ...props, events: props.bucket, results };
  const workgroup = createWorkgroup(within, { ...parts, scanGigabytes: props.queryScanGigabytes });
  return { database, workgroup, results, policy: createAnalystPolicy(within, parts) };
}

function createCatalogue(scope: Construct, databaseName: string, props: QueryProps): void {
  const { bucket } = props;
  const catalogId = Stack.of(scope).account;
  const database = new glue.CfnDatabase(scope, 'Database', {
    catalogId,
    databaseInput: { name: databaseName, description: `Events of connector ${props.connectorName}.` },
  });
  const tables = [
    linesTable({ bucket, ...(props.createdBucket && { retention: props.retention }) }),
    ...VIEWS.map(view => athenaView(view, databaseName)),
  ];
  for (const tableInput of tables) {
    const table = new glue.CfnTable(scope, `Table-${tableInput.name}`, { catalogId, databaseName, tableInput });
    table.addResourceDependency(database);
  }
}

interface ResultsBucketProps {
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/**
 * The bucket of results, which expire after a week. It is not that of the events, because analysts may write here and nowhere else, and because
 * this stack could not make results expire in an existing bucket.
 */
function createResultsBucket(scope: Construct, props: ResultsBucketProps): s3.Bucket {
  const bucket = new s3.Bucket(scope, 'Results', {
    ...bucketDefaults(props.encryptionKey),
    lifecycleRules: [
      {
        expiration: Duration.days(7),
        noncurrentVersionExpiration: Duration.days(1),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
    removalPolicy: props.removalPolicy,
  });
  suppressFinding(
    bucket,
    'AwsSolutions-S1',
    'It holds answers to queries for a week; Athena keeps the history of who asked what.',
  );
  return bucket;
}

interface WorkgroupProps {
  readonly connectorName: string;
  readonly results: IBucket;
  /** A query that would read more is stopped. */
  readonly scanGigabytes: number;
  readonly encryptionKey?: IKey;
}

const BYTES_OF_GIGABYTE = 1_000_000_000;

/** The workgroup of analysts. It limits the bytes of a query and sets the location of results, whatever the client requests. */
function createWorkgroup(scope: Construct, props: WorkgroupProps): athena.CfnWorkGroup {
  const { connectorName, results, scanGigabytes, encryptionKey } = props;
  return new athena.CfnWorkGroup(scope, 'Workgroup', {
    name: workgroupName(connectorName),
    description: `Queries over the events of connector ${connectorName}.`,
    // Otherwise a workgroup that was used could not be deleted with its stack. This deletes its history, not the results.
    recursiveDeleteOption: true,
    workGroupConfiguration: {
      enforceWorkGroupConfiguration: true,
      publishCloudWatchMetricsEnabled: true,
      bytesScannedCutoffPerQuery: scanGigabytes * BYTES_OF_GIGABYTE,
      engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
      resultConfiguration: {
        outputLocation: `s3://${results.bucketName}/`,
        encryptionConfiguration: encryptionKey
          ? { encryptionOption: 'SSE_KMS', kmsKey: encryptionKey.keyArn }
          : { encryptionOption: 'SSE_S3' },
      },
    },
  });
}
