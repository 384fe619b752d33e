import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ExternalIdReader, SentinelReader, SiemReader } from '../connector-props.ts';
import { SENTINEL_PREFIX } from '../role-names.ts';

/** @param reader SIEM that the role trusts */
export function createReaderRole(
  scope: Construct,
  connectorName: string,
  reader: SiemReader,
  policy: iam.IManagedPolicy,
): iam.Role {
  return new iam.Role(scope, 'Reader', {
    description: `Lets the SIEM read the events of connector ${connectorName}.`,
    assumedBy: reader.type === 'sentinel' ? sentinelPrincipal(scope, reader) : externalIdPrincipal(reader),
    managedPolicies: [policy],
    ...(reader.type === 'sentinel' && { roleName: `${SENTINEL_PREFIX}${connectorName}-${Stack.of(scope).region}` }),
  });
}

function externalIdPrincipal({ principal, externalId }: ExternalIdReader): iam.IPrincipal {
  // A token of the CDK may stand for an account id or for an ARN. It is passed as an ARN, because
  // IAM accepts an account id there, too.
  const isAccount = /^\d{12}$/.test(principal);
  const trusted = isAccount ? new iam.AccountPrincipal(principal) : new iam.ArnPrincipal(principal);
  return new iam.PrincipalWithConditions(trusted, { StringEquals: { 'sts:ExternalId': externalId } });
}

/** Issuer and audience that Microsoft publishes for Sentinel, one pair for each cloud. */
const SENTINEL = {
  commercial: {
    issuer: 'sts.windows.net/33e01921-4d64-4f8c-a055-5bdaffd5e33d/',
    audience: 'api://1462b192-27f7-4cb9-8523-0f4ecb54b47e',
  },
  government: {
    issuer: 'sts.windows.net/cab8a31a-1906-4287-a0d8-4eef66b95f6e/',
    audience: 'api://d4230588-5f84-4281-a9c7-2c15194b28f7',
  },
} as const;

/**
 * Sentinel names its session after the workspace. In 2025 it used the second prefix for a while,
 * and roles that trusted only the first prefix refused the session.
 */
const SESSION_PREFIXES = ['MicrosoftSentinel_', 'MicrosoftDefenderForClouds_'];

function sentinelPrincipal(scope: Construct, reader: SentinelReader): iam.IPrincipal {
  const { issuer, audience } = SENTINEL[reader.cloud ?? 'commercial'];
  return new iam.WebIdentityPrincipal(providerArn(scope, reader, issuer, audience), {
    StringEquals: {
      [`${issuer}:aud`]: audience,
      'sts:RoleSessionName': SESSION_PREFIXES.map(prefix => `${prefix}${reader.workspaceId}`),
    },
  });
}

function providerArn(scope: Construct, reader: SentinelReader, issuer: string, audience: string): string {
  if (reader.createOidcProvider) {
    return new iam.CfnOIDCProvider(scope, 'Sentinel', { url: `https://${issuer}`, clientIdList: [audience] }).attrArn;
  }
  const { partition, account } = Stack.of(scope);
  return reader.oidcProviderArn ?? `arn:${partition}:iam::${account}:oidc-provider/${issuer}`;
}
