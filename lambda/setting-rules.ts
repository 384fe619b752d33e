/** Validation rules shared by the function and the CDK configuration, so that both accept the same values. */
import { STREAMS } from './streams.ts';

/** Members with a meaning of their own, which cannot name a threat's asset. */
export const RESERVED_MEMBERS = ['id', 'stream_position', 'updated_at', 'deleted', 'deleted_at', 'blocked_at'] as const;

/** A member's name with no blank around it: the function's settings are trimmed. */
export const MEMBER_NAME = /^\S([\s\S]*\S)?$/u;

/** Path of a list below the base URL, without query or fragment. */
export const LIST_PATH = /^\/[^?#\s]*$/;

/** Member of a threat that names its asset. */
export const THREAT_ASSET_FIELD = 'asset_id';

/** Seconds. */
export const LEASE_SECONDS = { min: 1, max: 900, default: 60 } as const;

/** The connector appends these itself, so a base URL that ends in one would ask for `/v1/v1/assets`. */
const API_PATH = new RegExp(`/v1(/(${STREAMS.map(({ name }) => name).join('|')})(/[^/]+)?)?/*$`, 'i');

/** Paths of a realm that certainly are not its token endpoint. An unknown path may be right: it is taken. */
const OTHER_ENDPOINT = /\/(\.well-known\/.*|protocol\/openid-connect(?!\/token\/*$)(\/.*)?)$/i;

/** A rule for an address. `mended` is the address as it should be written, and the same one where nothing is wrong. */
export interface AddressRule {
  readonly message: string;
  readonly repaired: (url: string) => string;
}

export const BASE_URL: AddressRule = {
  message: 'must be the base URL of the API without /v1 and without the path of a list',
  repaired: url => withoutEnd(url, API_PATH),
};

export const AUTH_URL: AddressRule = {
  message: 'must be the URL of the realm, or of its token endpoint, without the path of another endpoint',
  repaired: url => withoutEnd(url, OTHER_ENDPOINT),
};

function withoutEnd(url: string, end: RegExp): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return end.test(pathname) ? `${origin}${pathname.replace(end, '')}` : url;
}
