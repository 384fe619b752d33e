import { CfnDeletionPolicy, Lazy, RemovalPolicy as Policy, type RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

export interface StateTableProps {
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey?: IKey;
}

/**
 * Checkpoints, row states and the lease. Its loss costs a full read and a repeat of every row, so it is retained and protected. It is a `Table`,
 * because `TableV2` cannot take a key in a stack whose region is not known.
 */
export function createStateTable(scope: Construct, props: StateTableProps): dynamodb.ITable {
  const isProtected = props.removalPolicy !== Policy.DESTROY;
  const table = new dynamodb.Table(scope, 'State', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: props.encryptionKey ? dynamodb.TableEncryption.CUSTOMER_MANAGED : dynamodb.TableEncryption.DEFAULT,
    // DynamoDB refuses to delete a protected table, so a rollback that deletes it would end in ROLLBACK_FAILED.
    removalPolicy: isProtected ? Policy.RETAIN : Policy.DESTROY,
    ...(props.encryptionKey && { encryptionKey: props.encryptionKey }),
  });
  const resource = table.node.defaultChild as dynamodb.CfnTable;
  // An app may change the removal policy later, with RemovalPolicies.of(). A protected table could not be deleted then.
  resource.deletionProtectionEnabled = Lazy.any({
    produce: () => resource.cfnOptions.deletionPolicy !== CfnDeletionPolicy.DELETE,
  });
  return table;
}
