/** Whom a bucket tells of its objects: `GetBucketNotificationConfiguration`. */
import { element, XML_DECLARATION } from './xml.ts';

/** An entry of a bucket's notifications. Every filter and kind of event is as S3 names them. */
export interface BucketNotification {
  readonly target: 'Queue' | 'Topic' | 'CloudFunction';
  readonly arn: string;
  readonly events: readonly string[];
  readonly prefix?: string;
  readonly suffix?: string;
}

export interface BucketNotifications {
  readonly entries: readonly BucketNotification[];
  /** Whether EventBridge is told of every event. */
  readonly eventBridge?: boolean;
}

export function notificationsXml({ entries, eventBridge = false }: BucketNotifications): string {
  const parts = entries.map((entry, place) => {
    const name = `${entry.target}Configuration`;
    return `<${name}>${entryXml(entry, place)}</${name}>`;
  });
  const bridge = eventBridge ? '<EventBridgeConfiguration></EventBridgeConfiguration>' : '';
  const body = parts.join('') + bridge;
  return `${XML_DECLARATION}<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${body}</NotificationConfiguration>`;
}

function entryXml({ target, arn, events, prefix, suffix }: BucketNotification, place: number): string {
  // However they were written, S3 tells the names of filters with a capital.
  const rules = [
    ['Prefix', prefix],
    ['Suffix', suffix],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : [`<FilterRule>${element('Name', name!)}${element('Value', value)}</FilterRule>`],
  );
  const filter = rules.length > 0 ? `<Filter><S3Key>${rules.join('')}</S3Key></Filter>` : '';
  return [
    element('Id', `10ca1000-0000-4000-8000-${String(place).padStart(12, '0')}`),
    filter,
    element(target, arn),
    ...events.map(event => element('Event', event)),
  ].join('');
}
