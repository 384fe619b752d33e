/**
 * Rules for addresses that receive credentials or data, shared by the function's settings and the
 * schema of `cdk.json`.
 */
import * as v from 'valibot';
import { printableText } from './issue-text.ts';
import { STREAMS } from './streams.ts';

const LONGEST_ADDRESS = 256;

export const NEEDS_HTTPS = 'must begin with https://, because credentials and data travel to it';

/**
 * Schema of an https URL. Plain http is allowed for loopback addresses only, because local runs
 * have no certificate.
 *
 * @param refused parts that the URL must not have; `rule` is the message that names these parts
 */
export function httpsUrlSchema(refused: readonly ('search' | 'hash' | 'username' | 'password')[], rule: string) {
  return v.pipe(
    v.string('must be an https URL'),
    v.check(text => text.startsWith('https://') || isLoopback(text), NEEDS_HTTPS),
    v.check(text => URL.canParse(text), 'must be a complete URL'),
    v.check(text => refused.every(part => new URL(text)[part] === ''), rule),
  );
}

function isLoopback(text: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)/.test(text);
}

/**
 * Schema of an address to which the connector appends paths.
 *
 * @param end endings that a person may have copied together with the address; the message shows the
 * address without them
 */
function address(end: RegExp, rule: string) {
  const repaired = ({ origin, pathname }: URL) => `${origin}${pathname.replace(end, '')}`;
  return v.pipe(
    httpsUrlSchema(['search', 'hash', 'username', 'password'], 'must hold no user, password, query or fragment'),
    v.check(
      text => !end.test(new URL(text).pathname),
      ({ input }) => `${rule}: write ${printableText(repaired(new URL(input)), LONGEST_ADDRESS)}`,
    ),
  );
}

/**
 * Paths that each request appends to the base URL by itself. Therefore a base URL must not end in
 * such a path: with `/v1` at its end, the requests would go to `/v1/v1/assets`.
 */
const API_PATH = new RegExp(`/v1(/(${STREAMS.map(({ name }) => name).join('|')})(/[^/]+)?)?/*$`, 'i');

/**
 * Paths of a realm that are certainly not its token endpoint. An unknown path may be right, so it
 * is accepted.
 */
const OTHER_ENDPOINT = /\/(\.well-known\/.*|protocol\/openid-connect(?!\/token\/*$)(\/.*)?)$/i;

export const BASE_URL_SCHEMA = address(
  API_PATH,
  'must be the base URL of the API without /v1 and without the path of a list',
);

export const AUTH_URL_SCHEMA = address(
  OTHER_ENDPOINT,
  'must be the URL of the realm, or of its token endpoint, without the path of another endpoint',
);
