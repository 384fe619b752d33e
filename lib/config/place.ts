/**
 * Rules for the account and region of existing resources: docs/configuration.md#existing-resources.
 */
import { printableText } from '../../lambda/issue-text.ts';
import type { ConnectorEntry } from './contradictions.ts';
import type { Problem } from './problem.ts';

/** Account and region. A part that is known only at deployment is undefined. */
export interface ResourcePlace {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

type Parts = readonly (keyof ResourcePlace)[];

const BY_NAME = 'the function knows it by its name alone, and would use another one of that name';

/**
 * For each option, the parts of the place (account, region) that must equal the place of the stack,
 * and the reason.
 */
const RULES: Readonly<Record<string, readonly [parts: Parts, because: string]>> = {
  stateTableArn: [['account', 'region'], BY_NAME],
  deliveryStreamArn: [['account', 'region'], BY_NAME],
  secretArn: [
    ['region'],
    'Secrets Manager reads a secret in its own region only, and one of another account only by its whole ARN',
  ],
  alarmTopicArn: [['region'], 'alarms notify topics of their own region only'],
  kmsKeyArn: [['region'], 'AWS encrypts with keys of its own region only, such as a replica'],
  queueArn: [['region'], 'a SIEM looks for the objects in the region of its queue'],
  bucketArn: [['region'], 'the function asks S3 of its own region'],
};

/**
 * An existing resource. If `parts` is given, these parts are compared in place of the parts in the
 * rule of the option.
 */
export interface ExistingResource {
  /** Path whose last part is the name of the option, such as `destination.secretArn`. */
  readonly path: string;
  readonly place: ResourcePlace;
  readonly parts?: Parts | undefined;
}

/**
 * Finds resources in another place than the stack. A part that is known only at deployment cannot
 * be compared.
 */
export function placeProblems(resources: readonly ExistingResource[], stack: ResourcePlace): Problem[] {
  return resources.flatMap(({ path, place, parts }) => {
    const [byRule, because] = RULES[path.split('.').at(-1)!]!;
    const differing = (parts ?? byRule).filter(part => place[part] && stack[part] && place[part] !== stack[part]);
    if (differing.length === 0) return [];

    const text = (of: ResourcePlace) => differing.map(part => `${part} ${printableText(of[part]!)}`).join(' and ');
    const deploy = `Give one of the stack's own, or deploy the connector to ${text(place)}`;
    return [{ path, reason: `is in ${text(place)}, but the stack in ${text(stack)}: ${because}. ${deploy}` }];
  });
}

/**
 * Reads account and region from an ARN: `111122223333` and `eu-west-1` from
 * `arn:aws:sns:eu-west-1:111122223333:topic`.
 */
export function placeInArn(arn: string): ResourcePlace {
  const [, , , region, account] = arn.split(':');
  return { account: account || undefined, region: region || undefined };
}

/** Lists the resources that an entry of `cdk.json` gives by ARN. */
export function existingResourcesIn({ destination, siemReaders = [], ...options }: ConnectorEntry): ExistingResource[] {
  const within = (parent: string, members: object = {}) =>
    Object.entries(members)
      .filter(([member]) => member in RULES)
      .map(([member, arn]) => ({ path: `${parent}${member}`, place: placeInArn(arn) }));

  const readers = siemReaders.flatMap((reader, index) => within(`siemReaders[${index}].`, reader));
  return [...within('', options), ...within('destination.', destination), ...readers];
}
