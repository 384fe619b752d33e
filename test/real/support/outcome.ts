/** What two answers are compared by. */
import type { Reply } from '../../../local/aws/wire.ts';

/** Status and code of a refusal, or what an answer says beside what is random each time. */
export function outcome({ status, body, headers }: Reply): readonly unknown[] {
  const text = String(body);
  if (status >= 400) {
    const code = headers['x-amzn-errortype'] ?? /"__type": ?"([^"]+)/.exec(text)?.[1] ?? /<Code>(\w+)/.exec(text)?.[1];
    return [status, code?.split('#').at(-1), headers['x-amzn-query-error']];
  }
  return [status, text.startsWith('{') ? withoutDrawn(JSON.parse(text)) : elements(text)];
}

/** Of a schedule, an alarm or a message; what is null or empty is taken for absent. */
const DRAWN =
  /^(CreationDate|LastModificationDate|Alarm\w+Timestamp|State\w+Timestamp|StateReason(Data)?|MessageId|ReceiptHandle|Label|Messages)$/;

function withoutDrawn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDrawn);
  if (typeof value === 'string' && value.startsWith('{')) return JSON.parse(value);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, each]) => (!DRAWN.test(name) || (name === 'Messages' && each[0]?.Body)) && !isNothing(each),
  );
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutDrawn(each)]));
}

function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value as object).length === 0);
}

/** Of XML: the texts of these elements, in order. */
function elements(text: string): string[] {
  const names =
    'Account|PolicyName|PolicyArn|DefaultVersionId|AttachmentCount|IsTruncated|StackName|StackStatus|Output\\w+|RoleName|Endpoint|Protocol|Owner|TopicArn';
  return [...text.matchAll(new RegExp(`<(${names})>([^<]*)<`, 'g'))]
    .map(([, name, value]) => `${name} ${value}`)
    .sort();
}
