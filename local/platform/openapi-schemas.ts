import type { PlatformSettings } from './settings.ts';

/** Marks what the specification does not show: this platform's own choice, which a real tenant may make otherwise. */
export function notShown(description: string): { 'x-not-shown': true; description: string } {
  return { 'x-not-shown': true, description };
}

const TIMESTAMP = { type: 'string', format: 'date-time', pattern: 'Z$' };
const TEXT = { type: 'string', minLength: 1 };
const POSITION = {
  type: 'string',
  description:
    'When this version reached the consumer: an ordering key, never falling along a walk, not a business time.',
};
const NULL_POSITION = { type: 'null', description: 'Single reads have no position.' };

/** The schemas of all bodies, by name. */
export function openApiSchemas(settings: PlatformSettings): Record<string, object> {
  return {
    ...assetSchemas(),
    ...threatSchemas(settings.threatAssetMember),
    DnsBlock: row(['id', 'blocked_at'], { id: TEXT, blocked_at: TIMESTAMP }, 'DNS block'),
    Pagination: {
      type: 'object',
      required: ['next_cursor', 'page_size'],
      properties: {
        next_cursor: { type: ['string', 'null'], description: 'Opaque. null means end of stream.' },
        page_size: { type: 'integer', minimum: 0, maximum: 500, description: 'Length of the returned array.' },
      },
    },
    AssetPage: page('AssetRow', settings),
    ThreatPage: page('ThreatRow', settings),
    DnsBlockPage: page('DnsBlock', settings),
    RelatedAssets: {
      ...notShown('The payload of related assets.'),
      type: 'object',
      properties: { [settings.rowsMember]: { type: 'array', items: { $ref: '#/components/schemas/Asset' } } },
    },
    ...errorSchemas(),
  };
}

function assetSchemas(): Record<string, object> {
  const live = { id: TEXT, updated_at: TIMESTAMP, deleted: { const: false } };
  const required = ['id', 'updated_at', 'stream_position'];
  const tombstone = { ...live, stream_position: POSITION, deleted: { const: true }, deleted_at: TIMESTAMP };
  return {
    AssetRow: { oneOf: [{ $ref: '#/components/schemas/LiveAsset' }, { $ref: '#/components/schemas/Tombstone' }] },
    LiveAsset: row(required, { ...live, stream_position: POSITION }, 'asset'),
    Tombstone: row([...required, 'deleted', 'deleted_at'], tombstone, 'tombstone'),
    Asset: row(required, { ...live, stream_position: NULL_POSITION }, 'asset'),
  };
}

function threatSchemas(assetMember: string): Record<string, object> {
  const known = {
    id: TEXT,
    updated_at: TIMESTAMP,
    [assetMember]: { ...TEXT, ...notShown('Name of the member that references the asset.') },
  };
  const required = ['id', 'updated_at', 'stream_position'];
  return {
    ThreatRow: row(required, { ...known, stream_position: POSITION }, 'threat'),
    Threat: row(required, { ...known, stream_position: NULL_POSITION }, 'threat'),
  };
}

function errorSchemas(): Record<string, object> {
  return {
    Problem: {
      type: 'object',
      description: 'Every error of the API.',
      required: ['type'],
      properties: {
        type: { type: 'string', description: 'Ends in a suffix such as auth/expired-token.' },
        title: { type: 'string', ...notShown('Not among the fields shown.') },
        status: { type: 'integer', ...notShown('Not among the fields shown.') },
        detail: { type: 'string', ...notShown('Not among the fields shown.') },
      },
    },
    OAuthError: {
      ...notShown("Errors of the token endpoint: OAuth's own format."),
      type: 'object',
      required: ['error'],
      properties: { error: { type: 'string' }, error_description: { type: 'string' } },
    },
    Token: {
      type: 'object',
      required: ['access_token', 'expires_in', 'token_type'],
      properties: {
        access_token: TEXT,
        expires_in: { const: 300, description: 'Seconds.' },
        token_type: { const: 'Bearer' },
      },
    },
  };
}

function row(required: readonly string[], properties: object, kind: string): object {
  return { type: 'object', required, properties, additionalProperties: notShown(`Other fields of a ${kind}.`) };
}

function page(rowSchema: string, { rowsMember, paginationMember }: PlatformSettings): object {
  const rows = { type: 'array', maxItems: 500, items: { $ref: `#/components/schemas/${rowSchema}` } };
  const pagination = { $ref: '#/components/schemas/Pagination' };
  return {
    type: 'object',
    required: [rowsMember, paginationMember],
    properties: {
      [rowsMember]: { ...rows, ...notShown('Name of the member that holds the rows.') },
      [paginationMember]: { ...pagination, ...notShown('Name of the member that holds the pagination object.') },
    },
  };
}
