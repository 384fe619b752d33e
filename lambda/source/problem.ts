/** The problem documents of the API's errors (specification, Errors). */
import { readBody } from './http.ts';

/** The suffixes of `type` that the specification names. */
const KNOWN_TYPES = [
  'request/invalid-cursor',
  'auth/missing-token',
  'auth/invalid-token',
  'auth/expired-token',
  'auth/revoked-account',
  'auth/insufficient-role',
] as const;

export type ProblemType = (typeof KNOWN_TYPES)[number];

const MAX_BYTES = 65_536;

/**
 * Nothing else of the document is kept: an API, or a proxy before it, may echo the request, and with it the token, in any
 * other text. Never throws: an error whose body cannot be read is still known by its status.
 *
 * @returns the suffix of `type`, when it is one that the specification names
 */
export async function readProblem(response: Response): Promise<ProblemType | undefined> {
  const body = await readBody(response, MAX_BYTES).catch(() => Buffer.alloc(0));
  const type = typeOf(body.toString());
  return KNOWN_TYPES.find(known => type === known || type.endsWith(`/${known}`) || type.endsWith(`:${known}`));
}

function typeOf(text: string): string {
  try {
    const document: unknown = JSON.parse(text);
    const type = typeof document === 'object' && document !== null && 'type' in document ? document.type : undefined;
    return typeof type === 'string' ? type : '';
  } catch {
    return '';
  }
}
