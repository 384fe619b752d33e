import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { STREAMS } from '../../../lambda/streams.ts';
import { openApiDocument } from '../../../local/platform/openapi.ts';
import { endpointOf } from '../../../local/platform/routes.ts';
import { type PlatformSettings, pathOf } from '../../../local/platform/settings.ts';

export interface Answered {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

interface Document {
  readonly paths: Record<string, { get?: Operation; post?: Operation }>;
}

interface Operation {
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

/** Holds answers against the platform's own OpenAPI document. */
export function createOpenApiCheck(settings: PlatformSettings): (answered: Answered) => string[] {
  const document = openApiDocument(settings) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'platform');
  const compiled = new Map<string, ValidateFunction>();
  const tokenPath = Object.keys(document.paths).find(path => path.endsWith('/token'))!;
  const templates: Record<string, string> = {
    token: tokenPath,
    related: '/v1/assets/{id}/related',
    openapi: '/openapi.json',
    ...Object.fromEntries(
      STREAMS.flatMap(({ name, singular }) => [
        [name, pathOf(name, settings)],
        [singular, `${pathOf(name, settings)}/{id}`],
      ]),
    ),
  };
  return ({ target, status, contentType, text }) => {
    const template = templates[endpointOf(target, tokenPath, settings) ?? ''];
    const pointer = template === undefined ? PROBLEM : schemaPointer(document, template, status, contentType);
    if (pointer === undefined) return [`${status} ${contentType} is not described for ${template}`];
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `platform#${pointer}` });
    compiled.set(pointer, validate);
    return validate(JSON.parse(text)) ? [] : validate.errors!.map(error => `${error.instancePath} ${error.message}`);
  };
}

const PROBLEM = '/components/schemas/Problem';

/** The description of an answer; errors that no operation describes, such as an unknown path, are problem documents too. */
function schemaPointer(document: Document, template: string, status: number, contentType: string): string | undefined {
  const method = document.paths[template]?.get ? 'get' : 'post';
  const { responses } = document.paths[template]![method]!;
  const key = String(status) in responses ? String(status) : 'default';
  const content = responses[key]?.content ?? {};
  if (content[contentType] === undefined)
    return contentType === 'application/problem+json' && !(key in responses) ? PROBLEM : undefined;
  const parts = ['paths', template, method, 'responses', key, 'content', contentType, 'schema'];
  return parts.map(part => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}
