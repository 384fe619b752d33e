import * as athena from 'aws-cdk-lib/aws-athena';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { workgroupName } from './names.ts';

export interface WorkgroupProps {
  readonly connectorName: string;
  readonly results: IBucket;
  /** A query that would read more is stopped. */
  readonly scanGigabytes: number;
  readonly encryptionKey?: IKey;
}

const BYTES_OF_GIGABYTE = 1_000_000_000;

/** Where analysts ask: bounds what one query may read, and says where its answer goes, whatever the client says. */
export function createWorkgroup(scope: Construct, props: WorkgroupProps): athena.CfnWorkGroup {
  const { connectorName, results, scanGigabytes, encryptionKey } = props;
  return new athena.CfnWorkGroup(scope, 'Workgroup', {
    name: workgroupName(connectorName),
    description: `Queries over the events of connector ${connectorName}.`,
    // Without it a workgroup that was ever used could not be deleted with its stack. It takes the history, not the answers.
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
