import { errors, jwtVerify, SignJWT } from 'jose';
import { ProblemError } from './problem.ts';

/** What a token says. Times in seconds since the epoch. */
export interface Claims {
  readonly serial: number;
  readonly expiresAt: number;
  readonly roles: readonly string[];
}

/** Makes and reads access tokens. `read` throws `auth/invalid-token` or `auth/expired-token`. */
export interface TokenFormat {
  write(claims: Claims): string | Promise<string>;
  read(token: string, now: number): Claims | Promise<Claims>;
}

/** JSON Web Tokens, signed. Tokens that were once found genuine are remembered, so that reading them again takes no crypto. */
export function signedTokens(key: Uint8Array, issuer: string, subject: string): TokenFormat {
  const genuine = new Map<string, Claims>();
  const remember = (token: string, claims: Claims): Claims => {
    if (genuine.size >= 1000) genuine.clear();
    genuine.set(token, claims);
    return claims;
  };
  return {
    async write(claims) {
      const token = await new SignJWT({ roles: claims.roles })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(subject)
        .setJti(String(claims.serial))
        .setExpirationTime(claims.expiresAt)
        .sign(key);
      remember(token, claims);
      return token;
    },
    read(token, now) {
      const known = genuine.get(token);
      if (!known) return verify(token, key, issuer, now).then(claims => remember(token, claims));
      if (known.expiresAt <= now) throw expired();
      return known;
    },
  };
}

async function verify(token: string, key: Uint8Array, issuer: string, now: number): Promise<Claims> {
  try {
    const options = { issuer, algorithms: ['HS256'], currentDate: new Date(now * 1000) };
    const { payload } = await jwtVerify(token, key, options);
    return {
      serial: Number(payload.jti),
      expiresAt: payload.exp ?? 0,
      roles: payload['roles'] as string[],
    };
  } catch (error) {
    throw error instanceof errors.JWTExpired ? expired() : invalid();
  }
}

/** Opaque tokens that only this platform's memory can read; synchronous, so that a simulation replays exactly. */
export function tableTokens(): TokenFormat {
  const issued = new Map<string, Claims>();
  return {
    write(claims) {
      const token = `table-token-${claims.serial}`;
      issued.set(token, claims);
      return token;
    },
    read(token, now) {
      const claims = issued.get(token);
      if (!claims) throw invalid();
      if (claims.expiresAt <= now) throw expired();
      return claims;
    },
  };
}

export function expired(): ProblemError {
  return new ProblemError('auth/expired-token', "The token's lifetime of 5 minutes has passed.", challenge('expired'));
}

export function invalid(): ProblemError {
  return new ProblemError(
    'auth/invalid-token',
    'The token is malformed or its signature does not verify.',
    challenge('invalid'),
  );
}

function challenge(reason: string): Record<string, string> {
  return { 'www-authenticate': `Bearer error="invalid_token", error_description="${reason}"` };
}
