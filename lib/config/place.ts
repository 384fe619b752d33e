/** Rules for the account and region of existing resources. */
import { shownText } from '../../lambda/issue-text.ts';
import { type Entry, objectIn } from './contradictions.ts';
import type { Problem } from './problem.ts';

/** Account and region. A part that is known only at deployment is undefined. */
export interface Place {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** Where an existing resource must be: parts that must be those of the stack, the reason, and a way out other than to move the connector. */
type PlaceRule = readonly [same: readonly (keyof Place)[], because: string, instead: string];

const PLACE_RULES: Readonly<Record<string, PlaceRule>> = {
  stateTableArn: [
    ['account', 'region'],
    'the function knows a table by its name alone, and would use another table of that name in its own account and region',
    'Give a table of the account and region of the stack',
  ],
  deliveryStreamArn: [
    ['account', 'region'],
    'the function knows a stream by its name alone, and would send to another stream of that name in its own account and region',
    'Give a stream of the account and region of the stack',
  ],
  secretArn: [
    ['region'],
    'Secrets Manager reads a secret in its own region only, and one of another account only by its whole ARN',
    'Give the whole ARN of a secret in the region of the stack, for example after you replicate it',
  ],
  alarmTopicArn: [
    ['region'],
    'alarms notify topics of their own region only',
    'Give a topic of the region of the stack, which may belong to another account',
  ],
  kmsKeyArn: [
    ['region'],
    'AWS encrypts with keys of its own region only',
    'Give a key of the region of the stack, for example a replica',
  ],
  queueArn: [
    ['region'],
    'a SIEM looks for the objects in the region of its queue',
    'Give a queue of the region of the stack, which may belong to another account',
  ],
  bucketArn: [['region'], 'the function asks S3 of its own region', 'Give a bucket of the region of the stack'],
};

/**
 * The problem of a resource that is in another place than the stack.
 *
 * @param path ends in the option, such as `destination.secretArn`
 * @param same parts to compare, if they are others than those of the rule
 */
export function misplaced(path: string, theirs: Place, stack: Place, same?: readonly (keyof Place)[]): Problem[] {
  const [parts, because, instead] = PLACE_RULES[path.split('.').at(-1)!]!;
  const differing = (same ?? parts).filter(part => differs(theirs[part], stack[part]));
  if (differing.length === 0) return [];

  const text = (of: Place) => differing.map(part => `${part} ${shownText(of[part]!)}`).join(' and ');
  const reason = `is in ${text(theirs)}, but the stack in ${text(stack)}: ${because}. ${instead}, or deploy the connector to ${text(theirs)}`;
  return [{ path, reason }];
}

/** Nothing can be compared with a part that is known only at deployment. */
function differs(theirs: string | undefined, ours: string | undefined): boolean {
  return theirs !== undefined && ours !== undefined && theirs !== ours;
}

/** Account and region of an ARN: `111122223333` and `eu-west-1` of `arn:aws:sns:eu-west-1:111122223333:topic`. */
export function placeInArn(arn: unknown): Place {
  const [, , , region, account] = typeof arn === 'string' ? arn.split(':') : [];
  return { account: account || undefined, region: region || undefined };
}

/** Problems of the ARNs of an entry of `cdk.json`, with paths relative to it. */
export function misplacedIn(entry: Entry): Problem[] {
  const known = (part: unknown) => (typeof part === 'string' ? part : undefined);
  const stack = { account: known(entry['account']), region: known(entry['region']) };
  const destination = objectIn(entry['destination']);

  const readers = Array.isArray(entry['siemReaders']) ? entry['siemReaders'].map(objectIn) : [];

  return [
    ...Object.keys(PLACE_RULES).flatMap(option => [
      ...misplaced(option, placeInArn(entry[option]), stack),
      ...misplaced(`destination.${option}`, placeInArn(destination[option]), stack),
    ]),
    ...readers.flatMap(({ queueArn }, index) =>
      misplaced(`siemReaders[${index}].queueArn`, placeInArn(queueArn), stack),
    ),
  ];
}
