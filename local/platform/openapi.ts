import { STREAMS, type Stream, type StreamName } from '../../lambda/streams.ts';
import { type PlatformSettings, pathOf } from './settings.ts';

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
  return Object.assign({}, ...STREAMS.map(stream => streamPaths(stream, settings)));
}

function streamPaths(
  stream: Stream & { readonly name: StreamName },
  settings: PlatformSettings,
): Record<string, object> {
  const { name, singular, hasRowStates, tombstones, timeMember } = stream;
  const path = pathOf(name, settings);
  const schema = schemaName(stream);
  const how = hasRowStates
    ? ` as a change stream${tombstones ? ', including tombstones' : ''}`
    : `, ordered by ${timeMember}, ties by id`;
  return {
    [path]: {
      ...(stream.path === undefined && notShown(`Path of the ${singular} list.`)),
      ...list(`List ${singular}s${how}`, `${schema}Page`),
    },
    ...(hasRowStates && { [`${path}/{id}`]: single(`Read one ${singular}`, schema) }),
    ...(name === 'assets' && {
      [`${path}/{id}/related`]: single(
        "List the asset's current neighbours on demand; never tombstones",
        'RelatedAssets',
      ),
    }),
  };
}

/** `DnsBlock` of `DNS block`. */
function schemaName({ singular }: Stream): string {
  return singular.replace(/\w+ ?/g, word => word[0]!.toUpperCase() + word.slice(1).trim().toLowerCase());
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
    ...Object.assign({}, ...STREAMS.map(stream => rowSchemas(stream, settings))),
    Pagination: {
      type: 'object',
      required: ['next_cursor', 'page_size'],
      properties: {
        next_cursor: { type: ['string', 'null'], description: 'Opaque. null means end of stream.' },
        page_size: { type: 'integer', minimum: 0, maximum: 500, description: 'Length of the returned array.' },
      },
    },
    RelatedAssets: {
      ...notShown('The payload of related assets.'),
      type: 'object',
      properties: { [settings.rowsMember]: { type: 'array', items: { $ref: '#/components/schemas/Asset' } } },
    },
    ...errorSchemas(),
  };
}

function rowSchemas(stream: Stream, settings: PlatformSettings): Record<string, object> {
  const { singular, hasRowStates, tombstones, cascadesFrom, timeMember } = stream;
  const name = schemaName(stream);
  const always = { id: TEXT, [timeMember]: TIMESTAMP };
  if (!hasRowStates) {
    const every = { ...always, updated_at: TIMESTAMP, stream_position: POSITION };
    return { [name]: row(Object.keys(every), every, singular), [`${name}Page`]: page(name, settings) };
  }
  const parent = { ...TEXT, ...notShown('Name of the member that references the asset.') };
  const known = {
    ...always,
    ...(tombstones && { deleted: { const: false } }),
    ...(cascadesFrom && { [settings.threatAssetMember]: parent }),
  };
  const required = [...Object.keys(always), 'stream_position'];
  const live = row(required, { ...known, stream_position: POSITION }, singular);
  const tombstone = { ...known, stream_position: POSITION, deleted: { const: true }, deleted_at: TIMESTAMP };
  const oneOf = [`Live${name}`, `${name}Tombstone`].map(each => ({ $ref: `#/components/schemas/${each}` }));
  return {
    [name]: row(required, { ...known, stream_position: NULL_POSITION }, singular),
    [`${name}Row`]: tombstones ? { oneOf } : live,
    ...(tombstones && {
      [`Live${name}`]: live,
      [`${name}Tombstone`]: row([...required, 'deleted', 'deleted_at'], tombstone, 'tombstone'),
    }),
    [`${name}Page`]: page(`${name}Row`, settings),
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
