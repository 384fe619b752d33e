import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { SiemAccess } from './connector-props.ts';
import { exportName } from './export-name.ts';
import { PREFIXES } from './prefixes.ts';
import type { Schedule } from './schedule.ts';
import { VERSION } from './version.ts';

/** Attributes of the construct that the outputs and the grants need. */
export interface ConnectorParts extends Construct {
  readonly connectorName: string;
  readonly bucket: IBucket;
  readonly state: ITable;
  readonly delivery: IDeliveryStreamRef;
  readonly function: IFunction;
  readonly logGroup: ILogGroup;
  readonly dashboard: Dashboard | undefined;
  readonly alarmTopic: ITopic;
  readonly newObjectsTopic: ITopic | undefined;
  readonly siem: SiemAccess | undefined;
  readonly siemReaders: Readonly<Record<string, SiemAccess>>;
}

/** Adds outputs with the values that operator commands and the forms of SIEMs need. */
export function addOutputs(connector: ConnectorParts, schedule: Schedule, wanted: boolean): void {
  const { connectorName, logGroup, dashboard } = connector;
  const add = (id: string, value: string, description: string) => new CfnOutput(connector, id, { value, description });
  add('ConnectorName', connectorName, 'In every event, on every metric and alarm');
  add('ConnectorVersion', VERSION, 'Version of the connector that was deployed');
  add('FunctionName', connector.function.functionName, 'Function that reads the API');
  add('LogGroupName', logGroup.logGroupName, 'Logs of the function');
  add('StateTableName', connector.state.tableName, 'Checkpoints, row states and the lease');
  add(
    'BucketName',
    connector.bucket.bucketName,
    `Events below ${PREFIXES.events}, dead letters below ${PREFIXES.deadLetters}`,
  );
  add('DeliveryStreamName', connector.delivery.deliveryStreamRef.deliveryStreamName, 'Delivery stream of the events');
  add('AlarmTopicArn', connector.alarmTopic.topicArn, 'Topic that alarms notify');
  add('ScheduleName', schedule.scheduleName, 'Schedule that starts the function');
  add('ScheduleDeadLetterQueueUrl', schedule.deadLetters.queueUrl, 'Queue of starts that failed');
  if (dashboard) add('DashboardName', dashboard.dashboardName, 'Dashboard in CloudWatch');
  if (connector.newObjectsTopic) {
    const description = 'Topic of new objects: target of notifications of an existing bucket, and for other readers';
    add('NewObjectsTopicArn', connector.newObjectsTopic.topicArn, description);
  }
  if (connector.siem || Object.keys(connector.siemReaders).length > 0) {
    add('SiemRegion', Stack.of(connector).region, 'For the SIEM: region of queue and bucket');
  }
  const readers = { ...(connector.siem && { '': connector.siem }), ...connector.siemReaders };
  for (const [name, { queue, deadLetters, policy, role }] of Object.entries(readers)) {
    const addOf = (id: string, value: string, description: string) =>
      add(`${id}${suffixOf(name)}`, value, `For ${name || 'the SIEM'}: ${description}`);
    addOf('SiemQueueUrl', queue.queueUrl, 'queue of notifications of new objects');
    addOf('SiemQueueArn', queue.queueArn, 'the same queue');
    if (deadLetters) addOf('SiemDeadLetterQueueUrl', deadLetters.queueUrl, 'notifications that it failed to process');
    else addOf('SiemQueueStatement', statementOf(connector, queue.queueArn), 'statement for the policy of the queue');
    addOf('SiemReaderPolicyArn', policy.managedPolicyArn, 'policy that reads queue and objects');
    if (role) addOf('SiemReaderRoleArn', role.roleArn, 'role to assume');
  }

  // connectorctl finds the connector in any stack by these names, but they keep a second connector
  // of the same name from being deployed. Therefore an app may leave the outputs out.
  for (const output of connector.node.findAll()) {
    if (!(output instanceof CfnOutput)) continue;
    if (wanted) output.exportName = exportName(connectorName, output.node.id);
    else output.node.scope?.node.tryRemoveChild(output.node.id);
  }
}

/**
 * Returns the end of the names of a reader's outputs. For example, `lake` becomes `Lake`, because
 * the name of an output may contain only letters and digits.
 */
function suffixOf(reader: string): string {
  return reader.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** Returns the statement that the owner of an existing queue adds to its policy. */
function statementOf(connector: ConnectorParts, queueArn: string): string {
  return Stack.of(connector).toJsonString({
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: queueArn,
    Condition: { ArnEquals: { 'aws:SourceArn': connector.newObjectsTopic?.topicArn } },
  });
}
