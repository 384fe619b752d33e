import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { closeServer, listenOnLoopback, readBody } from '../api-simulator/server.ts';
import type { ApiSimulator } from '../api-simulator/simulator.ts';

export interface ApiRequest {
  readonly method: string;
  /** Target of the request as sent: percent-encoded, with the query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. If it does nothing, the request stays pending. */
export type AnswerRequest = (response: ServerResponse, request: ApiRequest) => unknown;

/**
 * Chooses the answer to a request in place of the API simulator. If it returns undefined, the API
 * simulator answers.
 */
export type Tampering = (request: ApiRequest) => AnswerRequest | undefined;

export interface TamperableAnswers {
  readonly answer: AnswerRequest;
  /**
   * Replaces answers from now on. Without an argument, the API simulator answers every request
   * again.
   */
  tamper(tampering?: Tampering): void;
}

/** Wraps the API simulator, so that its answers can be tampered with. */
export function createTamperableAnswers(simulator: ApiSimulator): TamperableAnswers {
  let tampering: Tampering | undefined;
  return {
    async answer(response, request) {
      const act = tampering?.(request);
      if (act) return act(response, request);
      const { method, target, body } = request;
      const header = (name: string): string | undefined => [request.headers[name]].flat().join(', ') || undefined;
      const { answer, reset } = await simulator.serve({ method, target, header, body });
      if (reset) return response.socket?.resetAndDestroy();
      return response.writeHead(answer.status, answer.headers).end(answer.body);
    },
    tamper(next) {
      tampering = next;
    },
  };
}

export interface TamperedApi extends Pick<TamperableAnswers, 'tamper'>, AsyncDisposable {
  readonly url: string;
}

/**
 * Starts the simulated API on a free port of 127.0.0.1, behind a proxy that may answer in place of
 * the API.
 *
 * @param now time in the `Date` header of answers, in milliseconds since 1970
 */
export async function startTamperedApi(simulator: ApiSimulator, now: () => number): Promise<TamperedApi> {
  const { answer, tamper } = createTamperableAnswers(simulator);
  const server = createServer(async (request, response) => {
    const { method = '', url: target = '', headers } = request;
    const body = (await readBody(request)) ?? '';
    response.setHeader('date', new Date(now()).toUTCString());
    await answer(response, { method, target, headers, body });
  });
  const url = await listenOnLoopback(server, 0);
  return { url, tamper, [Symbol.asyncDispose]: () => closeServer(server) };
}

/** Tampers with the requests of one list. */
export function tamperList(path: string, act: AnswerRequest): Tampering {
  return ({ target }) => (target.startsWith(`${path}?`) ? act : undefined);
}

export function answerJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): AnswerRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return response => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Answers with a problem document, as the API simulator does. */
export function answerProblem(status: number, suffix: string, detail = 'A detail.', headers = {}): AnswerRequest {
  return answerJson(status, { type: `https://problems.example/${suffix}`, title: 'A title', status, detail }, headers);
}
