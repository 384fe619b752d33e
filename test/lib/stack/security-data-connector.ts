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
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type { ConfigurationError } from '../../../lib/config/problem.ts';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { createApp, templateOf } from '../synth.ts';
import { only, resources, type SynthesizedTemplate } from '../template.ts';
import { construct, REQUIRED, theirStack } from './construct.ts';
import { actionsOf, identityStatements, type Statement } from './policies.ts';

const TABLE_ARN = 'arn:aws:dynamodb:eu-west-1:111122223333:table/acme-State';

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

function problems(props: Partial<SecurityDataConnectorProps>): string[] {
  try {
    construct(props);
    return [];
  } catch (error) {
    return (error as ConfigurationError).problems.map(({ path }) => path);
  }
}

describe('the construct in somebody’s own app', () => {
  test('needs a name and two addresses', () => {
    expect(only(construct().template, 'AWS::Lambda::Function')).toMatchObject({ MemorySize: 1769 });
  });

  test('refuses a bucket that another connector of the app has, in the same stack or in another', () => {
    const app = createApp();
    const one = new Stack(app, 'One');
    const two = new Stack(app, 'Two');
    const bucket = new s3.Bucket(one, 'Bucket');
    const arn = 'arn:aws:s3:::shared';
    const named = (connectorName: string) => ({ ...REQUIRED, connectorName });
    new SecurityDataConnector(one, 'Connector', { ...REQUIRED, bucket });
    expect(() => new SecurityDataConnector(two, 'Same', { ...named('same'), bucket })).toThrow(
      /props\.bucket: .*own bucket/,
    );
    new SecurityDataConnector(two, 'First', { ...named('first'), bucket: s3.Bucket.fromBucketArn(two, 'A', arn) });
    const again = s3.Bucket.fromBucketArn(one, 'B', arn);
    expect(() => new SecurityDataConnector(one, 'Second', { ...named('second'), bucket: again })).toThrow(/own bucket/);
    new SecurityDataConnector(one, 'Third', { ...named('third'), bucket: new s3.Bucket(one, 'Another') });
  });

  test('refuses the name of another connector in the same account and region, in one sentence that names both', () => {
    const app = createApp();
    const [one, two] = ['One', 'Two'].map(id => new Stack(app, id)) as [Stack, Stack];
    new SecurityDataConnector(one, 'Connector', REQUIRED);
    expect(() => new SecurityDataConnector(two, 'Connector', REQUIRED)).toThrow(
      '  props.connectorName: "acme" is also the name of One/Connector, and alarms, metrics and exports of one account and region are named after it',
    );
    for (const env of ['eu-central-1', 'eu-west-1'].map(region => ({ account: '111122223333', region }))) {
      new SecurityDataConnector(new Stack(app, env.region, { env }), 'Connector', REQUIRED);
    }
  });

  test('warns of its name in another stage, because stages are often deployed to accounts that synth does not know', () => {
    const app = createApp();
    const env = { account: '111122223333' };
    const [beta, prod] = ['Beta', 'Prod'].map(id => new Stack(new Stage(app, id), 'Stack')) as [Stack, Stack];
    const regions = ['BetaRegion', 'ProdRegion'].map(id => new Stack(new Stage(app, id, { env }), 'Stack'));
    for (const scope of regions) new SecurityDataConnector(scope, 'Connector', REQUIRED);
    const warnings = [beta, prod].map(scope => {
      const { node } = new SecurityDataConnector(scope, 'Connector', REQUIRED);
      return node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => String(data));
    });
    expect(warnings).toEqual([[], [expect.stringContaining('"acme" is also the name of Beta/Stack/Connector')]]);
    const twice = new Stack(
      new Stage(app, 'Known', { env: { account: '111122223333', region: 'eu-west-1' } }),
      'Stack',
    );
    const again = new Stack(new Stage(app, 'Same', { env: { account: '111122223333', region: 'eu-west-1' } }), 'Stack');
    new SecurityDataConnector(twice, 'Connector', REQUIRED);
    expect(() => new SecurityDataConnector(again, 'Connector', REQUIRED)).toThrow(/is also the name of Known/);
  });

  test('refuses a table that another connector of the app has', () => {
    const app = createApp();
    const [one, two] = ['One', 'Two'].map(id => new Stack(app, id)) as [Stack, Stack];
    const named = (connectorName: string) => ({ ...REQUIRED, connectorName });
    const first = new SecurityDataConnector(one, 'First', named('first'));
    const table = (scope: Stack, id: string) => dynamodb.Table.fromTableArn(scope, id, TABLE_ARN);
    expect(() => new SecurityDataConnector(two, 'A', { ...named('a'), stateTable: first.state })).toThrow(/own table/);
    new SecurityDataConnector(one, 'B', { ...named('b'), stateTable: table(one, 'TableOfB') });
    expect(() => new SecurityDataConnector(two, 'C', { ...named('c'), stateTable: table(two, 'TableOfC') })).toThrow(
      /props\.stateTable: would mix/,
    );
  });

  test('continues with the table of a connector that was removed, with grants, dashboard and outputs as with its own', () => {
    const facts = (props: (scope: Stack) => Partial<SecurityDataConnectorProps>) => {
      const { template } = construct(scope => ({ ...props(scope), dashboard: true }));
      const used = identityStatements(template).filter(({ statement }) =>
        actionsOf(statement).some(action => action.startsWith('dynamodb:')),
      );
      return {
        tables: resources(template, 'AWS::DynamoDB::Table').length,
        granted: used.map(({ statement }) => [actionsOf(statement), statement.Resource]),
        variable: (only(template, 'AWS::Lambda::Function')['Environment'] as { Variables: object }).Variables,
        dashboard: JSON.stringify(only(template, 'AWS::CloudWatch::Dashboard')),
        output: Object.entries(template.Outputs).find(([id]) => id.includes('StateTableName'))![1].Value,
      };
    };
    const own = facts(() => ({}));
    const old = facts(scope => ({ stateTable: dynamodb.Table.fromTableArn(scope, 'Old', TABLE_ARN) }));
    expect([own.tables, old.tables]).toEqual([1, 0]);
    expect(old.granted).toEqual([[own.granted[0]![0], TABLE_ARN]]);
    expect(old.variable).toMatchObject({ STATE_TABLE: 'acme-State' });
    expect(old.output).toBe('acme-State');
    expect(old.dashboard).toContain('"ReadThrottleEvents\\",\\"TableName\\",\\"acme-State\\"');
  });

  test.each<[string, boolean, (scope: Stack) => Partial<SecurityDataConnectorProps>]>([
    ['with a bucket that exists and a new table', true, scope => ({ bucket: new s3.Bucket(scope, 'Old') })],
    [
      'with a bucket and a table that exist',
      false,
      scope => ({
        bucket: new s3.Bucket(scope, 'Old'),
        stateTable: dynamodb.Table.fromTableArn(scope, 'Table', TABLE_ARN),
      }),
    ],
    ['with everything new', false, () => ({})],
  ])('warns that a new table sends everything again to a SIEM that has it: %s (%s)', (_, warned, props) => {
    const warnings = construct(props).connector.node.metadata.filter(
      ({ type, data }) => type === 'aws:cdk:warning' && /stateTableArn/.test(data),
    );
    expect(warnings).toHaveLength(warned ? 1 : 0);
  });

  test('exports the parts of each of two connectors of a stack below its name, and not those of the other', () => {
    const scope = theirStack();
    const props = { ...REQUIRED, dashboard: true };
    new SecurityDataConnector(scope, 'One', props);
    new SecurityDataConnector(scope, 'Two', { ...props, connectorName: 'other' });
    const { Outputs, Resources } = templateOf(scope);
    const exported = Object.entries(Outputs).map(([id, { Value, Export }]) => {
      const text = JSON.stringify(Value);
      const parts = Object.keys(Resources).filter(resource => text.includes(`"${resource}"`));
      const named = /acme/.test(text) ? ['One'] : /other/.test(text) ? ['Two'] : [];
      const parents = [...parts.map(part => part.slice(0, 3)), ...named];
      return { id, of: String(Export?.Name).split(':')[1], parents: [...new Set(parents)] };
    });
    const names = Object.values(Outputs).map(output => output.Export?.Name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('security-data-connector:acme:FunctionName');
    expect(names).toContain('security-data-connector:other:FillCredentials');
    const connectors: Readonly<Record<string, string>> = { acme: 'One', other: 'Two' };
    expect(exported.filter(({ of, parents }) => parents.some(each => each !== connectors[of!]))).toEqual([]);
    const anonymous = exported.filter(({ parents }) => parents.length === 0).map(({ id }) => id.slice(3));
    expect(new Set(anonymous.map(id => id.replace(/[0-9A-F]{8}$/, '')))).toEqual(
      new Set(['ConnectorVersion', 'SiemRegion']),
    );
    expect(exported.length).toBeGreaterThan(30);
  });

  test('shows what others build on', () => {
    const { scope, connector } = construct({ dashboard: true });
    connector.alarms.critical.addAlarmAction({ bind: () => ({ alarmActionArn: 'arn:aws:sns:eu-west-1:1:theirs' }) });
    connector.bucket.grantRead(
      new iam.Role(scope, 'Reader', { assumedBy: new iam.AccountRootPrincipal() }),
      'events/*',
    );
    const template = templateOf(scope);
    expect(JSON.stringify(resources(template, 'AWS::CloudWatch::CompositeAlarm'))).toContain('sns:eu-west-1:1:theirs');
    expect(connector).toMatchObject({ connectorName: 'acme' });
    for (const part of [connector.logGroup, connector.dashboard, connector.alarms.warning]) expect(part).toBeDefined();
  });

  test('takes objects of the same stack in place of its own', () => {
    const scope = theirStack();
    const key = new kms.Key(scope, 'Key');
    const vpc = new ec2.Vpc(scope, 'Vpc', { availabilityZones: ['eu-west-1a'] });
    const props = {
      encryptionKey: key,
      secret: new secretsmanager.Secret(scope, 'Theirs'),
      bucket: new s3.Bucket(scope, 'Bucket', { encryptionKey: key }),
      alarmTopic: new sns.Topic(scope, 'Topic'),
      network: { vpc, subnets: { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS } },
      destination: { type: 's3', bufferInterval: Duration.seconds(300) },
    } as const;
    const { connector, template } = construct(props, scope);
    for (const type of ['AWS::SecretsManager::Secret', 'AWS::S3::Bucket', 'AWS::KMS::Key']) {
      expect(resources(template, type)).toHaveLength(1);
    }
    const topics = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::SNS::Topic');
    expect(topics.map(([id]) => id.slice(0, -8))).toEqual(['Topic', 'ConnectorNewObjects']);
    expect(connector.siem).toBeDefined();
    expect(resources(template, 'AWS::KinesisFirehose::DeliveryStream')[0]!.Properties).toMatchObject({
      ExtendedS3DestinationConfiguration: { BufferingHints: { IntervalInSeconds: 300 } },
    });
  });

  test('does not change the notifications of an existing bucket, whose administrator can send them to the queue', () => {
    const { scope, connector, template } = construct(own => ({ bucket: new s3.Bucket(own, 'Bucket') }));
    const [theirs] = resources(template, 'AWS::S3::Bucket');
    expect(theirs).not.toHaveProperty('Properties.NotificationConfiguration');
    const policy = connector.siem!.queue.node.findChild('Policy').node.defaultChild as sqs.CfnQueuePolicy;
    expect(JSON.stringify(scope.resolve(policy.policyDocument))).toContain('"aws:SourceArn":{"Fn::GetAtt":["Bucket');
  });

  test('puts records into a delivery stream of the same stack', () => {
    const { template } = construct(scope => {
      const destination = new firehose.S3Bucket(new s3.Bucket(scope, 'Bucket'));
      const deliveryStream = new firehose.DeliveryStream(scope, 'Theirs', { destination });
      return { destination: { type: 'existing', deliveryStream } };
    });
    const put = identityStatements(template).filter(({ statement }) =>
      actionsOf(statement).includes('firehose:PutRecordBatch'),
    );
    expect(put.map(({ statement }) => statement.Resource)).toEqual([
      { 'Fn::GetAtt': [expect.stringMatching(/^Theirs/), 'Arn'] },
    ]);
  });

  test('matches the full ARN of a secret that is known by name only', () => {
    const { template } = construct(scope => ({
      secret: secretsmanager.Secret.fromSecretNameV2(scope, 'Theirs', 'acme'),
    }));
    expect(JSON.stringify(identityStatements(template))).toContain('secret:acme-??????');
  });

  test('may use the keys of a bucket, a secret and a table that are given, through their services only', () => {
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
      destination: {
        type: 'http',
        url: 'https://siem.acme.example',
        secret: new secretsmanager.Secret(scope, 'Token', { encryptionKey: key('OfToken') }),
      },
    } as const;
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

  test('lets the SIEM use the key of a bucket that is given', () => {
    const { template } = construct(scope => ({
      bucket: new s3.Bucket(scope, 'Bucket', { encryptionKey: new kms.Key(scope, 'OfBucket') }),
    }));
    expect(keyUses(template)).toEqual({
      ConnectorPollerRole: ['s3 OfBucket kms:Decrypt,kms:GenerateDataKey'],
      ConnectorDeliveryRole: ['s3 OfBucket kms:Decrypt,kms:GenerateDataKey'],
      ConnectorSiemReaderPolicy: ['s3 OfBucket kms:Decrypt'],
    });
  });

  test('lets CloudWatch publish to a topic that is given, and use its key', () => {
    const { template } = construct(scope => ({
      alarmTopic: new sns.Topic(scope, 'Theirs', { enforceSSL: true, masterKey: new kms.Key(scope, 'OfTopic') }),
    }));
    const [, theirs] = Object.entries(template.Resources).find(([id]) => id.startsWith('TheirsPolicy'))!;
    const granted = [theirs.Properties['PolicyDocument'], only(template, 'AWS::KMS::Key')['KeyPolicy']];
    const actions = (granted as { Statement: Statement[] }[]).map(({ Statement: all }) =>
      all
        .filter(({ Principal }) => JSON.stringify(Principal).includes('cloudwatch.amazonaws.com'))
        .flatMap(statement => [actionsOf(statement), statement.Condition]),
    );
    const account = { StringEquals: { 'aws:SourceAccount': '111122223333' } };
    expect(actions).toEqual([
      [['sns:Publish'], account],
      [['kms:Decrypt', 'kms:GenerateDataKey*'], account],
    ]);
  });

  describe('with a topic of another account', () => {
    const app = createApp();
    const theirs = new Stack(app, 'Shared', { env: { account: '222222222222', region: 'eu-west-1' } });

    /** Who may publish to the topic, after a connector of this stack got it. */
    function given(scope: Stack, topicName: string) {
      const alarmTopic = new sns.Topic(theirs, topicName, { topicName });
      const props = { ...REQUIRED, connectorName: topicName, alarmTopic, runbookUrl: 'https://wiki.example' };
      const { node } = new SecurityDataConnector(scope, 'Connector', props);
      return { alarmTopic, warnings: node.metadata.filter(({ type }) => type === 'aws:cdk:warning') };
    }

    function publishers({ node }: sns.Topic): unknown[] {
      const { policyDocument } = node.findChild('Policy').node.defaultChild as sns.CfnTopicPolicy;
      const { Statement: statements } = theirs.resolve(policyDocument) as { Statement: Statement[] };
      return statements.map(({ Condition }) => Condition);
    }

    test('lets the alarms of its own account publish, which are not those of the account of the topic', () => {
      const { alarmTopic, warnings } = given(theirStack(app, 'Known'), 'known');
      expect(publishers(alarmTopic)).toEqual([{ StringEquals: { 'aws:SourceAccount': '111122223333' } }]);
      expect(warnings).toEqual([]);
    });

    test('warns where synth does not know its own account, because the policy of the topic names it', () => {
      const { alarmTopic, warnings } = given(new Stack(app, 'Unknown'), 'unknown');
      expect(publishers(alarmTopic)).toEqual([{ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }]);
      expect(warnings.map(({ data }) => data)).toEqual([expect.stringMatching(/alarmTopic .*222222222222.* env/s)]);
    });
  });

  test('logs are kept for ever with RetentionDays.INFINITE', () => {
    const groups = resources(construct({ logRetention: logs.RetentionDays.INFINITE }).template, 'AWS::Logs::LogGroup');
    expect(groups.map(({ Properties = {} }) => Properties['RetentionInDays'])).toEqual([undefined, undefined]);
  });

  test('is thrown away with all that it holds where the app decides so for everything', () => {
    const { scope } = construct();
    RemovalPolicies.of(scope).destroy();
    const template = templateOf(scope);
    const kept = Object.values(template.Resources).filter(
      ({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete',
    );
    expect(kept.map(({ Type }) => Type)).toEqual([]);
    expect(only(template, 'AWS::DynamoDB::Table')['DeletionProtectionEnabled']).toBe(false);
  });

  test('is kept and protected where the app decides so for everything', () => {
    const { scope } = construct({ removalPolicy: RemovalPolicy.DESTROY });
    RemovalPolicies.of(scope).retain();
    expect(only(templateOf(scope), 'AWS::DynamoDB::Table')['DeletionProtectionEnabled']).toBe(true);
  });
});

describe('the construct holds its props to the rules of the configuration', () => {
  test.each<[string, Partial<SecurityDataConnectorProps>]>([
    ['connectorName', { connectorName: 'Acme' }],
    ['connectorName', { connectorName: undefined as unknown as string }],
    ['baseUrl', { baseUrl: 'http://api.acme.example' }],
    ['rate', { rate: Duration.seconds(30) }],
    ['rate', { rate: Duration.seconds(90) }],
    ['memorySize', { memorySize: 128 }],
    ['dnsBlocksPath', { dnsBlocksPath: 'v1/dns' }],
    ['filters.threats', { filters: { threats: 'a ==' } }],
    ['filters.dnsBlocks', { filters: { dnsBlocks: 'a' } }],
    ['omit.assets[0]', { omit: { assets: ['id'] } }],
    ['omit.threats', { omit: { threats: ['asset_id'] } }],
    ['destination.url', { destination: { type: 'http', url: 'http://siem.acme.example' } }],
    ['destination.bufferInterval', { destination: { type: 's3', bufferInterval: Duration.seconds(901) } }],
    ['siemReader.principal', { siemReader: { type: 'external-id', principal: '*', externalId: 'x-1' } }],
    [
      'siemReader',
      { siemQueue: false, siemReader: { type: 'external-id', principal: '111122223333', externalId: 'x-1' } },
    ],
  ])('and refuses %s, by the name of the prop', (member, props) => {
    expect(problems(props)).toEqual([`props.${member}`]);
  });

  test('and names every problem at once', () => {
    expect(problems({ memorySize: 0, authUrl: 'http://x.example' })).toEqual(['props.authUrl', 'props.memorySize']);
  });
});

/** What the construct says to a program in JavaScript, which no compiler has checked: one line for each fault. */
function refusal(props: unknown, scope = theirStack()): string[] {
  try {
    new SecurityDataConnector(scope, 'Connector', props as SecurityDataConnectorProps);
    return [];
  } catch (error) {
    const { name, problems: all } = error as ConfigurationError;
    expect(name).toBe('ConfigurationError');
    return all.map(({ path, reason }) => `${path} ${reason}`);
  }
}

/** Resources of account 999999999999 and region us-east-1, as the methods of the CDK import them. */
const ELSEWHERE: readonly [prop: string, (scope: Stack) => Partial<SecurityDataConnectorProps>][] = [
  ['stateTable', scope => ({ stateTable: dynamodb.Table.fromTableArn(scope, 'T', elsewhere('dynamodb', 'table/t')) })],
  [
    'stateTable',
    scope => ({ stateTable: dynamodb.TableV2.fromTableArn(scope, 'T', elsewhere('dynamodb', 'table/t')) }),
  ],
  [
    'destination.deliveryStream',
    scope => {
      const arn = elsewhere('firehose', 'deliverystream/d');
      return {
        destination: {
          type: 'existing',
          deliveryStream: firehose.DeliveryStream.fromDeliveryStreamArn(scope, 'D', arn),
        },
      };
    },
  ],
  ['secret', scope => ({ secret: secretOf(scope, elsewhere('secretsmanager', 'secret:s-AbCdEf')) })],
  [
    'destination.secret',
    scope => {
      const secret = secretOf(scope, elsewhere('secretsmanager', 'secret:s-AbCdEf'));
      return { destination: { type: 'http', url: 'https://siem.acme.example', secret } };
    },
  ],
  [
    'alarmTopic',
    scope => ({
      alarmTopic: sns.Topic.fromTopicArn(scope, 'A', elsewhere('sns', 'a')),
      runbookUrl: 'https://wiki.example',
    }),
  ],
  [
    'encryptionKey',
    scope => ({
      encryptionKey: kms.Key.fromKeyArn(scope, 'K', elsewhere('kms', 'key/01234567-89ab-cdef-0123-456789abcdef')),
    }),
  ],
  [
    'bucket',
    scope => ({ bucket: s3.Bucket.fromBucketAttributes(scope, 'B', { bucketName: 'bucket', region: 'us-east-1' }) }),
  ],
];

function elsewhere(service: string, resource: string): string {
  return `arn:aws:${service}:us-east-1:999999999999:${resource}`;
}

function secretOf(scope: Stack, arn: string): secretsmanager.ISecret {
  return secretsmanager.Secret.fromSecretCompleteArn(scope, 'Secret', arn);
}

describe('an existing resource in another place than the stack', () => {
  test.each(ELSEWHERE)(
    'a resource in another place than the stack is refused by the name of the prop: %s',
    (prop, props) => {
      const scope = theirStack();
      expect(refusal({ ...REQUIRED, ...props(scope) }, scope)).toEqual([
        expect.stringMatching(
          new RegExp(`^props\\.${prop} is in .*region us-east-1, but the stack in .*region eu-west-1: `),
        ),
      ]);
    },
  );

  test.each(ELSEWHERE)(
    'a resource of any place is accepted when synth does not know the place of the stack: %s',
    (_, props) => {
      const scope = new Stack(createApp(), 'Agnostic');
      expect(refusal({ ...REQUIRED, ...props(scope) }, scope)).toEqual([]);
    },
  );

  test.each<[string, (scope: Stack, other: Stack) => Partial<SecurityDataConnectorProps>]>([
    [
      'tokens in its ARN',
      scope => ({ secret: secretOf(scope, `arn:aws:secretsmanager:${Aws.REGION}:${Aws.ACCOUNT_ID}:secret:s-AbCdEf`) }),
    ],
    ['an ARN that is a token', scope => ({ alarmTopic: sns.Topic.fromTopicArn(scope, 'A', Fn.importValue('topic')) })],
    [
      'another account, and is a topic',
      scope => ({ alarmTopic: sns.Topic.fromTopicArn(scope, 'A', 'arn:aws:sns:eu-west-1:999999999999:a') }),
    ],
    [
      'another account, and is a secret by its whole ARN',
      scope => ({ secret: secretOf(scope, 'arn:aws:secretsmanager:eu-west-1:999999999999:secret:s-AbCdEf') }),
    ],
  ])('is taken with %s', (_, props) => {
    const scope = theirStack();
    expect(refusal({ ...REQUIRED, runbookUrl: 'https://wiki.example', ...props(scope, scope) }, scope)).toEqual([]);
  });

  test('a secret of another account is refused without its full ARN', () => {
    const scope = theirStack();
    const arn = 'arn:aws:secretsmanager:eu-west-1:999999999999:secret:s';
    const secret = secretsmanager.Secret.fromSecretPartialArn(scope, 'Secret', arn);
    expect(refusal({ ...REQUIRED, secret }, scope)).toEqual([
      expect.stringMatching(/^props\.secret is in account 999999999999, .*whole ARN/),
    ]);
  });

  test('a table that another stack of the app creates is refused', () => {
    const scope = theirStack();
    const other = new Stack(scope.node.root, 'Other', { env: { account: '111122223333', region: 'us-east-1' } });
    const partitionKey = { name: 'pk', type: dynamodb.AttributeType.STRING };
    const stateTable = new dynamodb.Table(other, 'Table', { partitionKey });
    expect(refusal({ ...REQUIRED, stateTable }, scope)).toEqual([
      expect.stringMatching(/^props\.stateTable is in region us-east-1/),
    ]);
  });
});

/** The usual pattern of a stack of one's own: its props are those of the construct and more. */
interface TheirProps extends SecurityDataConnectorProps {
  readonly team: string;
  readonly alarmTarget: { readonly url: string };
}

/** Warnings of unknown members, which the template does not need. */
function unknownMembers(props: object): string[] {
  const scope = theirStack();
  const { node } = new SecurityDataConnector(scope, 'Connector', { ...REQUIRED, ...props });
  expect(resources(templateOf(scope), 'AWS::Lambda::Function')).toHaveLength(1);
  const warnings = node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => String(data));
  return warnings.filter(text => text.includes('is not a prop')).map(text => text.split(' [ack:')[0]!);
}

describe('members that are not props', () => {
  test('additional members are ignored in an interface that extends the props', () => {
    const theirs: TheirProps = { ...REQUIRED, team: 'security', alarmTarget: { url: 'https://pager.example' } };
    expect(unknownMembers(theirs)).toEqual([]);
  });

  test('additional members are not taken for options of cdk.json', () => {
    const options = { bucketArn: 'arn:aws:s3:::theirs', retentionDays: 7, alarmTopicArn: 'theirs' };
    const given = { ...REQUIRED, retention: Duration.days(30), alarmEmail: 'a@b.example', ...options };
    expect(refusal(given)).toEqual([]);
  });

  test('additional members of a destination, a reader or a network are ignored', () => {
    const scope = theirStack();
    const siemReader = { type: 'external-id', principal: '111122223333', externalId: 'x-1', team: 'security' } as const;
    const network = { vpc: new ec2.Vpc(scope, 'Vpc', { availabilityZones: ['eu-west-1a'] }), flowLogs: true };
    const destination = { type: 's3', purpose: 'lake' } as const;
    const given = { ...REQUIRED, siemReader, network, destination };
    expect(refusal(given, scope)).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['a misspelt prop', { memorysize: 10 }, ['props.memorysize is not a prop; did you mean memorySize?']],
    ['the name of an option', { rateMinutes: 5 }, ['props.rateMinutes is not a prop; did you mean rate?']],
    [
      'the name of an option of a destination',
      { destination: { type: 's3', bufferSeconds: 5, toString: 1 } },
      ['props.destination.bufferSeconds is not a prop; did you mean bufferInterval?'],
    ],
  ])('are ignored with a warning where one is %s', (_, props, warnings) => {
    expect(unknownMembers(props)).toEqual(warnings.map(text => expect.stringContaining(text)));
  });
});

describe('props that TypeScript takes, or that JavaScript gives', () => {
  test.each<[string, unknown, string[]]>([
    [
      'nothing of what is required',
      {},
      ['connectorName', 'baseUrl', 'authUrl'].map(prop => `props.${prop} is required`),
    ],
    [
      'a text in place of a removal policy',
      { removalPolicy: 'keep' },
      ['props.removalPolicy must be RemovalPolicy.DESTROY, RETAIN, RETAIN_ON_UPDATE_OR_DELETE'],
    ],
    [
      'an unknown destination',
      { destination: { type: 's4' } },
      ['props.destination.type must be "s3", "splunk", "http" or "existing"'],
    ],
    ['no destination', { destination: null }, ['props.destination must be an object']],
    [
      'a destination without its type',
      { destination: {} },
      ['props.destination.type is required: must be "s3", "splunk", "http" or "existing"'],
    ],
    [
      'a destination with problems of its own',
      { destination: { type: 'http', bufferSeconds: 5, retry: Duration.hours(3), toString: 1 } },
      ['props.destination.retry must be a whole number of seconds from 0 to 7200', 'props.destination.url is required'],
    ],
    [
      'a reader of a type that every object has',
      { siemReader: { type: 'constructor' } },
      ['props.siemReader.type must be "external-id" or "sentinel"'],
    ],
    [
      'a network without a security group in its list',
      { network: { securityGroups: [] } },
      ['props.network.securityGroups must be a list of ISecurityGroup, one at least'],
    ],
    ['a text for a flag', { enabled: 'no' }, ['props.enabled must be true or false']],
    [
      'a misspelt stream',
      { filters: { threat: 'a' } },
      ['props.filters.threat is not an option; did you mean threats?'],
    ],
  ])('are refused by their names: %s', (_, props, said) => {
    const given = props && Object.keys(props).length > 0 ? { ...REQUIRED, ...props } : props;
    expect(refusal(given).sort()).toEqual(said.toSorted());
  });

  test('a prop that is undefined is absent', () => {
    expect(refusal({ ...REQUIRED, rate: undefined, destination: undefined })).toEqual([]);
  });

  test('wrong props are all named at once', () => {
    const props = {
      ...REQUIRED,
      baseUrl: undefined,
      rate: Duration.hours(2),
      destination: { type: 's4' },
      colour: 'red',
    };
    const named = refusal(props).map(line => line.split(' ')[0]!);
    expect(named.sort()).toEqual(['baseUrl', 'destination.type', 'rate'].map(prop => `props.${prop}`));
  });
});
