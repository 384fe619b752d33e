import {
  LOGICAL_IDS,
  onlyResource,
  resolveText,
  resourcesOf,
  type Template,
  type TemplateResource,
} from '../deployment/template.ts';
import type { SeriesName } from './time-series.ts';

export type StackPart = 'function' | 'delivery' | 'siem-queue' | 'siem-dead-letters';

type Source = Omit<SeriesName, 'metric'>;

/**
 * Returns the namespace and the dimensions of the AWS metrics of each part of a stack. Each part is
 * found by its role, for example the queue by the notifications of new objects, so that a wrong
 * dimension of an alarm is noticed.
 */
export function stackParts(template: Template): Record<StackPart, Source> {
  const queue = siemQueue(template);
  return {
    function: source('AWS/Lambda', 'FunctionName', onlyLogicalId(template, 'AWS::Lambda::Function')),
    delivery: source(
      'AWS/Firehose',
      'DeliveryStreamName',
      onlyLogicalId(template, 'AWS::KinesisFirehose::DeliveryStream'),
    ),
    'siem-queue': source('AWS/SQS', 'QueueName', queue),
    'siem-dead-letters': source('AWS/SQS', 'QueueName', redriveTarget(template, queue)),
  };
}

export function onlyLogicalId(template: Template, type: string): string {
  return onlyResource(template, type)[0];
}

function source(namespace: string, dimension: string, id: string): Source {
  return { namespace, dimensions: { [dimension]: id } };
}

function propertiesOf(template: Template, id: string): NonNullable<TemplateResource['Properties']> {
  return template.Resources[id]?.Properties ?? {};
}

/**
 * The queue that is notified of new objects: the bucket notifies a topic, which delivers to the
 * queue. Empty if the destination sends no notifications of objects.
 */
function siemQueue(template: Template): string {
  const { NotificationConfiguration: notification } = propertiesOf(
    template,
    onlyLogicalId(template, 'AWS::S3::Bucket'),
  );
  const { TopicConfigurations: topics } = (notification ?? {}) as { TopicConfigurations?: { Topic: unknown }[] };
  if (!topics) return '';
  const topic = resolveText(topics[0]!.Topic, LOGICAL_IDS);

  const subscriptions = resourcesOf(template, 'AWS::SNS::Subscription').map(([id]) => propertiesOf(template, id));
  const found = subscriptions.find(({ TopicArn }) => resolveText(TopicArn, LOGICAL_IDS) === topic);
  return found ? resolveText(found['Endpoint'], LOGICAL_IDS) : '';
}

function redriveTarget(template: Template, queue: string): string {
  const { RedrivePolicy: policy } = propertiesOf(template, queue) as {
    RedrivePolicy?: { deadLetterTargetArn: unknown };
  };
  return policy ? resolveText(policy.deadLetterTargetArn, LOGICAL_IDS) : '';
}
