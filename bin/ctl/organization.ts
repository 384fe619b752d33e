/** The organization of the deployed function, compared with the organization of the saved state. */
import { changedOrganizationParts, type OrganizationPart, organizationDigest } from '../../lambda/core/organization.ts';
import { tokenEndpoint } from '../../lambda/source/token.ts';
import { sha256 } from '../../lambda/system.ts';
import type { ConnectorAccess } from './access.ts';
import type { Context } from './context.ts';
import { readState } from './state.ts';

/** @throws AwsCallError */
export async function readOrganization(context: Context, { settings, credentials }: ConnectorAccess) {
  const { aws, clock, deployment } = context;
  const { table } = await deployment();
  const { organization: saved, streams } = await readState(aws, table, clock.now());
  const { clientId } = await credentials();
  const { authUrl, baseUrl } = settings;

  const endpoint = tokenEndpoint(authUrl);
  const current = organizationDigest({ tokenEndpoint: endpoint, baseUrl, clientId }, sha256);
  const currentParts: Readonly<Record<OrganizationPart, string>> = {
    'token endpoint': endpoint,
    'base URL': baseUrl,
    client: clientId,
  };
  return {
    /**
     * Digest of the organization that the saved state belongs to. Undefined before the first run.
     */
    saved,
    /** Digest of the organization that the next run reads. */
    current,
    currentParts,
    /** Parts of the organization that differ. */
    changed: saved === undefined ? [] : changedOrganizationParts(saved, current),
    streams,
  };
}
