import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { Endpoint } from './faults.ts';
import { ProblemError } from './problem.ts';
import { pathOf, type StreamPaths } from './settings.ts';

/** An endpoint of the API and what it takes. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly stream: StreamName;
  readonly parameters: readonly string[];
  /** The `{id}` of the path, decoded. */
  readonly id?: string;
}

const LIST = ['cursor', 'limit'];

/** The endpoint of a path. Ids are decoded after the path is split, so they may contain a slash. */
export function findRoute(path: string, segments: readonly string[], paths: StreamPaths): Route | undefined {
  // A path that was configured comes first: it may be below another.
  const ordered = STREAMS.toSorted((one, other) => Number('path' in one) - Number('path' in other));
  for (const { name, singular, hasRowStates, ...facts } of ordered) {
    const list = pathOf(name, paths);
    if (path === list) return { endpoint: name, stream: name, parameters: LIST };
    const own = list.split('/').slice(1);
    if (!('path' in facts) || !own.every((segment, at) => segments[at] === segment)) continue;
    const [id, part, ...rest] = segments.slice(own.length);
    if (id === undefined) return { endpoint: name, stream: name, parameters: LIST };
    if (id === '' || !hasRowStates || rest.length > 0) continue;
    if (part === undefined) return { endpoint: singular, stream: name, parameters: [], id };
    if (part === 'related' && name === 'assets') return { endpoint: 'related', stream: name, parameters: [], id };
  }
  return undefined;
}

/** The endpoint of a target, for counts and faults; undefined for an unknown target. Never throws. */
export function endpointOf(target: string, tokenPath: string, paths: StreamPaths): Endpoint | undefined {
  try {
    const { path, segments } = readTarget(target);
    return path === tokenPath ? 'token' : findRoute(path, segments, paths)?.endpoint;
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
