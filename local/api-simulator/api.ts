import type { VersionedName } from '../../lambda/streams.ts';
import { type Account, type Authority, answerTokenCall } from './auth.ts';
import { layOut, listBody, type Readable, relatedBody, singleBody } from './lists.ts';
import { type Answer, type Call, ProblemError, problemAnswer } from './problem.ts';
import { findRoute, type Route, readTarget } from './routes.ts';

export interface ApiParts extends Readable {
  readonly account: Account;
  readonly authority: Authority;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** Called for every internal error of the API simulator. */
  readonly onError: (error: unknown) => void;
}

/** Answers a call to the token endpoint or the API. Every failure has a documented answer. */
export async function answerCall(call: Call, parts: ApiParts): Promise<Answer> {
  try {
    const { path, segments, parameters } = readTarget(call.target);
    if (path === parts.tokenPath) return await answerTokenCall(call, parts.account, parts.authority);
    const route = findRoute(path, segments, parts.settings);
    if (!route) throw new ProblemError('request/unknown-path', 'There is no such endpoint.');
    return await answerRoute(call, route, parameters, parts);
  } catch (error) {
    if (!(error instanceof ProblemError)) parts.onError(error);
    return problemAnswer(error);
  }
}

async function answerRoute(
  call: Call,
  route: Route,
  parameters: ReadonlyMap<string, string>,
  parts: ApiParts,
): Promise<Answer> {
  if (call.method !== 'GET') {
    throw new ProblemError('request/method-not-allowed', 'The API is read-only: use GET.', { allow: 'GET' });
  }
  await parts.authority.admit(call.header('authorization'), route.stream);
  if (call.body !== '') throw new ProblemError('request/body-not-allowed', 'Read operations have no request body.');
  for (const name of parameters.keys()) {
    if (!route.parameters.includes(name)) {
      throw new ProblemError(
        'request/unknown-parameter',
        `This endpoint takes: ${route.parameters.join(', ') || 'none'}.`,
      );
    }
  }
  const body = layOut(routeBody(route, parameters, parts), parts.random, parts.settings);
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function routeBody(route: Route, parameters: ReadonlyMap<string, string>, parts: ApiParts): string {
  const { endpoint, stream, id } = route;
  if (id === undefined) return listBody(parts, stream, parameters);
  return endpoint === 'related' ? relatedBody(parts, id) : singleBody(parts, stream as VersionedName, id);
}
