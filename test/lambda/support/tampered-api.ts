import type { Platform } from '../../../local/platform/platform.ts';
import { type Act, type HttpHarness, httpHarness, type SeenRequest } from './http-harness.ts';

/** The act that answers instead of the platform, or nothing to let the platform answer. */
export type Tampering = (request: SeenRequest) => Act | undefined;

export interface TamperedApi extends HttpHarness {
  /** Tampers from now on. Without an argument the platform answers everything. */
  tamper(tampering?: Tampering): void;
}

/** The platform's API behind a proxy that may answer in its place. */
export async function tamperedApi(platform: Platform): Promise<TamperedApi> {
  let tampering: Tampering | undefined;
  const harness = await httpHarness(async (response, request) => {
    const act = tampering?.(request);
    if (act) return act(response, request);
    const { method, target, body } = request;
    const header = (name: string): string | undefined => [request.headers[name]].flat().join(', ') || undefined;
    const { answer, reset } = await platform.serve({ method, target, header, body });
    if (reset) return response.socket?.resetAndDestroy();
    return response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return {
    ...harness,
    tamper(next) {
      tampering = next;
    },
  };
}

/** Tampers with one list. */
export function list(path: string, act: Act): Tampering {
  return ({ target }) => (target.startsWith(`${path}?`) ? act : undefined);
}
