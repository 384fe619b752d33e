import * as v from 'valibot';
import { shownText } from '../../lambda/issue-text.ts';
import type { AddressRule } from '../../lambda/options.ts';

/** Kinds of values that several options share. Each message is the reason that a person reads beside the option's path. */

export const string = v.string('must be a string');

export const text = v.pipe(string, v.minLength(1, 'must not be empty'));

export const flag = v.boolean('must be true or false');

export function matching(pattern: RegExp, message: string) {
  return v.pipe(string, v.regex(pattern, message));
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(words: T) {
  const quoted = words.map(word => JSON.stringify(word));
  return v.picklist(words, `must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`);
}

/** Characters of an address that a message shows. */
const LONGEST_ADDRESS = 256;

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
      ({ input }) => `${message}: write ${shownText(repaired(input), LONGEST_ADDRESS)}`,
    ),
  );
}

/** The URL of an endpoint. Some collectors need a query string. */
export const endpointUrl = url(['hash', 'username', 'password'], 'must hold no user, password or fragment');

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

export const accountId = matching(/^\d{12}$/, 'must be an account id of 12 digits');

export function resourceId(prefix: string) {
  return matching(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `must look like ${prefix}-0123456789abcdef0`);
}
