/** The organization of the deployed function, compared with the one that its saved state belongs to. */
import { changedParts, type OrganizationPart, organizationDigest } from '../../lambda/core/organization.ts';
import { tokenEndpoint } from '../../lambda/source/token.ts';
import { sha256 } from '../../lambda/system.ts';
import type { Access } from './access.ts';
import type { Context } from './context.ts';
import { type ConnectorState, readState } from './state.ts';

export interface Organization {
  /** Digest that the saved state belongs to. Undefined before the first run. */
  readonly saved: string | undefined;
  /** Digest of the next run. */
  readonly current: string;
  readonly currentParts: Readonly<Record<OrganizationPart, string>>;
  /** Parts of the identity that differ. */
  readonly changed: readonly OrganizationPart[];
  readonly streams: ConnectorState['streams'];
}

/** @throws AwsCallError */
export async function readOrganization(
  { aws, clock, deployment }: Pick<Context, 'aws' | 'clock' | 'deployment'>,
  { settings, credentials }: Access,
): Promise<Organization> {
  const { table } = await deployment();
  const { organization: saved, streams } = await readState(aws, table, clock.now());
  const { clientId } = await credentials();
  const { authUrl, baseUrl } = settings;

  const endpoint = tokenEndpoint(authUrl);
  const current = organizationDigest({ tokenEndpoint: endpoint, baseUrl, clientId }, sha256);
  return {
    saved,
    current,
    currentParts: { 'token endpoint': endpoint, 'base URL': baseUrl, client: clientId },
    changed: saved === undefined ? [] : changedParts(saved, current),
    streams,
  };
}
