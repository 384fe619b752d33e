/** The kinds of SIEM that a reader role can trust, each with its options. */
import * as v from 'valibot';
import { arn } from '../config/fields.ts';
import { type GroupFor, kindsSchema } from '../config/option.ts';
import type { ExternalIdReader, SentinelReader } from '../connector-props.ts';

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
  'external-id': {
    required: { principal: { schema: principal, late: true }, externalId: { schema: externalId, late: true } },
    optional: {},
  },
  sentinel: {
    required: { workspaceId: { schema: v.pipe(v.string('must be a string'), v.uuid('must be a UUID')), late: true } },
    optional: {
      cloud: {
        schema: v.picklist(['commercial', 'government'], 'must be "commercial" or "government"'),
        default: 'commercial',
      },
      oidcProviderArn: { schema: oidcProviderArn, late: true },
      createOidcProvider: { schema: v.boolean('must be true or false'), default: false },
    },
  },
} as const satisfies { 'external-id': GroupFor<ExternalIdReader>; sentinel: GroupFor<SentinelReader> };

export const siemReaderSchema = kindsSchema(SIEM_READERS);
