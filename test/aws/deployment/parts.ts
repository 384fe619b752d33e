/** The resources of a template as the endpoints' options. Every value is resolved. */

import {
  onlyResource,
  type References,
  resolveText,
  resolveValue,
  resourcesOf,
  type Template,
  type TemplateResource,
} from '../../../local/deployment/template.ts';
import type { JsonObject } from '../protocols.ts';
import type { BucketNotification, BucketNotifications } from '../s3.ts';
import type { AlarmDefinition } from '../services/alarms.ts';
import type { LocalStack } from '../services/cloudformation.ts';
import type { LocalPolicy, LocalRole } from '../services/iam.ts';
import type { LocalTopic } from '../services/sns.ts';
import type { QueueDefinition } from '../services/sqs.ts';

export function stackOf(template: Template, name: string, references: References): LocalStack {
  const outputs = Object.entries(template.Outputs ?? {});
  return {
    name,
    ...(template.Description === undefined ? {} : { description: template.Description }),
    outputs: outputs.map(([key, { Value: value, Description: description, Export: exported }]) => ({
      key,
      value: resolveText(value, references),
      ...(exported && { exportName: resolveText(exported.Name, references) }),
      ...(description === undefined ? {} : { description }),
    })),
  };
}

/** Every alarm. The template's properties have the names of `DescribeAlarms`. */
export function alarmsOf(template: Template, references: References): AlarmDefinition[] {
  return (['CompositeAlarm', 'MetricAlarm'] as const).flatMap(type =>
    resourcesOf(template, `AWS::CloudWatch::${type === 'MetricAlarm' ? 'Alarm' : type}`).map(([id, resource]) => ({
      type,
      name: references.ref(id),
      members: propertiesOf(resource, references),
    })),
  );
}

/** The function's configuration; `variables` take the place of those in the template. */
export function functionOf(
  template: Template,
  references: References,
  variables: Readonly<Record<string, string>>,
): { name: string; configuration: Record<string, unknown>; environment: Readonly<Record<string, string>> } {
  const [id, resource] = onlyResource(template, 'AWS::Lambda::Function');
  const { Environment: given, Code: _code, ...settings } = propertiesOf(resource, references);
  const environment = { ...(given as { Variables?: Record<string, string> } | undefined)?.Variables, ...variables };
  const state = { State: 'Active', LastUpdateStatus: 'Successful', Version: '$LATEST', PackageType: 'Zip' };
  const configuration = { ...settings, ...state, Environment: { Variables: environment } };
  return { name: references.ref(id), configuration, environment };
}

/** The schedule's members as `UpdateSchedule` takes them. */
export function scheduleOf(template: Template, references: References): { name: string; members: JsonObject } {
  const [id, resource] = onlyResource(template, 'AWS::Scheduler::Schedule');
  const { Name: _name, ...members } = propertiesOf(resource, references);
  return { name: references.ref(id), members };
}

/** Every queue, with its settings as strings, as SQS keeps them. */
export function queuesOf(template: Template, references: References): QueueDefinition[] {
  return resourcesOf(template, 'AWS::SQS::Queue').map(([id, resource]) => {
    const { QueueName: _name, Tags: _tags, ...settings } = propertiesOf(resource, references);
    const attributes = Object.entries(settings).map(([name, value]) => [name, textOf(value)]);
    const policy = queuePolicy(template, references, references.ref(id));
    return {
      name: references.attribute(id, 'QueueName'),
      attributes: { ...Object.fromEntries(attributes), ...policy },
    };
  });
}

function queuePolicy(template: Template, references: References, url: string): { Policy?: string } {
  const policies = resourcesOf(template, 'AWS::SQS::QueuePolicy').map(([, each]) => propertiesOf(each, references));
  const found = policies.find(({ Queues: queues }) => Array.isArray(queues) && queues.includes(url));
  return found ? { Policy: textOf(found['PolicyDocument']) } : {};
}

/** Every topic. An e-mail address of the template has not confirmed yet. A queue of the account needs no confirmation. */
export function topicsOf(template: Template, references: References): LocalTopic[] {
  const subscribed = resourcesOf(template, 'AWS::SNS::Subscription').map(([, each]) => propertiesOf(each, references));
  return resourcesOf(template, 'AWS::SNS::Topic').map(([id]) => {
    const arn = references.ref(id);
    const own = subscribed.filter(({ TopicArn }) => TopicArn === arn);
    const subscriptions = own.map(({ Protocol, Endpoint }) => ({
      protocol: String(Protocol),
      endpoint: String(Endpoint),
      confirmed: Protocol === 'sqs',
    }));
    return { arn, subscriptions };
  });
}

/** Roles with the managed policies that they have. */
export function rolesOf(template: Template, references: References): LocalRole[] {
  return resourcesOf(template, 'AWS::IAM::Role').map(([id, resource]) => {
    const { ManagedPolicyArns: policyArns = [], AssumeRolePolicyDocument: trust } = propertiesOf(resource, references);
    return { name: references.ref(id), policyArns: policyArns as string[], trust };
  });
}

export function policiesOf(template: Template, references: References): LocalPolicy[] {
  return resourcesOf(template, 'AWS::IAM::ManagedPolicy').map(([id, resource]) => {
    const { PolicyDocument: document, Description: description } = propertiesOf(resource, references);
    const arn = references.ref(id);
    const name = arn.slice(arn.lastIndexOf('/') + 1);
    return { arn, name, document, ...(description === undefined ? {} : { description: String(description) }) };
  });
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function propertiesOf({ Properties: properties = {} }: TemplateResource, references: References): JsonObject {
  return resolveValue(properties, references) as JsonObject;
}

/** The event notifications of the template's buckets, by bucket name. An existing bucket is not in the template. */
export function notificationsOf(template: Template, references: References): Map<string, BucketNotifications> {
  const found = new Map<string, BucketNotifications>();
  for (const [id, resource] of resourcesOf(template, 'AWS::S3::Bucket')) {
    const given = propertiesOf(resource, references)['NotificationConfiguration'];
    if (given) found.set(references.ref(id), notifications(given as Given));
  }
  return found;
}

/** CloudFormation's names of the members. */
interface Given {
  readonly QueueConfigurations?: readonly (GivenEntry & { readonly Queue: string })[];
  readonly TopicConfigurations?: readonly (GivenEntry & { readonly Topic: string })[];
}

interface GivenEntry {
  readonly Event: string;
  readonly Filter?: {
    readonly S3Key: { readonly Rules: readonly { readonly Name: string; readonly Value: string }[] };
  };
}

function notifications({
  QueueConfigurations: queues = [],
  TopicConfigurations: topics = [],
}: Given): BucketNotifications {
  return {
    entries: [
      ...queues.map(({ Queue: arn, ...entry }) => notification(arn, entry)),
      ...topics.map(({ Topic: arn, ...entry }) => notification(arn, entry)),
    ],
  };
}

function notification(arn: string, { Event: event, Filter: filter }: GivenEntry): BucketNotification {
  const rules = filter?.S3Key.Rules.map(({ Name: name, Value: value }) => [name.toLowerCase(), value]) ?? [];
  return { arn, events: [event], ...Object.fromEntries(rules) };
}
