import type { PlatformSettings } from './settings.ts';

/** The one service account and what the operator may do to it. */
export interface Account {
  readonly clientId: string;
  clientSecret: string;
  revoked: boolean;
  readonly roles: Set<string>;
  /** Replaces the secret and answers the new one; tokens already issued stay valid. */
  rotateSecret(): string;
}

export function createAccount(random: () => number, settings: PlatformSettings): Account {
  return {
    clientId: settings.clientId,
    clientSecret: settings.clientSecret ?? drawSecret(random),
    revoked: false,
    roles: new Set(Object.values(settings.roles)),
    rotateSecret() {
      this.clientSecret = drawSecret(random);
      return this.clientSecret;
    },
  };
}

/** Bytes drawn from the platform's randomness, so that a run can be repeated. */
export function drawBytes(random: () => number, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

/** Holds every character that a client must encode before it goes into a Basic header. */
function drawSecret(random: () => number): string {
  return `${Buffer.from(drawBytes(random, 18)).toString('base64url')}+%2F/: ü&=`;
}
