import { AwsError, arn, cutListPage, type ResourcePlace } from '../../../local/aws/service.ts';
import { type JsonOperation, jsonService, stringMember } from '../protocols.ts';
import type { Service } from '../wire.ts';

export interface LogEvent {
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly message: string;
}

export interface LogControls {
  /** Adds a line to a log group, which exists from then on. */
  put(group: string, event: LogEvent): void;
  /** Drops the lines before this time, in milliseconds since 1970. */
  forget(before: number): void;
}

/** Events that are read for one page, whether they match or not. */
const PAGE_SIZE = 10_000;

/** CloudWatch Logs that finds events by time and by optional terms: `?ERROR ?"Task timed out"`. */
export function createLogs(place: ResourcePlace): { service: Service<JsonOperation>; controls: LogControls } {
  const groups = new Map<string, LogEvent[]>();
  const controls: LogControls = {
    put(group, event) {
      const events = groups.get(group);
      if (events) events.push(event);
      else groups.set(group, [event]);
    },
    forget(before) {
      for (const [group, events] of groups) {
        const kept = events.filter(({ timestamp }) => timestamp >= before);
        if (kept.length < events.length) groups.set(group, kept);
      }
    },
  };
  const service = jsonService({
    name: 'logs',
    target: 'Logs_20140328',
    version: '1.1',
    resource: input => arn(place, 'logs', `log-group:${stringMember(input, 'logGroupName')}:*`),
    actions: {
      FilterLogEvents(input) {
        const { startTime = 0, endTime = Number.MAX_SAFE_INTEGER, nextToken, filterPattern = '' } = input;
        const isMeant = matcher(String(filterPattern));
        const within = (groups.get(String(input['logGroupName'])) ?? [])
          .filter(({ timestamp }) => timestamp >= Number(startTime) && timestamp <= Number(endTime))
          .toSorted((one, other) => one.timestamp - other.timestamp);
        const refusal = new AwsError(400, 'InvalidParameterException', 'The specified nextToken is invalid.');
        const page = cutListPage(within, PAGE_SIZE, nextToken as string | undefined, refusal);
        // A page may be empty and have a next one, as those of AWS.
        return { events: page.items.filter(isMeant), nextToken: page.nextToken };
      },
    },
  });
  return { service, controls };
}

/** @throws AwsError for a pattern with other than optional terms */
function matcher(pattern: string): (event: LogEvent) => boolean {
  const terms = [...pattern.matchAll(/\?(?:"([^"]+)"|(\w+))/g)].map(([, quoted, word]) => quoted ?? word ?? '');
  if (pattern.replaceAll(/\?(?:"[^"]+"|\w+)/g, '').trim() !== '') {
    throw new AwsError(400, 'InvalidParameterException', `The filter pattern is not understood: ${pattern}`);
  }
  return ({ message }) => terms.length === 0 || terms.some(term => message.includes(term));
}
