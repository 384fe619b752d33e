import { describe, expect, test } from '@jest/globals';
import { Aws, Duration, Fn, RemovalPolicies, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as firehose from 'aws-cdk-lib/aws-kinesisfirehose';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { ConfigurationError } from '../../../lib/config/problem.ts';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { Destination } from '../../../lib/delivery/destination.ts';
import type { DestinationBindOptions, DestinationConfig } from '../../../lib/delivery/destination-config.ts';
import { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { runbookAddressOf } from '../../../lib/version.ts';
import { createApp, templateOf } from '../synth.ts';
import { only, propertiesOf, resources, type SynthesizedTemplate } from '../template.ts';
import { construct, REQUIRED, theirStack, warningsOf } from './construct.ts';
import { actionsOf, identityStatements, type Statement } from './policies.ts';

type Props = Partial<SecurityDataConnectorProps>;

const KNOWN_PLACE = { env: { account: '111122223333', region: 'eu-west-1' } };
const TABLE_ARN = 'arn:aws:dynamodb:eu-west-1:111122223333:table/acme-State';
const ENDPOINT = 'https://siem.acme.example';
const READER = { type: 'external-id', principal: '111122223333', externalId: 'x-1' } as const;

function connector(scope: Construct, id: string, props: Props = {}): SecurityDataConnector {
  return new SecurityDataConnector(scope, id, { ...REQUIRED, ...props });
}

function twoStacks(): [Stack, Stack] {
  const app = createApp();
  return [new Stack(app, 'One'), new Stack(app, 'Two')];
}

/** By role or policy, the keys that it may use: through which service, whose, and for what. */
function keyUses(template: SynthesizedTemplate): Record<string, string[]> {
  const uses: Record<string, string[]> = {};
  for (const { parent, statement } of identityStatements(template)) {
    if (!actionsOf(statement).some(action => action.startsWith('kms:'))) continue;
    const via = JSON.stringify(statement.Condition?.['StringEquals']?.['kms:ViaService']);
    const service = /"([a-z0-9]+)\./.exec(via)?.[1];
    const keys = [...JSON.stringify(statement.Resource).matchAll(/"(Of[A-Za-z]+?)[0-9A-F]{8}"/g)].map(([, key]) => key);
    const user = parent.replace(/[0-9A-F]{8}$/, '');
    uses[user] = [...(uses[user] ?? []), `${service} ${keys.sort()} ${actionsOf(statement)}`];
  }
  return uses;
}

describe('several connectors of an app', () => {
  test.each<[string, (scope: Stack, id: string) => Props, RegExp]>([
    [
      'bucket',
      (scope, id) => ({ bucket: s3.Bucket.fromBucketArn(scope, id, 'arn:aws:s3:::shared') }),
      /props\.bucket: .*own bucket/,
    ],
    [
      'table',
      (scope, id) => ({ stateTable: dynamodb.Table.fromTableArn(scope, id, TABLE_ARN) }),
      /props\.stateTable: would mix/,
    ],
  ])(
    'a %s of one connector is refused for another connector, in the same stack or another stack',
    (_, props, reason) => {
      const [one, two] = twoStacks();
      connector(one, 'First', props(one, 'OfFirst'));
      const second = (scope: Stack) => ({ connectorName: scope.node.id.toLowerCase(), ...props(scope, 'OfSecond') });
      expect(() => connector(one, 'Second', second(one))).toThrow(reason);
      expect(() => connector(two, 'Second', second(two))).toThrow(reason);
    },
  );

  test('the bucket that one connector creates is refused for another connector', () => {
    const [one, two] = twoStacks();
    const { bucket } = connector(one, 'First');
    expect(() => connector(two, 'Second', { connectorName: 'second', bucket })).toThrow(/own bucket/);
    connector(one, 'Third', { connectorName: 'third', bucket: new s3.Bucket(one, 'Another') });
  });

  test('the name of a connector is refused for a second connector in the same account and region', () => {
    const [one, two] = twoStacks();
    connector(one, 'Connector');
    expect(() => connector(two, 'Connector')).toThrow('props.connectorName: "acme" is also the name of One/Connector');
    for (const region of ['eu-central-1', 'eu-west-1'])
      connector(new Stack(one.node.root, region, { env: { account: '111122223333', region } }), 'Connector');
  });

  test('the name of a connector in another stage causes a warning unless synth knows both places', () => {
    const app = createApp();
    const inStage = (id: string, props = {}) => connector(new Stack(new Stage(app, id, props), 'Stack'), 'Connector');
    expect(warningsOf(inStage('Beta'))).toEqual([]);
    expect(warningsOf(inStage('Prod'))).toEqual([
      expect.stringContaining('"acme" is also the name of Beta/Stack/Connector'),
    ]);
    inStage('Known', KNOWN_PLACE);
    expect(() => inStage('Same', KNOWN_PLACE)).toThrow(/is also the name of Known/);
  });
});

describe('objects of the app that replace objects of the connector', () => {
  test('the connector uses the secret, bucket, topic, network and buffer of the app', () => {
    const scope = theirStack();
    const key = new kms.Key(scope, 'Key');
    const vpc = new ec2.Vpc(scope, 'Vpc', { availabilityZones: ['eu-west-1a'] });
    const props = {
      encryptionKey: key,
      secret: new secretsmanager.Secret(scope, 'Theirs'),
      bucket: new s3.Bucket(scope, 'Bucket', { encryptionKey: key }),
      alarmTopic: new sns.Topic(scope, 'Topic'),
      vpc,
      vpcSubnets: { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS },
      destination: Destination.s3({ bufferInterval: Duration.seconds(300) }),
    } as const;
    const { template } = construct(props, scope);
    for (const type of ['AWS::SecretsManager::Secret', 'AWS::KMS::Key'])
      expect(resources(template, type)).toHaveLength(1);
    expect(only(template, 'AWS::S3::Bucket')).not.toHaveProperty('NotificationConfiguration');
    const topics = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::SNS::Topic');
    expect(topics.map(([id]) => id.slice(0, -8))).toEqual(['Topic', 'ConnectorNewObjects']);
    expect(only(template, 'AWS::KinesisFirehose::DeliveryStream')).toMatchObject({
      ExtendedS3DestinationConfiguration: { BufferingHints: { IntervalInSeconds: 300 } },
    });
  });

  test('a new table for an existing bucket causes a warning, because every event would be sent again', () => {
    const isWarned = (props: (scope: Stack) => Props) =>
      warningsOf(construct(props).connector).some(text => /everything once more/.test(text));
    const bucket = (scope: Stack) => new s3.Bucket(scope, 'Old');
    const stateTable = (scope: Stack) => dynamodb.Table.fromTableArn(scope, 'Table', TABLE_ARN);
    expect(isWarned(scope => ({ bucket: bucket(scope) }))).toBe(true);
    expect(isWarned(scope => ({ bucket: bucket(scope), stateTable: stateTable(scope) }))).toBe(false);
    expect(isWarned(() => ({}))).toBe(false);
  });

  test('the ARN of a secret known only by its name ends in a wildcard', () => {
    const { template } = construct(scope => ({
      secret: secretsmanager.Secret.fromSecretNameV2(scope, 'Theirs', 'acme'),
    }));
    expect(JSON.stringify(identityStatements(template))).toContain('secret:acme-??????');
  });

  test('the keys of the app’s bucket, secret and table may be used only through their services', () => {
    const scope = theirStack();
    const key = (name: string) => new kms.Key(scope, name);
    const props = {
      bucket: new s3.Bucket(scope, 'Bucket', { encryptionKey: key('OfBucket') }),
      secret: new secretsmanager.Secret(scope, 'Secret', { encryptionKey: key('OfSecret') }),
      stateTable: new dynamodb.Table(scope, 'Table', {
        partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
        encryptionKey: key('OfTable'),
      }),
      encryptionKey: key('OfConnector'),
      destination: Destination.http({
        url: ENDPOINT,
        secret: new secretsmanager.Secret(scope, 'Token', { encryptionKey: key('OfToken') }),
      }),
    };
    expect(keyUses(construct(props, scope).template)).toEqual({
      ConnectorPollerRole: [
        'dynamodb OfConnector,OfTable kms:Decrypt,kms:DescribeKey,kms:Encrypt',
        's3 OfBucket,OfConnector kms:Decrypt,kms:GenerateDataKey',
        'secretsmanager OfConnector,OfSecret kms:Decrypt',
      ],
      ConnectorDeliveryRole: [
        's3 OfBucket,OfConnector kms:Decrypt,kms:GenerateDataKey',
        'secretsmanager OfConnector,OfToken kms:Decrypt',
      ],
    });
  });
});

describe('a topic of the app', () => {
  const app = createApp();
  const shared = new Stack(app, 'Shared', { env: { account: '222222222222', region: 'eu-west-1' } });

  /**
   * A topic of another account with a key of its own, and what a connector in this stack makes of
   * it.
   */
  function given(scope: Stack, connectorName: string) {
    const masterKey = new kms.Key(shared, `KeyOf${connectorName}`);
    const alarmTopic = new sns.Topic(shared, connectorName, { topicName: connectorName, masterKey });
    const created = connector(scope, 'Connector', { connectorName, alarmTopic, runbookUrl: 'https://wiki.example' });

    const topicPolicy = alarmTopic.node.findChild('Policy').node.defaultChild as sns.CfnTopicPolicy;
    const { keyPolicy } = masterKey.node.defaultChild as kms.CfnKey;
    const ofCloudWatch = [topicPolicy.policyDocument, keyPolicy].flatMap(document =>
      (shared.resolve(document) as { Statement: Statement[] }).Statement.filter(({ Principal }) =>
        JSON.stringify(Principal).includes('cloudwatch.amazonaws.com'),
      ),
    );
    return {
      granted: ofCloudWatch.map(each => actionsOf(each).join()),
      accounts: ofCloudWatch.map(each => each.Condition?.['StringEquals']?.['aws:SourceAccount']),
      warnings: warningsOf(created),
    };
  }

  test('a topic with a key allows the alarms of the connector’s account to publish', () => {
    expect(given(theirStack(app, 'Known'), 'known')).toEqual({
      granted: ['sns:Publish', 'kms:Decrypt,kms:GenerateDataKey*'],
      accounts: ['111122223333', '111122223333'],
      warnings: [],
    });
  });

  test('a topic of another account causes a warning if synth does not know the connector’s account', () => {
    const { accounts, warnings } = given(new Stack(app, 'Unknown'), 'unknown');
    expect(accounts[0]).toEqual({ Ref: 'AWS::AccountId' });
    expect(warnings).toEqual([expect.stringMatching(/alarmTopic .*222222222222.* env/s)]);
  });
});

test('logs never expire with RetentionDays.INFINITE', () => {
  const { template } = construct({ logRetention: logs.RetentionDays.INFINITE });
  const groups = propertiesOf(template, 'AWS::Logs::LogGroup');
  expect(groups.map(group => group['RetentionInDays'])).toEqual([undefined, undefined]);
});

test('the app can set the removal policy of all resources, and the table is protected accordingly', () => {
  const isProtected = (scope: Stack) => only(templateOf(scope), 'AWS::DynamoDB::Table')['DeletionProtectionEnabled'];
  const [destroyed, retained] = [construct().scope, construct({ removalPolicy: RemovalPolicy.DESTROY }).scope];
  RemovalPolicies.of(destroyed).destroy();
  RemovalPolicies.of(retained).retain();
  const policies = Object.values(templateOf(destroyed).Resources).map(
    ({ DeletionPolicy = 'Delete' }) => DeletionPolicy,
  );
  expect(new Set(policies)).toEqual(new Set(['Delete']));
  expect(isProtected(destroyed)).toBe(false);
  expect(isProtected(retained)).toBe(true);
});

/** What the construct says of props, one line for each problem. */
function refusal(props: object, scope = theirStack()): string[] {
  try {
    new SecurityDataConnector(scope, 'Connector', props as SecurityDataConnectorProps);
    return [];
  } catch (error) {
    const { name, problems } = error as ConfigurationError;
    expect(name).toBe('ConfigurationError');
    return problems.map(({ path, reason }) => `${path} ${reason}`);
  }
}

function secretOf(scope: Stack, arn: string): secretsmanager.ISecret {
  return secretsmanager.Secret.fromSecretCompleteArn(scope, 'Secret', arn);
}

const ELSEWHERE = 'us-east-1:999999999999';
const SECRET = `arn:aws:secretsmanager:${ELSEWHERE}:secret:s-AbCdEf`;
const TABLE = `arn:aws:dynamodb:${ELSEWHERE}:table/t`;
const TOPIC = `arn:aws:sns:${ELSEWHERE}:a`;
const KEY = `arn:aws:kms:${ELSEWHERE}:key/01234567-89ab-cdef-0123-456789abcdef`;
const STREAM = `arn:aws:firehose:${ELSEWHERE}:deliverystream/d`;

const IN_US = { env: { account: '999999999999', region: 'us-east-1' } };

function tableOf(scope: Stack): dynamodb.ITable {
  return new dynamodb.Table(scope, 'Table', { partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING } });
}

describe('an existing resource in another place than the stack', () => {
  test.each<[prop: string, (scope: Stack) => Props]>([
    ['stateTable', scope => ({ stateTable: dynamodb.Table.fromTableArn(scope, 'T', TABLE) })],
    ['secret', scope => ({ secret: secretOf(scope, SECRET) })],
    [
      'destination.secret',
      scope => ({ destination: Destination.http({ url: ENDPOINT, secret: secretOf(scope, SECRET) }) }),
    ],
    ['alarmTopic', scope => ({ alarmTopic: sns.Topic.fromTopicArn(scope, 'A', TOPIC) })],
    ['stateTable', scope => ({ stateTable: tableOf(new Stack(scope.node.root, 'Other', IN_US)) })],
    ['encryptionKey', scope => ({ encryptionKey: kms.Key.fromKeyArn(scope, 'K', KEY) })],
    [
      'bucket',
      scope => ({ bucket: s3.Bucket.fromBucketAttributes(scope, 'B', { bucketName: 'bucket', region: 'us-east-1' }) }),
    ],
    [
      'destination.deliveryStream',
      scope => {
        const deliveryStream = firehose.DeliveryStream.fromDeliveryStreamArn(scope, 'D', STREAM);
        return { destination: Destination.existing({ deliveryStream }) };
      },
    ],
  ])('the prop %s with a resource in another place is refused if synth knows the stack’s place', (prop, props) => {
    const [known, unknown] = [theirStack(), new Stack(createApp(), 'Agnostic')];
    const reason = `^props\\.${prop} is in .*region us-east-1, but the stack in .*region eu-west-1: `;
    expect(refusal({ ...REQUIRED, ...props(known) }, known)).toEqual([expect.stringMatching(reason)]);
    expect(refusal({ ...REQUIRED, ...props(unknown) }, unknown)).toEqual([]);
  });

  test.each<[string, (scope: Stack) => Props]>([
    [
      'a secret with tokens in its ARN',
      scope => ({ secret: secretOf(scope, `arn:aws:secretsmanager:${Aws.REGION}:${Aws.ACCOUNT_ID}:secret:s-AbCdEf`) }),
    ],
    [
      'a key of another account',
      scope => ({ encryptionKey: kms.Key.fromKeyArn(scope, 'K', KEY.replace('us-east-1', 'eu-west-1')) }),
    ],
    [
      'a topic whose ARN is a token',
      scope => ({ alarmTopic: sns.Topic.fromTopicArn(scope, 'A', Fn.importValue('topic')) }),
    ],
    [
      'a secret of another account by its whole ARN',
      scope => ({ secret: secretOf(scope, SECRET.replace('us-east-1', 'eu-west-1')) }),
    ],
  ])('%s is accepted by a stack in a known place', (_, props) => {
    const scope = theirStack();
    expect(refusal({ ...REQUIRED, ...props(scope) }, scope)).toEqual([]);
  });
});

test('members that are not props are ignored, because stack props may have them', () => {
  const theirs = { team: 'security', bucketArn: 'arn:aws:s3:::theirs', retentionDays: 7, description: 'theirs' };
  const given = { ...REQUIRED, ...theirs, siemReader: { ...READER, team: 'security' } };
  expect(refusal(given)).toEqual([]);
});

test.each<[string, object, string[]]>([
  ['missing props', {}, ['connectorName', 'baseUrl', 'authUrl'].map(prop => `props.${prop} is required`)],
  [
    'several props that break rules of cdk.json',
    { ...REQUIRED, memorySize: 128, siemQueue: false, siemReader: READER },
    ['props.memorySize must be a whole number of megabytes', 'props.siemReader has nothing to read'],
  ],
  [
    'a rate of a minute and a half',
    { ...REQUIRED, rate: Duration.seconds(90) },
    ['props.rate must be a whole number of minutes'],
  ],
  [
    'an unsupported removal policy',
    { ...REQUIRED, removalPolicy: RemovalPolicy.SNAPSHOT },
    ['props.removalPolicy must be '],
  ],
  [
    'an invalid destination',
    { ...REQUIRED, destination: Destination.http({ url: 'http://siem.acme.example', retry: Duration.hours(3) }) },
    ['props.destination.url must begin with https', 'props.destination.retry must be a whole number of seconds'],
  ],
  [
    'an empty list of security groups',
    { ...REQUIRED, vpc: {}, securityGroups: [] },
    ['props.securityGroups must be a list of '],
  ],
  ['subnets without a VPC', { ...REQUIRED, vpcSubnets: {} }, ['props.vpcSubnets has no effect without vpc']],
  ['undefined props, which count as absent', { ...REQUIRED, rate: undefined, destination: undefined }, []],
])('the construct reports the problems of %s', (_, props, said) => {
  expect(refusal(props)).toEqual(said.map(text => expect.stringContaining(text)));
});

/** Parquet in the bucket of a lake: a destination that the connector does not know. */
class Lake extends Destination {
  readonly #eventsInBucket: boolean;

  constructor(eventsInBucket = false) {
    super();
    this.#eventsInBucket = eventsInBucket;
  }

  override bind(scope: Construct, { bucket, connectorName }: DestinationBindOptions): DestinationConfig {
    const role = new iam.Role(scope, 'Role', { assumedBy: new iam.ServicePrincipal('firehose.amazonaws.com') });
    const deliveryStream = new firehose.CfnDeliveryStream(scope, 'ToLake', {
      deliveryStreamName: `${connectorName}-lake`,
      s3DestinationConfiguration: { bucketArn: bucket.bucketArn, roleArn: role.roleArn },
    });
    const bufferInterval = Duration.minutes(5);
    return { deliveryStream, metricPrefix: 'DeliveryToLake', bufferInterval, eventsInBucket: this.#eventsInBucket };
  }
}

describe('a destination of the app', () => {
  test('a destination class of the app determines the stream of the function and the metrics of the alarms', () => {
    const { template, connector: made } = construct({ destination: new Lake() });
    expect(Object.keys(template.Resources)).toContainEqual(expect.stringMatching(/^ConnectorDeliveryToLake/));
    expect(made.newObjectsTopic).toBeUndefined();
    expect(JSON.stringify(only(template, 'AWS::Lambda::Function')['Environment'])).toContain('ConnectorDeliveryToLake');
    const late = propertiesOf(template, 'AWS::CloudWatch::Alarm').find(
      alarm => alarm['AlarmName'] === 'acme/delivery-late',
    );
    expect(late).toMatchObject({ MetricName: 'DeliveryToLake.DataFreshness', Threshold: 2 * 300 + 900 });
  });

  test('a destination of the app may have readers only if it writes to the bucket', () => {
    const { connector: made } = construct({ destination: new Lake(true), siemReader: READER });
    expect(made.siem?.role).toBeDefined();
    for (const readers of [{ siemReader: READER }, { siemReaders: [{ name: 'lake' }] }])
      expect(refusal({ ...REQUIRED, ...readers, destination: new Lake() })).toEqual([
        `props.${Object.keys(readers)[0]} has nothing to read: no events are in the bucket`,
      ]);
  });
});

test('the connections of the connector are the connections of its function, which need a VPC', () => {
  const { scope, connector: made } = construct(own => ({ vpc: new ec2.Vpc(own, 'Vpc', { natGateways: 0 }) }));
  made.connections.allowTo(ec2.Peer.ipv4('10.0.0.9/32'), ec2.Port.tcp(3128), 'The proxy');
  const rules = only(templateOf(scope), 'AWS::EC2::SecurityGroup')['SecurityGroupEgress'] as { CidrIp: string }[];
  expect(rules.map(({ CidrIp }) => CidrIp)).toEqual(['0.0.0.0/0', '10.0.0.9/32']);
  expect(() => construct().connector.connections).toThrow(/vpc/i);
});

test('the runbook of a release has an address, but the runbook of a clone has a path', () => {
  const repository = { url: 'git+https://github.com/acme/connector.git' };
  expect(runbookAddressOf({ version: '1.2.3', repository })).toBe(
    'https://github.com/acme/connector/blob/v1.2.3/docs/runbook.md',
  );
  expect(runbookAddressOf({ version: '1.2.3' })).toBe('docs/runbook.md');
});
