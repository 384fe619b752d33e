/** An answer of the API simulator before it is sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A raw request, with the target of the request line. `header` takes the name of a header in lower
 * case.
 */
export interface HttpCall {
  readonly method: string;
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

/**
 * Status and title of each problem, by the suffix of its type. The suffixes of the first group are
 * from the specification. The specification has no suffixes for the other problems, so the
 * simulator invents them.
 */
export const PROBLEMS = {
  'request/invalid-cursor': [400, 'Invalid cursor'],
  'auth/missing-token': [401, 'Missing token'],
  'auth/invalid-token': [401, 'Invalid token'],
  'auth/expired-token': [401, 'Expired token'],
  'auth/revoked-account': [401, 'Revoked account'],
  'auth/insufficient-role': [403, 'Insufficient role'],

  'request/invalid-limit': [400, 'Invalid limit'],
  'request/unknown-parameter': [400, 'Unknown parameter'],
  'request/repeated-parameter': [400, 'Repeated parameter'],
  'request/body-not-allowed': [400, 'Body not allowed'],
  'request/malformed': [400, 'Malformed request'],
  'request/foreign-origin': [403, 'Request of another origin'],
  'request/unknown-path': [404, 'Unknown path'],
  'resource/not-found': [404, 'Not found'],
  'request/method-not-allowed': [405, 'Method not allowed'],
  'resource/conflict': [409, 'Conflict'],
  'request/body-too-large': [413, 'Body too large'],
  'request/not-json': [415, 'Not application/json'],
  'request/foreign-host': [421, 'Other host name'],
  'server/internal-error': [500, 'Internal error'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemSuffix = keyof typeof PROBLEMS;

/** A request that cannot be served. `problemAnswer` turns the error into a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly suffix: ProblemSuffix;
  readonly headers: Readonly<Record<string, string>>;

  constructor(suffix: ProblemSuffix, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.suffix = suffix;
    this.headers = headers;
  }
}

/** The answer with the problem document of an error. Details are shown only for a ProblemError. */
export function problemAnswer(error: unknown): HttpAnswer {
  if (!(error instanceof ProblemError)) {
    return problemAnswer(new ProblemError('server/internal-error', 'The API simulator failed; see its log.'));
  }
  const [status, title] = PROBLEMS[error.suffix];
  return problemDocument({ suffix: error.suffix, title, status, detail: error.message }, error.headers);
}

/**
 * Creates a problem document. The specification gives only the suffix of a problem's type, so the
 * simulator invents the beginning of the type.
 */
export function problemDocument(
  { suffix, ...members }: { suffix: string; title: string; status: number; detail?: string },
  headers: Readonly<Record<string, string>>,
): HttpAnswer {
  return {
    status: members.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: `https://problems.security-data.example/${suffix}`, ...members }),
  };
}
