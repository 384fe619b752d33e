import { type AwsNames, LOCAL_ACCOUNT, secretArn } from '../../local/aws/local-aws.ts';
import { arn, type ResourcePlace } from '../../local/aws/service.ts';
import { type References, resolveText, type Template, type TemplateResource } from '../../local/deployment/template.ts';

/** Where every resource is. */
export const PLACE: ResourcePlace = { region: 'us-east-1', account: LOCAL_ACCOUNT };

export interface NameOptions {
  readonly stackName: string;
  /** Names of the resources that the function uses. */
  readonly names: AwsNames;
}

/** What `Ref` gives for a resource, and `Fn::GetAtt` for its attributes. */
interface Names {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The property that names a resource, by type. Without it, CloudFormation generates a name. */
const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::CompositeAlarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Scheduler::Schedule': 'Name',
};

/** The shortest limit of a service on its names. */
const LONGEST_NAME = 64;

/** Names of a template's resources as they are on this machine. */
export function createReferences(template: Template, options: NameOptions): References {
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Partition': 'aws',
    'AWS::Region': PLACE.region,
    'AWS::AccountId': PLACE.account,
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': options.stackName,
    // Every id ends in the same UUID, so that names that are made of it are the same in every run.
    'AWS::StackId': arn(PLACE, 'cloudformation', `stack/${options.stackName}/10ca1000-0000-4000-8000-000000000000`),
  };
  const find = (id: string): Names => {
    const resource = template.Resources[id];
    if (!resource) throw new RangeError(`The template has no resource ${id}.`);
    return namesOf(resource, nameOf(id, resource), options);
  };
  const nameOf = (id: string, { Type: type, Properties: properties = {} }: TemplateResource): string => {
    const given = properties[NAME_PROPERTIES[type] ?? ''];
    return given === undefined ? madeName(options.stackName, id) : resolveText(given, references);
  };
  const references: References = {
    ref: id => pseudo[id] ?? find(id).ref,
    attribute(id, name) {
      const value = find(id).attributes[name];
      if (value === undefined) throw new RangeError(`${name} of ${id} is not known here.`);
      return value;
    },
  };
  return references;
}

/** CloudFormation adds random characters. They are left out here, so that every run has the same names. */
export function madeName(stackName: string, id: string): string {
  return `${stackName}-${id}`.slice(0, LONGEST_NAME);
}

function namesOf({ Type: type }: TemplateResource, name: string, { names }: NameOptions): Names {
  const named = (ref: string, service: string, kind: string): Names => ({
    ref,
    attributes: { Arn: arn(PLACE, service, `${kind}${ref}`) },
  });
  const topic = arn(PLACE, 'sns', name);
  const secret = secretArn(names.secret, PLACE);
  const ofIam = (kind: string) => arn({ ...PLACE, region: '' }, 'iam', `${kind}/${name}`);
  switch (type) {
    case 'AWS::CloudWatch::Alarm':
    case 'AWS::CloudWatch::CompositeAlarm':
      return named(name, 'cloudwatch', 'alarm:');
    case 'AWS::DynamoDB::Table':
      return named(names.stateTable, 'dynamodb', 'table/');
    case 'AWS::EC2::SecurityGroup':
      return { ref: name, attributes: { GroupId: name } };
    case 'AWS::IAM::ManagedPolicy':
      return { ref: ofIam('policy'), attributes: { PolicyArn: ofIam('policy') } };
    case 'AWS::IAM::OIDCProvider':
      return { ref: ofIam('oidc-provider'), attributes: { Arn: ofIam('oidc-provider') } };
    case 'AWS::IAM::Role':
      return { ref: name, attributes: { Arn: ofIam('role') } };
    case 'AWS::KinesisFirehose::DeliveryStream':
      return named(names.deliveryStream, 'firehose', 'deliverystream/');
    case 'AWS::Lambda::Function':
      return named(name, 'lambda', 'function:');
    case 'AWS::Logs::LogGroup':
      return { ref: name, attributes: { Arn: arn(PLACE, 'logs', `log-group:${name}:*`) } };
    case 'AWS::S3::Bucket':
      return { ref: names.deadLetterBucket, attributes: { Arn: `arn:aws:s3:::${names.deadLetterBucket}` } };
    case 'AWS::SNS::Topic':
      return { ref: topic, attributes: { TopicArn: topic, TopicName: name } };
    case 'AWS::SQS::Queue':
      return {
        ref: `https://sqs.${PLACE.region}.amazonaws.com/${PLACE.account}/${name}`,
        attributes: { Arn: arn(PLACE, 'sqs', name), QueueName: name },
      };
    case 'AWS::Scheduler::Schedule':
      return named(name, 'scheduler', 'schedule/default/');
    case 'AWS::SecretsManager::Secret':
      return { ref: secret, attributes: { Id: secret } };
    default:
      return { ref: name, attributes: {} };
  }
}
