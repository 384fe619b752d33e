import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { Endpoint } from './faults.ts';
import { ProblemError } from './problem.ts';
import { listPathOf, type SimulatorSettings } from './settings.ts';

/** An endpoint of the API and its parameters. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly stream: StreamName;
  readonly parameters: readonly string[];
  /** Id from the path, decoded. */
  readonly id?: string;
}

/**
 * Finds the endpoint of a path. Ids are decoded after the path is split, so they may contain a
 * slash.
 */
export function findRoute({ path, segments }: RequestTarget, settings: SimulatorSettings): Route | undefined {
  // Lists are compared first, because a configured path may be below the path of another list.
  const list = STREAMS.find(({ name }) => path === listPathOf(name, settings));
  if (list) return { endpoint: list.name, stream: list.name, parameters: ['cursor', 'limit'] };

  const [version, name, id, part, ...rest] = segments;
  const stream = STREAMS.find(each => each.hasRowStates && each.name === name);
  if (version !== 'v1' || !stream?.hasRowStates || !id || rest.length > 0) return undefined;
  const found = { stream: stream.name, parameters: [], id };
  if (part === undefined) return { endpoint: stream.singular, ...found };
  return part === 'related' && stream.name === 'assets' ? { endpoint: 'related', ...found } : undefined;
}

/** The path, decoded path segments and query parameters of a request target. */
export interface RequestTarget {
  readonly path: string;
  readonly segments: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Parses a target. Throws `request/malformed` for broken percent-encoding, and
 * `request/repeated-parameter` for `a=1&a=2`.
 */
export function readTarget(target: string): RequestTarget {
  const [path = '', ...query] = target.split('?');
  return { path, segments: path.split('/').slice(1).map(decode), parameters: readParameters(query.join('?')) };
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
