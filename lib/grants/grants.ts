/**
 * Implements the grants of the construct. Each grant adds statements to the policy of the grantee,
 * and no grant changes a resource of the connector.
 */
import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { SEVERITIES } from '../alarms/alarm-definition.ts';
import type { ConnectorParts } from '../outputs.ts';
import { PREFIXES } from '../prefixes.ts';
import type { Schedule } from '../schedule.ts';
import { alarmArn, keyStatements, secretArnOf } from '../statements.ts';
import { type OperatorGrant, type OperatorResource, permissionsOf } from './operator-permissions.ts';

/** Resources that the grants name, in addition to the attributes of the construct. */
export interface GrantedResources {
  readonly schedule: Pick<Schedule, 'scheduleArn' | 'role' | 'deadLetters'>;
  readonly encryptionKey: IKey | undefined;
}

interface Connector extends ConnectorParts {
  readonly credentials: ISecret;
}

/** Returns the statements that allow connectorctl to inspect or to operate a connector. */
export function operatorStatements(connector: Connector, granted: GrantedResources, grant: OperatorGrant) {
  const resources = operatorResources(connector, granted.schedule);
  const statements = permissionsOf(grant).flatMap(({ on, actions, conditions }) => {
    if (resources[on].length === 0) return [];
    const statement = { actions: [...actions], resources: [...resources[on]] };
    return new iam.PolicyStatement({ ...statement, ...(conditions && { conditions }) });
  });
  const { state, bucket, credentials } = connector;
  const { encryptionKey } = granted;
  const ofSecret = [encryptionKey, credentials.encryptionKey];
  const keys = keyStatements(connector, {
    readState: [encryptionKey, state.encryptionKey],
    readObjects: [encryptionKey, bucket.encryptionKey],
    ...(grant === 'inspect' ? { readSecret: ofSecret } : { writeSecret: ofSecret }),
  });
  return [...statements, ...keys];
}

function operatorResources(
  connector: Connector,
  schedule: GrantedResources['schedule'],
): Readonly<Record<OperatorResource, readonly string[]>> {
  const { connectorName, bucket, siem, siemReaders } = connector;
  // A queue that existed before the connector belongs to somebody else.
  const readers = [siem, ...Object.values(siemReaders)].filter(reader => reader?.deadLetters);
  const stack = Stack.of(connector);
  const objects = (prefix: string) => [bucket.arnForObjects(`${prefix}*`)];
  return {
    '`*`': ['*'],
    'every stack, without `--stack`': [
      stack.formatArn({ service: 'cloudformation', resource: 'stack', resourceName: '*/*' }),
    ],
    'objects below `dead-letter/`': objects(PREFIXES.deadLetters),
    'objects below `delivery-errors/`': objects(PREFIXES.deliveryErrors),
    'the alarms `<connector>/critical` and `<connector>/warning`': SEVERITIES.map(severity =>
      alarmArn(connector, connectorName, severity),
    ),
    'the bucket': [bucket.bucketArn],
    'the delivery stream': [connector.delivery.deliveryStreamRef.deliveryStreamArn],
    'the function': [connector.function.functionArn],
    'the function’s log group': [connector.logGroup.logGroupArn],
    'the schedule': [schedule.scheduleArn],
    'the schedule’s dead-letter queue': [schedule.deadLetters.queueArn],
    'the schedule’s role': [schedule.role.roleArn],
    'the secret': [secretArnOf(connector.credentials)],
    'the SIEM’s dead-letter queue': readers.flatMap(reader => reader?.deadLetters?.queueArn ?? []),
    'the SIEM’s queue': readers.flatMap(reader => reader?.queue.queueArn ?? []),
    'the state table': [connector.state.tableArn],
    'the topic of the alarms': [connector.alarmTopic.topicArn],
  };
}

/**
 * Adds statements to the policy of a grantee. Without a policy, `assertSuccess` of the returned
 * grant throws, as for other grants of the CDK.
 */
export function grantStatements(grantee: iam.IGrantable, statements: readonly iam.PolicyStatement[]): iam.Grant {
  return statements
    .map(({ actions, resources: resourceArns, conditions }) =>
      iam.Grant.addToPrincipal({ grantee, actions, resourceArns, conditions }),
    )
    .reduce((all, grant) => all.combine(grant));
}
