import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { DataBucket } from './data-bucket.ts';

/**
 * Creates the topic of new objects. S3 notifies only one destination of each prefix, so all readers
 * subscribe to this topic: the queue of the SIEM, and queues of the app. EventBridge is not an
 * alternative, because its events have another format than the notifications that Splunk, Sentinel
 * and Elastic read. A bucket that the connector creates notifies the topic. In an existing bucket
 * the connector would overwrite other notifications, so the topic only accepts notifications of
 * such a bucket.
 *
 * The topic does not use the customer's key. With that key SNS could deliver nothing unless the
 * key's own policy names S3, and the connector cannot change the policy of an existing key. The
 * messages contain names of objects, but no content.
 *
 * @param createdBucket bucket that the connector creates; undefined when `bucket` existed before
 */
export function createNewObjectsTopic(
  scope: Construct,
  bucket: IBucket,
  createdBucket: DataBucket | undefined,
): sns.Topic {
  const topic = new sns.Topic(scope, 'NewObjects', { enforceSSL: true });

  const accepted = topic.addToResourcePolicy(
    new iam.PolicyStatement({
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      principals: [new iam.ServicePrincipal('s3.amazonaws.com')],
      conditions: bucketConditions(scope, createdBucket?.arnByName ?? bucket.bucketArn),
    }),
  );

  createdBucket?.notifyOfEvents(topic, accepted.policyDependable);
  return topic;
}

/**
 * Conditions under which S3 may send for this bucket, as long as the bucket belongs to this
 * account.
 */
export function bucketConditions(scope: Construct, bucketArn: string) {
  return {
    StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
    ArnEquals: { 'aws:SourceArn': bucketArn },
  };
}
