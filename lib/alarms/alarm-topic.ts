import { ArnFormat, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

export interface AlarmTopicProps {
  readonly connectorName: string;
  readonly email?: string | undefined;
}

/** The topic that this connector's alarms are sent to. */
export function createAlarmTopic(scope: Construct, { connectorName, email }: AlarmTopicProps): sns.ITopic {
  const topic = new sns.Topic(scope, 'AlarmTopic', { displayName: `Alarms of ${connectorName}`, enforceSSL: true });
  // A policy of its own takes the place of the one that let CloudWatch publish.
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      conditions: { ArnLike: { 'aws:SourceArn': alarmArns(scope, connectorName) } },
    }),
  );
  if (email) topic.addSubscription(new EmailSubscription(email));
  return topic;
}

function alarmArns(scope: Construct, connectorName: string): string {
  return Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${connectorName}/*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
