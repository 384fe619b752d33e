import type { Endpoint } from './faults.ts';
import { readTarget } from './request-target.ts';
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

/** The endpoint for a path, or undefined. Ids are decoded after the path is split, so they may hold a slash. */
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

/** The endpoint that a target means, for counting and for faults; undefined where none does. Never throws. */
export function endpointOf(target: string, tokenPath: string, dnsBlocksPath: string): Endpoint | undefined {
  try {
    const { path, segments } = readTarget(target);
    return path === tokenPath ? 'token' : findRoute(path, segments, dnsBlocksPath)?.endpoint;
  } catch {
    return undefined;
  }
}
