import type { BucketNotification, BucketNotifications } from '../aws/s3-notifications.ts';
import type { References } from './intrinsics.ts';
import { propertiesOf } from './parts.ts';
import { resourcesOf, type Template } from './template.ts';

/** Whom the buckets of a template tell of their objects, by the bucket's name. A bucket that is brought is not among them. */
export function notificationsOf(template: Template, references: References): Map<string, BucketNotifications> {
  const found = new Map<string, BucketNotifications>();
  for (const [id, resource] of resourcesOf(template, 'AWS::S3::Bucket')) {
    const given = propertiesOf(resource, references)['NotificationConfiguration'];
    if (given) found.set(references.ref(id), notifications(given as Given));
  }
  return found;
}

/** As CloudFormation names its members. */
interface Given {
  readonly QueueConfigurations?: readonly (GivenEntry & { readonly Queue: string })[];
  readonly TopicConfigurations?: readonly (GivenEntry & { readonly Topic: string })[];
  readonly LambdaConfigurations?: readonly (GivenEntry & { readonly Function: string })[];
  readonly EventBridgeConfiguration?: { readonly EventBridgeEnabled?: boolean };
}

interface GivenEntry {
  readonly Event: string;
  readonly Filter?: {
    readonly S3Key: { readonly Rules: readonly { readonly Name: string; readonly Value: string }[] };
  };
}

function notifications(given: Given): BucketNotifications {
  const { QueueConfigurations: queues = [], TopicConfigurations: topics = [] } = given;
  const { LambdaConfigurations: functions = [], EventBridgeConfiguration: bridge } = given;
  return {
    entries: [
      ...queues.map(each => entry('Queue', each.Queue, each)),
      ...topics.map(each => entry('Topic', each.Topic, each)),
      ...functions.map(each => entry('CloudFunction', each.Function, each)),
    ],
    // Named without a member it is switched on.
    eventBridge: bridge !== undefined && bridge.EventBridgeEnabled !== false,
  };
}

function entry(target: BucketNotification['target'], arn: string, { Event, Filter }: GivenEntry): BucketNotification {
  const rules = Filter?.S3Key.Rules.map(({ Name: name, Value: value }) => [name.toLowerCase(), value]) ?? [];
  return { target, arn, events: [Event], ...Object.fromEntries(rules) };
}
