import { notShown, openApiSchemas } from './openapi-schemas.ts';
import type { PlatformSettings } from './settings.ts';

/** The API as specified, as an OpenAPI 3.1 document. What the specification leaves open bears `x-not-shown`. */
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
