import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { PREFIXES } from './prefixes.ts';
import type { Query } from './query.ts';
import type { SecurityDataConnector } from './security-data-connector.ts';
import type { SiemAccess } from './siem-access.ts';
import type { Tick } from './tick.ts';
import { VERSION } from './version.ts';

export interface Outputs {
  readonly connectorName: string;
  readonly logGroup: ILogGroup;
  readonly tick: Tick;
  readonly dashboard: Dashboard;
}

/** What an operator's commands and the form of a SIEM ask for. */
export function addOutputs(connector: SecurityDataConnector, parts: Outputs): void {
  const { connectorName, logGroup, tick, dashboard } = parts;
  const add = (id: string, value: string, description: string) => new CfnOutput(connector, id, { value, description });
  add('ConnectorName', connectorName, 'In every event, on every metric and alarm');
  add('ConnectorVersion', VERSION, 'Version of the connector that was deployed');
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
  add('ScheduleName', tick.scheduleName, 'Schedule that starts the function');
  add('ScheduleDeadLetterQueueUrl', tick.undelivered.queueUrl, 'Queue of starts that could not be handed over');
  add('DashboardName', dashboard.dashboardName, 'Dashboard in CloudWatch');
  if (connector.siem) addSiemOutputs(add, connector.siem, Stack.of(connector).region);
  if (connector.query) addQueryOutputs(add, connector.query);
}

function addQueryOutputs(add: (id: string, value: string, description: string) => void, query: Query): void {
  add('QueryDatabase', query.database, 'For analysts: database of the views in Athena');
  add('QueryWorkgroup', query.workgroup.ref, 'For analysts: workgroup to ask in');
  add('QueryAnalystPolicyArn', query.policy.managedPolicyArn, 'For analysts: policy that asks the events');
  add('QueryResultsBucketName', query.results.bucketName, 'Answers of Athena, kept for a week');
}

function addSiemOutputs(
  add: (id: string, value: string, description: string) => void,
  siem: SiemAccess,
  region: string,
): void {
  add('SiemQueueUrl', siem.queue.queueUrl, 'For the SIEM: queue that announces new objects');
  add('SiemQueueArn', siem.queue.queueArn, 'For the SIEM: the same queue, and the target of a bucket that you bring');
  add('SiemDeadLetterQueueUrl', siem.unread.queueUrl, 'Queue of announcements that the SIEM gave up on');
  add('SiemRegion', region, 'For the SIEM: region of queue and bucket');
  add('SiemReaderPolicyArn', siem.policy.managedPolicyArn, 'For the SIEM: policy that reads queue and objects');
  if (siem.role) add('SiemReaderRoleArn', siem.role.roleArn, 'For the SIEM: role to assume');
}
