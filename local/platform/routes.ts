import type { Endpoint } from './faults.ts';
import { ProblemError } from './problem.ts';
import type { RoleArea } from './settings.ts';

/** An endpoint of the API and what it takes. */
export interface Route {
  readonly endpoint: Endpoint;
  /** Role area; absent = open to everyone. */
  readonly area?: RoleArea;
  readonly parameters: readonly string[];
  /** The `{id}` of the path, decoded. */
  readonly id?: string;
}

const LIST = ['cursor', 'limit'];

/** The endpoint of a path. Ids are decoded after the path is split, so they may contain a slash. */
export function findRoute(path: string, segments: readonly string[], dnsBlocksPath: string): Route | undefined {
  if (path === dnsBlocksPath) return { endpoint: 'dns-blocks', area: 'dns-blocks', parameters: LIST };
  if (path === '/openapi.json') return { endpoint: 'openapi', parameters: [] };
  const [version, collection, id, part, ...rest] = segments;
  if (version !== 'v1' || (collection !== 'assets' && collection !== 'threats') || rest.length > 0) return undefined;
  if (id === undefined) return { endpoint: collection, area: collection, parameters: LIST };
  if (id === '') return undefined;
  const single = collection === 'assets' ? 'asset' : 'threat';
  if (part === undefined) return { endpoint: single, area: collection, parameters: [], id };
  if (part === 'related' && collection === 'assets')
    return { endpoint: 'related', area: collection, parameters: [], id };
  return undefined;
}

/** The endpoint of a target, for counts and faults; undefined for an unknown target. Never throws. */
export function endpointOf(target: string, tokenPath: string, dnsBlocksPath: string): Endpoint | undefined {
  try {
    const { path, segments } = readTarget(target);
    return path === tokenPath ? 'token' : findRoute(path, segments, dnsBlocksPath)?.endpoint;
  } catch {
    return undefined;
  }
}

/** The decoded path segments and query parameters of a request target. */
export interface Target {
  readonly path: string;
  readonly segments: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses a target. Throws `request/malformed` for broken percent-encoding, `request/repeated-parameter` for `a=1&a=2`. */
export function readTarget(target: string): Target {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = local.indexOf('?');
  const path = mark < 0 ? local : local.slice(0, mark);
  const query = mark < 0 ? '' : local.slice(mark + 1);
  return { path, segments: path.split('/').slice(1).map(decode), parameters: readParameters(query) };
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of query.split('&').filter(text => text !== '')) {
    const [name = '', ...value] = part.replaceAll('+', ' ').split('=');
    const key = decode(name);
    if (parameters.has(key)) throw new ProblemError('request/repeated-parameter', 'A query parameter is given twice.');
    parameters.set(key, decode(value.join('=')));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ProblemError('request/malformed', 'The percent-encoding of the request target is broken.');
  }
}
