/** The kinds of SIEM that a reader role can trust, and what each needs to be known. */
import * as v from 'valibot';
import { arn } from '../config/fields.ts';
import { type KindsOf, kindsSchema, type OptionGroup } from '../config/option.ts';

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

const oidcProviderArn = arn(
  'iam',
  'oidc-provider/sts\\.windows\\.net/[a-z0-9-]+/?',
  'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/…/',
);

export const SIEM_READERS = {
  /** A SIEM that assumes a role from its own account and presents the external id that its form shows. */
  'external-id': {
    required: {
      /** Account id, or ARN of the role or user, that assumes the reader role. */
      principal: { schema: principal },
      /** External id that the SIEM presents, so that no other customer of it can use the role. */
      externalId: { schema: externalId },
    },
    optional: {},
  },
  /** Microsoft Sentinel, which authenticates with OpenID Connect. */
  sentinel: {
    required: {
      /** Id of the Log Analytics workspace. */
      workspaceId: { schema: v.pipe(v.string('must be a string'), v.uuid('must be a UUID')) },
    },
    optional: {
      /**
       * Cloud of the workspace.
       *
       * @default 'commercial'
       */
      cloud: {
        schema: v.picklist(['commercial', 'government'], 'must be "commercial" or "government"'),
        default: 'commercial',
      },
      /**
       * ARN of an existing identity provider.
       *
       * @default - the one that Microsoft's guide has you create in this account, by its well-known name
       */
      oidcProviderArn: { schema: oidcProviderArn },
      /**
       * Whether to create the identity provider. An account can have it only once.
       *
       * @default false
       */
      createOidcProvider: { schema: v.boolean('must be true or false'), default: false },
    },
  },
} as const satisfies Readonly<Record<string, OptionGroup>>;

/** Whom the reader role trusts. */
export type SiemReader = KindsOf<typeof SIEM_READERS>;
export type ExternalIdReader = Extract<SiemReader, { type: 'external-id' }>;
export type SentinelReader = Extract<SiemReader, { type: 'sentinel' }>;

export const siemReaderSchema = kindsSchema(SIEM_READERS);
