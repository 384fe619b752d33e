import { CfnDeletionPolicy, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { ConnectorOptions } from './config/props.ts';

/**
 * Creates the table of checkpoints, row states and the lease. Its loss would cost a full read and a
 * repeat of every row, so the table is retained and protected. It is a `Table`, because `TableV2`
 * cannot take a key in a stack whose region is not known.
 */
export function createStateTable(scope: Construct, options: ConnectorOptions): dynamodb.ITable {
  const { removalPolicy, encryptionKey } = options;
  const table = new dynamodb.Table(scope, 'State', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: encryptionKey ? dynamodb.TableEncryption.CUSTOMER_MANAGED : dynamodb.TableEncryption.DEFAULT,
    // DynamoDB refuses to delete a protected table, so a rollback that deletes it would end in
    // ROLLBACK_FAILED.
    removalPolicy: removalPolicy === RemovalPolicy.DESTROY ? removalPolicy : RemovalPolicy.RETAIN,
    ...(encryptionKey && { encryptionKey }),
  });
  const resource = table.node.defaultChild as dynamodb.CfnTable;
  // An app may change the removal policy later, with RemovalPolicies.of(). A protected table could
  // not be deleted then.
  resource.deletionProtectionEnabled = Lazy.any({
    produce: () => resource.cfnOptions.deletionPolicy !== CfnDeletionPolicy.DELETE,
  });
  return table;
}
