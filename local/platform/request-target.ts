import { ProblemError } from './problem.ts';

/** A request target taken apart: path segments and query parameters, decoded. */
export interface Target {
  readonly path: string;
  readonly segments: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
}

/** Takes a target apart. Throws `request/malformed` for broken percent-encoding, `request/repeated-parameter` for `a=1&a=2`. */
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
