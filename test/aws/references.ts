import { type AwsNames, LOCAL_ACCOUNT, secretArn } from '../../local/aws/local-aws.ts';
import { arn, type ResourcePlace } from '../../local/aws/service.ts';
import type { ReferenceResolver, Template, TemplateResource } from '../../local/deployment/template.ts';

/** Where every resource is. */
export const PLACE: ResourcePlace = { region: 'us-east-1', account: LOCAL_ACCOUNT };

/** IAM has no regions. */
const GLOBAL: ResourcePlace = { ...PLACE, region: '' };

export interface NameOptions {
  readonly stackName: string;
  /** Names of the resources that the function uses. */
  readonly names: AwsNames;
}

/** The longest name that every service allows. */
const LONGEST_NAME = 64;

/** Creates the references of a template whose resources have their names on this machine. */
export function createReferences(template: Template, { stackName, names }: NameOptions): ReferenceResolver {
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Partition': 'aws',
    'AWS::Region': PLACE.region,
    'AWS::AccountId': PLACE.account,
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    // Every id ends in the same UUID, so that names that are made of it are the same in every run.
    'AWS::StackId': arn(PLACE, 'cloudformation', `stack/${stackName}/10ca1000-0000-4000-8000-000000000000`),
  };
  const resource = (id: string): NamedResource => {
    const found = template.Resources[id];
    if (!found) throw new RangeError(`The template has no resource ${id}.`);
    // CloudFormation adds random characters. They are left out, so that every run has the same
    // names.
    return named(found, `${stackName}-${id}`.slice(0, LONGEST_NAME), names);
  };
  return {
    ref: id => pseudo[id] ?? resource(id).ref,
    attribute(id, name) {
      const value = { QueueName: resource(id).name, Arn: resource(id).arn }[name];
      if (value === undefined) throw new RangeError(`${name} of ${id} is not known here.`);
      return value;
    },
  };
}

interface NamedResource {
  readonly name: string;
  /** The value of `Ref`. */
  readonly ref: string;
  readonly arn?: string;
}

/** @param generated the name that CloudFormation generates */
function named({ Type: type, Properties = {} }: TemplateResource, generated: string, names: AwsNames): NamedResource {
  const refersByName = (service: string, kind: string, name = generated): NamedResource => ({
    name,
    ref: name,
    arn: arn(PLACE, service, `${kind}${name}`),
  });
  const refersByArn = (ref: string): NamedResource => ({ name: generated, ref, arn: ref });

  switch (type) {
    case 'AWS::CloudWatch::Alarm':
    case 'AWS::CloudWatch::CompositeAlarm':
      return refersByName('cloudwatch', 'alarm:', String(Properties['AlarmName']));
    case 'AWS::DynamoDB::Table':
      return refersByName('dynamodb', 'table/', names.stateTable);
    case 'AWS::IAM::ManagedPolicy':
      return refersByArn(arn(GLOBAL, 'iam', `policy/${generated}`));
    case 'AWS::IAM::Role':
      return { name: generated, ref: generated, arn: arn(GLOBAL, 'iam', `role/${generated}`) };
    case 'AWS::KinesisFirehose::DeliveryStream':
      return refersByName('firehose', 'deliverystream/', names.deliveryStream);
    case 'AWS::Lambda::Function':
      return refersByName('lambda', 'function:');
    case 'AWS::Logs::LogGroup':
      return { name: generated, ref: generated, arn: arn(PLACE, 'logs', `log-group:${generated}:*`) };
    case 'AWS::S3::Bucket':
      return { name: generated, ref: names.deadLetterBucket, arn: `arn:aws:s3:::${names.deadLetterBucket}` };
    case 'AWS::SNS::Topic':
      return refersByArn(arn(PLACE, 'sns', generated));
    case 'AWS::SQS::Queue': {
      const ref = `https://sqs.${PLACE.region}.amazonaws.com/${PLACE.account}/${generated}`;
      return { name: generated, ref, arn: arn(PLACE, 'sqs', generated) };
    }
    case 'AWS::Scheduler::Schedule':
      return refersByName('scheduler', 'schedule/default/');
    case 'AWS::SecretsManager::Secret':
      return refersByArn(secretArn(names.secret, PLACE));
    default:
      return { name: generated, ref: generated };
  }
}
