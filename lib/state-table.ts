import { RemovalPolicy as Policy, type RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

export interface StateTableProps {
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/** Checkpoints, row states and the lease. Losing it costs one full read and repeats of every row, so it is kept and protected. */
export function createStateTable(scope: Construct, props: StateTableProps): dynamodb.ITableV2 {
  return new dynamodb.TableV2(scope, 'State', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    billing: dynamodb.Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: props.encryptionKey
      ? dynamodb.TableEncryptionV2.customerManagedKey(props.encryptionKey)
      : dynamodb.TableEncryptionV2.dynamoOwnedKey(),
    deletionProtection: props.removalPolicy !== Policy.DESTROY,
    removalPolicy: props.removalPolicy,
  });
}
