import type { VersionedStreamName } from '../../lambda/streams.ts';
import { answerTokenCall, readBearerToken, roleOf, type ServiceAccount } from './auth.ts';
import { listBody, neighboursBody, type ReadContext, singleRowBody } from './lists.ts';
import { type HttpAnswer, type HttpCall, ProblemError, problemAnswer } from './problem.ts';
import { findRoute, type Route, readTarget } from './routes.ts';

/** Path of the realm. The path of the token endpoint begins with it. */
export const REALM_PATH = '/realms/organization';
export const TOKEN_PATH = `${REALM_PATH}/protocol/openid-connect/token`;

export interface ApiParts extends ReadContext {
  readonly account: ServiceAccount;
  /** Called for every internal error of the API simulator. */
  readonly onError: (error: unknown) => void;
}

/**
 * Answers a call to the token endpoint or the API. Every failure becomes the answer that the
 * specification documents for it.
 */
export function answerCall(call: HttpCall, parts: ApiParts): HttpAnswer {
  try {
    const target = readTarget(call.target);
    if (target.path === TOKEN_PATH) return answerTokenCall(call, parts.account);
    const route = findRoute(target, parts.settings);
    if (!route) throw new ProblemError('request/unknown-path', 'There is no such endpoint.');

    checkCall(call, route, parts);
    const unknown = [...target.parameters.keys()].find(name => !route.parameters.includes(name));
    if (unknown !== undefined) {
      const detail = `This endpoint takes: ${route.parameters.join(', ') || 'none'}.`;
      throw new ProblemError('request/unknown-parameter', detail);
    }
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: routeBody(route, target.parameters, parts) };
  } catch (error) {
    if (!(error instanceof ProblemError)) parts.onError(error);
    return problemAnswer(error);
  }
}

function checkCall(call: HttpCall, route: Route, { account }: ApiParts): void {
  if (call.method !== 'GET') {
    throw new ProblemError('request/method-not-allowed', 'The API is read-only: use GET.', { allow: 'GET' });
  }
  const text = readBearerToken(call.header('authorization'));
  account.admit(account.tokenOf(text), roleOf(route.stream));
  if (call.body !== '') throw new ProblemError('request/body-not-allowed', 'Read operations have no request body.');
}

function routeBody(route: Route, parameters: ReadonlyMap<string, string>, parts: ApiParts): string {
  const { endpoint, stream, id } = route;
  if (id === undefined) return listBody(parts, stream, parameters);
  return endpoint === 'related' ? neighboursBody(parts, id) : singleRowBody(parts, stream as VersionedStreamName, id);
}
