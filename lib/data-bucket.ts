import { Aws, Duration, Fn } from 'aws-cdk-lib';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct, IDependable } from 'constructs';
import type { ConnectorOptions } from './config/props.ts';
import { LOG_PREFIX, PREFIXES } from './prefixes.ts';

/**
 * The bucket that a connector creates. Its notifications are a property of the bucket itself,
 * because the CDK would set them with a custom resource, which replaces all notifications that it
 * does not know. Therefore the methods of the CDK are overridden.
 */
export class DataBucket extends s3.Bucket {
  /** ARN without a reference to the bucket, for policies that must exist before it. */
  readonly arnByName: string;
  readonly #connectorName: string;

  constructor(scope: Construct, id: string, options: ConnectorOptions) {
    const { encryptionKey } = options;
    super(scope, id, {
      ...(encryptionKey
        ? { encryption: s3.BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
        : { encryption: s3.BucketEncryption.S3_MANAGED }),
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      bucketName: bucketNameOf(options.connectorName),
      lifecycleRules: [
        // A run that succeeds deletes its own logs. This rule deletes the logs of a killed run,
        // because they hold rows.
        {
          prefix: LOG_PREFIX,
          expiration: Duration.days(1),
          noncurrentVersionExpiration: Duration.days(1),
        },
        {
          expiration: options.retention,
          noncurrentVersionExpiration: Duration.days(30),
          abortIncompleteMultipartUploadAfter: Duration.days(7),
        },
      ],
      removalPolicy: options.removalPolicy,
    });
    this.#connectorName = options.connectorName;
    this.arnByName = `arn:${Aws.PARTITION}:s3:::${this.#resource.bucketName}`;
  }

  /**
   * Notifies a topic of each new object below `events/`.
   *
   * @param policy policy of the topic. It must exist first, because S3 sends a test message when it
   * creates the bucket
   */
  notifyOfEvents(topic: sns.ITopic, policy: IDependable | undefined): void {
    const filter = { s3Key: { rules: [{ name: 'prefix', value: PREFIXES.events }] } };
    const notification = { event: 's3:ObjectCreated:*', topic: topic.topicArn, filter };
    this.#resource.notificationConfiguration = { topicConfigurations: [notification] };
    if (policy) this.#resource.node.addDependency(policy);
  }

  /**
   * @throws Error if the bucket already notifies a topic. `addObjectCreatedNotification` and
   * `addObjectRemovedNotification` call this method too
   */
  override addEventNotification(
    event: s3.EventType,
    destination: s3.IBucketNotificationDestination,
    ...filters: s3.NotificationKeyFilter[]
  ): void {
    if (!this.#notifications) {
      super.addEventNotification(event, destination, ...filters);
      return;
    }
    throw new Error(
      `connector.bucket of ${this.#connectorName}: another notification of the bucket would replace the one that reaches the SIEM, ` +
        'and no alarm would fire. Nothing was added. Subscribe to the topic that is notified of each new object: ' +
        'connector.newObjectsTopic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true })). See docs/construct.md, Other readers.',
    );
  }

  /** Adds EventBridge to the notifications, which S3 allows in addition to a topic. */
  override enableEventBridgeNotification(): void {
    if (!this.#notifications) {
      super.enableEventBridgeNotification();
      return;
    }
    const eventBridgeConfiguration = { eventBridgeEnabled: true };
    this.#resource.notificationConfiguration = { ...this.#notifications, eventBridgeConfiguration };
  }

  get #resource(): s3.CfnBucket {
    return this.node.defaultChild as s3.CfnBucket;
  }

  /** Notifications of the bucket; undefined unless a topic is notified. */
  get #notifications(): s3.CfnBucket.NotificationConfigurationProperty | undefined {
    return this.#resource.notificationConfiguration as s3.CfnBucket.NotificationConfigurationProperty | undefined;
  }
}

/**
 * Returns a name that is known before the bucket is created. S3 checks the queue's policy at
 * creation, and that policy names the bucket, so a name that CloudFormation generates would be a
 * circular dependency. Parts of the stack's id make the name unique, even after a failed creation.
 */
function bucketNameOf(connectorName: string): string {
  const id = Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID)));
  return `sdc-${connectorName}-${Fn.select(0, id)}-${Fn.select(4, id)}`;
}
