import * as v from 'valibot';
import type { AddressRule } from '../../lambda/options.ts';
import type { PlaceRule } from './option.ts';

/** Kinds of values that several options share. Each message is the reason that a person reads beside the option's path. */

export const text = v.pipe(v.string('must be a string'), v.minLength(1, 'must not be empty'));

/** An address that receives credentials or data. It must be https, and must not contain credentials itself. */
function url(refused: readonly ('search' | 'hash' | 'username' | 'password')[], rule: string) {
  return v.pipe(
    v.string('must be an https URL'),
    v.startsWith('https://', 'must begin with https://, because credentials and data travel to it'),
    v.check(value => URL.canParse(value), 'must be a complete URL'),
    v.check(value => !URL.canParse(value) || refused.every(part => new URL(value)[part] === ''), rule),
  );
}

const httpsUrl = url(['search', 'hash', 'username', 'password'], 'must hold no user, password, query or fragment');

/** An address of the API or of its tokens, to which the connector appends paths. */
export function address({ message, repaired }: AddressRule) {
  return v.pipe(
    httpsUrl,
    v.check(
      value => repaired(value) === value,
      ({ input }) => `${message}: write ${repaired(input)}`,
    ),
  );
}

/** The URL of an endpoint. Some collectors need a query string. */
export const endpointUrl = url(['hash', 'username', 'password'], 'must hold no user, password or fragment');

const sameRegion = () => ['region'] as const;
const sameAccountAndRegion = () => ['account', 'region'] as const;

/** Places of existing resources. */
export const PLACES = {
  table: {
    same: sameAccountAndRegion,
    because:
      'the function knows a table by its name alone, and would use another table of that name in its own account and region',
    instead: 'Give a table of the account and region of the stack',
  },
  deliveryStream: {
    same: sameAccountAndRegion,
    because:
      'the function knows a stream by its name alone, and would send to another stream of that name in its own account and region',
    instead: 'Give a stream of the account and region of the stack',
  },
  secret: {
    same: secret => (isPartialSecret(secret) ? sameAccountAndRegion() : sameRegion()),
    because: 'Secrets Manager reads a secret in its own region only, and one of another account only by its whole ARN',
    instead: 'Give the whole ARN of a secret in the region of the stack, for example after you replicate it',
  },
  topic: {
    same: sameRegion,
    because: 'alarms notify topics of their own region only',
    instead: 'Give a topic of the region of the stack, which may belong to another account',
  },
  key: {
    same: sameRegion,
    because: 'AWS encrypts with keys of its own region only',
    instead: 'Give a key of the region of the stack, for example a replica',
  },
  bucket: {
    same: sameRegion,
    because: 'the function asks S3 of its own region',
    instead: 'Give a bucket of the region of the stack',
  },
} as const satisfies Readonly<Record<string, PlaceRule>>;

/** Whether an `ISecret` lacks the six characters at the end of its ARN. In `cdk.json` an ARN has them. */
function isPartialSecret(secret: unknown): boolean {
  return typeof secret === 'object' && (secret as { readonly secretFullArn?: string }).secretFullArn === undefined;
}

/** ARN of one service, in any partition. `resource` is a regular expression for what follows the account. */
export function arn(service: string, resource: string, example: string) {
  return v.pipe(
    v.string('must be an ARN'),
    v.regex(new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]*:(\\d{12})?:${resource}$`), `must look like ${example}`),
  );
}

export const kmsKeyArn = arn(
  'kms',
  'key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})',
  'arn:aws:kms:eu-west-1:111122223333:key/01234567-89ab-cdef-0123-456789abcdef',
);
export const bucketArn = arn('s3', '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]', 'arn:aws:s3:::bucket-name');
/** The ARN must have its last six characters, because a policy on an ARN without them does not match the secret. */
export const secretArn = arn(
  'secretsmanager',
  'secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}',
  'arn:aws:secretsmanager:eu-west-1:111122223333:secret:name-AbCdEf, with the six characters at its end',
);

export const accountId = v.pipe(
  v.string('must be a string'),
  v.regex(/^\d{12}$/, 'must be an account id of 12 digits'),
);

export function resourceId(prefix: string) {
  return v.pipe(
    v.string('must be a string'),
    v.regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `must look like ${prefix}-0123456789abcdef0`),
  );
}
