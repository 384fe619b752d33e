/** Rules for the account and region of existing resources. */
import { shownText } from '../../lambda/issue-text.ts';
import { type Entry, objectIn } from './contradictions.ts';
import type { Fault } from './fault.ts';

/** Account and region. A part that is known only at deployment is undefined. */
export interface Place {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** Where an existing resource must be, compared with the stack. */
interface PlaceRule {
  /** Parts that must be those of the stack. */
  readonly same: readonly (keyof Place)[];
  /** Reason, such as `alarms notify topics of their own region only`. */
  readonly because: string;
  /** A way out other than to move the connector, such as `Give a topic of the region of the stack`. */
  readonly instead: string;
}

const PLACE_RULES = {
  stateTableArn: {
    same: ['account', 'region'],
    because:
      'the function knows a table by its name alone, and would use another table of that name in its own account and region',
    instead: 'Give a table of the account and region of the stack',
  },
  deliveryStreamArn: {
    same: ['account', 'region'],
    because:
      'the function knows a stream by its name alone, and would send to another stream of that name in its own account and region',
    instead: 'Give a stream of the account and region of the stack',
  },
  secretArn: {
    same: ['region'],
    because: 'Secrets Manager reads a secret in its own region only, and one of another account only by its whole ARN',
    instead: 'Give the whole ARN of a secret in the region of the stack, for example after you replicate it',
  },
  alarmTopicArn: {
    same: ['region'],
    because: 'alarms notify topics of their own region only',
    instead: 'Give a topic of the region of the stack, which may belong to another account',
  },
  kmsKeyArn: {
    same: ['region'],
    because: 'AWS encrypts with keys of its own region only',
    instead: 'Give a key of the region of the stack, for example a replica',
  },
  bucketArn: {
    same: ['region'],
    because: 'the function asks S3 of its own region',
    instead: 'Give a bucket of the region of the stack',
  },
} as const satisfies Readonly<Record<string, PlaceRule>>;

/**
 * The fault of a resource that is in another place than the stack.
 *
 * @param path ends in the option, such as `destination.secretArn`
 * @param same parts to compare, if they are others than those of the rule
 */
export function misplaced(path: string, theirs: Place, stack: Place, same?: readonly (keyof Place)[]): Fault[] {
  const rule: PlaceRule | undefined = PLACE_RULES[path.split('.').at(-1) as keyof typeof PLACE_RULES];
  if (!rule) return [];

  const differing = (same ?? rule.same).filter(part => differs(theirs[part], stack[part]));
  if (differing.length === 0) return [];

  const text = (of: Place) => differing.map(part => `${part} ${shownText(of[part]!)}`).join(' and ');
  const reason = `is in ${text(theirs)}, but the stack in ${text(stack)}: ${rule.because}. ${rule.instead}, or deploy the connector to ${text(theirs)}`;
  return [{ path, reason }];
}

/** Nothing can be compared with a part that is known only at deployment. */
function differs(theirs: string | undefined, ours: string | undefined): boolean {
  return theirs !== undefined && ours !== undefined && theirs !== ours;
}

/** For example account and region of `arn:aws:sns:eu-west-1:111122223333:topic`. */
export function placeInArn(arn: unknown): Place {
  const [, , , region, account] = typeof arn === 'string' ? arn.split(':') : [];
  return { account: account || undefined, region: region || undefined };
}

/** Faults of the ARNs of an entry of `cdk.json`, with paths relative to it. */
export function misplacedIn(entry: Entry): Fault[] {
  const known = (part: unknown) => (typeof part === 'string' ? part : undefined);
  const stack = { account: known(entry['account']), region: known(entry['region']) };
  const destination = objectIn(entry['destination']);

  return Object.keys(PLACE_RULES).flatMap(option => [
    ...misplaced(option, placeInArn(entry[option]), stack),
    ...misplaced(`destination.${option}`, placeInArn(destination[option]), stack),
  ]);
}
