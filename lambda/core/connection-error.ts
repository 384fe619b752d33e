/**
 * Says why a connection failed, and what to do. The answer is the same for the API, the token
 * endpoint and AWS.
 */

export interface ConnectionError {
  /** Part that caused the error. Absent when the network or the server itself caused it. */
  readonly of?: 'proxy' | 'certificate';
  /** Text for a message, where it follows a colon. */
  readonly problem: string;
  readonly advice?: string;
  /** Whether another try would end in the same way. */
  readonly isFinal: boolean;
}

/**
 * The connection to the proxy itself failed. Without this class the error would seem to be about
 * the API or AWS.
 */
export class ProxyUnreachableError extends Error {
  readonly code: string;
  /** @param proxy host and port of the proxy */
  constructor(proxy: string, code: string) {
    super(proxy);
    this.code = code;
  }
}

/**
 * Finds the code of a failed connection, such as `ECONNREFUSED`. fetch puts the code into a cause
 * of its error, so every cause is searched. Codes that begin with `OAUTH_` are skipped, because
 * they do not concern the connection. For a port that fetch refuses, its error has no code, so the
 * message of that error is returned instead.
 *
 * @returns undefined if no connection failed
 */
function networkCode(error: unknown): string | undefined {
  for (const cause of errorAndCauses(error)) {
    if (cause.message === BAD_PORT) return BAD_PORT;
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^(?!OAUTH_)[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}

const BAD_PORT = 'bad port';

export function* errorAndCauses(error: unknown): Generator<Error> {
  for (let at = error; at instanceof Error; at = at.cause) yield at;
}

/** @returns undefined if no connection failed */
export function connectionError(error: unknown): ConnectionError | undefined {
  const code = networkCode(error);
  if (code === undefined) return undefined;
  const known = proxyError(error, code) ?? certificateError(code);
  return known ?? { problem: `the connection failed (${code})`, isFinal: code === BAD_PORT };
}

const AWAY = 'Check proxyUrl, the proxy, and the subnets and security groups of the function.';
const REFUSES = 'Have the proxy allow and reach the host, or name the host in noProxy.';
const ASKS = 'Have the proxy admit the function without a password.';

function proxyError(error: unknown, code: string): ConnectionError | undefined {
  if (error instanceof ProxyUnreachableError)
    return {
      of: 'proxy',
      problem: `the proxy ${error.message} cannot be reached (${code})`,
      advice: AWAY,
      isFinal: false,
    };
  const status = tunnelStatus(error);
  if (status === undefined) return undefined;
  const problem = `the proxy did not connect to it (${status})`;
  return { of: 'proxy', problem, advice: status === 407 ? ASKS : REFUSES, isFinal: status < 500 };
}

/**
 * Status of the proxy's answer to CONNECT. Errors of `https.Agent` have the status as a member, but
 * errors of fetch have it in the message.
 */
function tunnelStatus(error: unknown): number | undefined {
  for (const cause of errorAndCauses(error)) {
    const { code, statusCode } = cause as { code?: unknown; statusCode?: number };
    if (code === 'ERR_PROXY_TUNNEL') return statusCode;
    const status = /^Proxy response \((\d{3})\)/.exec(cause.message);
    if (status) return Number(status[1]);
  }
  return undefined;
}

const CERTIFICATE =
  'If its authority is your own, or a proxy inspects TLS, add the authority to the file of caCertificates. Otherwise check the address, or have ' +
  'the certificate renewed.';

/** Another try would end in the same way, because a certificate is not replaced within seconds. */
function certificateError(code: string): ConnectionError | undefined {
  if (!/CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/.test(code)) return undefined;
  const problem = `the certificate of its server is not accepted (${code})`;
  return { of: 'certificate', problem, advice: CERTIFICATE, isFinal: true };
}
