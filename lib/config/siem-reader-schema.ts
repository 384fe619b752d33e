import * as v from 'valibot';
import { arn, option } from './fields.ts';

const principal = v.pipe(
  v.string('must be a string'),
  v.regex(
    /^(\d{12}|arn:aws[a-z-]*:iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]+))$/,
    'must be an account id of 12 digits, or the ARN of a role or user',
  ),
);

const externalId = v.pipe(
  v.string('must be a string'),
  v.regex(/^[\w+=,.@:/-]{2,1224}$/, 'must be the external id that the SIEM’s form shows, 2 characters at least'),
);

const uuid = v.pipe(v.string('must be a string'), v.uuid('must be a UUID'));

/** Whom the reader role trusts. */
export const siemReaderSchema = v.variant(
  'type',
  [
    v.strictObject({
      type: v.literal('external-id'),
      principal: option('Account, role or user of the SIEM that assumes the reader role.', principal),
      externalId: option('External id that the SIEM presents.', externalId),
    }),
    v.strictObject({
      type: v.literal('sentinel'),
      workspaceId: option('Id of the Log Analytics workspace.', uuid),
      cloud: v.optional(
        option(
          'Cloud that the workspace is in.',
          v.picklist(['commercial', 'government'], 'must be "commercial" or "government"'),
        ),
        'commercial',
      ),
      oidcProviderArn: v.optional(
        option(
          'Existing identity provider. Left out: the one that Microsoft’s guide has you make in this account.',
          arn(
            'iam',
            'oidc-provider/sts\\.windows\\.net/[a-z0-9-]+/?',
            'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/…/',
          ),
        ),
      ),
      createOidcProvider: v.optional(
        option(
          'Whether to make the identity provider. An account can hold it once.',
          v.boolean('must be true or false'),
        ),
        false,
      ),
    }),
  ],
  'must be "external-id" or "sentinel"',
);
