import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { PREFIXES } from './data-bucket.ts';
import type { SecurityDataConnector } from './security-data-connector.ts';
import type { SiemAccess } from './siem-access.ts';

export interface Outputs {
  readonly logGroup: ILogGroup;
  readonly dashboard: Dashboard;
}

/** What an operator's commands and the form of a SIEM ask for. */
export function addOutputs(connector: SecurityDataConnector, { logGroup, dashboard }: Outputs): void {
  const add = (id: string, value: string, description: string) => new CfnOutput(connector, id, { value, description });
  add('FunctionName', connector.function.functionName, 'Function that drains the API');
  add('LogGroupName', logGroup.logGroupName, 'Logs of the function');
  add('StateTableName', connector.state.tableName, 'Checkpoints, row states and the lease');
  add(
    'BucketName',
    connector.bucket.bucketName,
    `Events below ${PREFIXES.events}, dead letters below ${PREFIXES.deadLetters}`,
  );
  add('DeliveryStreamName', connector.delivery.deliveryStreamRef.deliveryStreamName, 'Delivery stream of the events');
  add('AlarmTopicArn', connector.alarmTopic.topicArn, 'Topic that alarms are sent to');
  add('DashboardName', dashboard.dashboardName, 'Dashboard in CloudWatch');
  if (connector.siem) addSiemOutputs(add, connector.siem, Stack.of(connector).region);
}

function addSiemOutputs(
  add: (id: string, value: string, description: string) => void,
  siem: SiemAccess,
  region: string,
): void {
  add('SiemQueueUrl', siem.queue.queueUrl, 'For the SIEM: queue that announces new objects');
  add('SiemQueueArn', siem.queue.queueArn, 'For the SIEM: the same queue, and the target of a bucket that you bring');
  add('SiemRegion', region, 'For the SIEM: region of queue and bucket');
  add('SiemReaderPolicyArn', siem.policy.managedPolicyArn, 'For the SIEM: policy that reads queue and objects');
  if (siem.role) add('SiemReaderRoleArn', siem.role.roleArn, 'For the SIEM: role to assume');
}
