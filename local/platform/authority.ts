import type { Account } from './account.ts';
import { ProblemError } from './problem.ts';
import type { PlatformSettings, RoleArea } from './settings.ts';
import { expired, type TokenFormat } from './tokens.ts';

/** A token is valid for 5 minutes (specification, Authentication). */
export const TOKEN_SECONDS = 300;

/** Issues tokens and decides who may call what. */
export interface Authority {
  issue(): Promise<string>;
  /** Throws the specified 401 and 403 problems unless the header carries a good token of an account with the area's role. */
  admit(authorization: string | undefined, area: RoleArea): Promise<void>;
  /** Ends the lifetime of every token issued so far. */
  expireTokens(): void;
}

export function createAuthority(
  clock: () => number,
  format: TokenFormat,
  account: Account,
  settings: PlatformSettings,
): Authority {
  const now = (): number => Math.floor(clock() / 1000);
  let issued = 0;
  let expiredUpTo = 0;
  return {
    async issue() {
      issued += 1;
      return format.write({ serial: issued, expiresAt: now() + TOKEN_SECONDS, roles: [...account.roles] });
    },
    async admit(authorization, area) {
      const claims = await format.read(bearer(authorization), now());
      if (claims.serial <= expiredUpTo) throw expired();
      if (account.revoked) throw new ProblemError('auth/revoked-account', 'The service account has been disabled.');
      const role = settings.roles[area];
      if (!claims.roles.includes(role) || !account.roles.has(role)) {
        throw new ProblemError('auth/insufficient-role', `This endpoint requires the role ${role}.`);
      }
    },
    expireTokens() {
      expiredUpTo = issued;
    },
  };
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new ProblemError('auth/missing-token', 'Send Authorization: Bearer <ACCESS_TOKEN>.', {
      'www-authenticate': 'Bearer',
    });
  }
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token) return token;
  throw new ProblemError('auth/invalid-token', 'The Authorization header holds no bearer token.', {
    'www-authenticate': 'Bearer error="invalid_token"',
  });
}
