import type { PlatformSettings } from './settings.ts';

/** The specified API as an OpenAPI 3.1 document. Choices where the specification is open are marked `x-not-shown`. */
export function openApiDocument(settings: PlatformSettings): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Security Data External API',
      version: '1',
      description:
        "One organization's assets, threats and DNS blocks, read-only. Members marked x-not-shown are choices of this local platform.",
    },
    security: [{ clientCredentials: [] }],
    paths: { ...apiPaths(settings), ...openPaths(settings) },
    components: {
      securitySchemes: {
        clientCredentials: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: tokenPath(settings), scopes: {} } },
        },
      },
      schemas: openApiSchemas(settings),
    },
  };
}

function apiPaths(settings: PlatformSettings): Record<string, object> {
  return {
    '/v1/assets': list('List assets as a change stream, including tombstones', 'AssetPage'),
    '/v1/assets/{id}': single('Read one asset', 'Asset'),
    '/v1/assets/{id}/related': single(
      "List the asset's current neighbours on demand; never tombstones",
      'RelatedAssets',
    ),
    '/v1/threats': list('List threats as a change stream', 'ThreatPage'),
    '/v1/threats/{id}': single('Read one threat', 'Threat'),
    [settings.dnsBlocksPath]: {
      ...notShown('Path of the DNS block list.'),
      ...list('List DNS blocks, ordered by blocked_at, ties by id', 'DnsBlockPage'),
    },
  };
}

function list(summary: string, schema: string): object {
  const parameters = [
    {
      name: 'limit',
      in: 'query',
      description: 'Outside 1..500: 400, never clamped.',
      schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    },
    {
      name: 'cursor',
      in: 'query',
      description: "A next_cursor of this endpoint, unchanged. Absent = from the beginning. It doesn't expire.",
      schema: { type: 'string' },
    },
  ];
  const refused = problem('limit outside 1..500 (its type is not shown), or a cursor that this endpoint did not issue');
  return { get: { summary, parameters, responses: { ...responses(schema), 400: refused } } };
}

function single(summary: string, schema: string): object {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  return { get: { summary, parameters, responses: responses(schema) } };
}

function responses(schema: string): Record<string, object> {
  return {
    200: { description: 'The answer.', content: json('application/json', schema) },
    401: problem('No token, or one that is malformed, expired or of a disabled account', [
      'auth/missing-token',
      'auth/invalid-token',
      'auth/expired-token',
      'auth/revoked-account',
    ]),
    403: problem('The token lacks the role that the endpoint requires', ['auth/insufficient-role']),
    default: { ...problem('Any other error'), ...notShown('Unknown ids, rate limits and other errors.') },
  };
}

function problem(description: string, suffixes?: readonly string[]): object {
  const pattern = suffixes && `(^|/)(${suffixes.join('|')})$`;
  const schema = { $ref: '#/components/schemas/Problem', ...(pattern && { properties: { type: { pattern } } }) };
  return { description, content: { 'application/problem+json': { schema } } };
}

function openPaths(settings: PlatformSettings): Record<string, object> {
  const form = {
    type: 'object',
    required: ['grant_type'],
    properties: { grant_type: { const: 'client_credentials' } },
  };
  const refusal = {
    description: 'The request or the client is refused.',
    content: json('application/json', 'OAuthError'),
  };
  return {
    [tokenPath(settings)]: {
      post: {
        summary: 'Issue a token for 300 seconds; the client authenticates with HTTP Basic',
        security: [],
        requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } },
        responses: { 200: { description: 'A token.', content: json('application/json', 'Token') }, default: refusal },
      },
    },
    '/openapi.json': {
      ...notShown('Only this local platform serves its own description.'),
      get: {
        security: [],
        responses: {
          200: { description: 'This document.', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
  };
}

function json(mediaType: string, schema: string): object {
  return { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function tokenPath({ realm }: PlatformSettings): string {
  return `/realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`;
}

/** Marks a choice of this platform that the specification does not show. A real tenant may differ. */
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
