/** Why a connection failed, and what to do: the same for the API, the token endpoint and AWS. */

export interface ConnectionError {
  /** Absent: the network, or the server itself. */
  readonly of?: 'proxy' | 'certificate';
  /** Follows a colon. */
  readonly what: string;
  readonly advice?: string;
  /** Whether another try would end in the same way: a certificate is not replaced in seconds. */
  readonly isFinal: boolean;
}

/** The connection to the proxy itself failed. Without it the error would seem to be about the API or AWS. */
export class ProxyUnreachable extends Error {
  readonly code: string;
  /** @param proxy its host and port */
  constructor(proxy: string, code: string) {
    super(proxy);
    this.code = code;
  }
}

/**
 * Why a connection gave no whole answer: a code such as `ECONNREFUSED`, which fetch hides in causes and which is never one of OAuth's
 * own. Undefined if no connection failed. A port that fetch refuses has no code.
 */
function networkCode(error: unknown): string | undefined {
  for (const each of causesOf(error)) {
    if (each.message === BAD_PORT) return BAD_PORT;
    const { code } = each as { code?: unknown };
    if (typeof code === 'string' && /^(?!OAUTH_)[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}

const BAD_PORT = 'bad port';

export function* causesOf(error: unknown): Generator<Error> {
  for (let at = error; at instanceof Error; at = at.cause) yield at;
}

/** @returns undefined if no connection failed */
export function connectionError(error: unknown): ConnectionError | undefined {
  const code = networkCode(error);
  if (code === undefined) return undefined;
  const known = proxyError(error, code) ?? certificateError(code);
  return known ?? { what: `the connection failed (${code})`, isFinal: code === BAD_PORT };
}

const AWAY = 'Check proxyUrl, the proxy, and the subnets and security groups of the function.';
const FAILS = 'Check that the proxy reaches the host.';
const REFUSES = 'Have the proxy allow the host, or name the host in noProxy.';
const ASKS = 'Have the proxy admit the function without a password.';

function proxyError(error: unknown, code: string): ConnectionError | undefined {
  if (error instanceof ProxyUnreachable)
    return {
      of: 'proxy',
      what: `the proxy ${error.message} cannot be reached (${code})`,
      advice: AWAY,
      isFinal: false,
    };
  const status = tunnelStatus(error);
  if (status === undefined) return undefined;
  const isFinal = status < 500;
  const advice = status === 407 ? ASKS : isFinal ? REFUSES : FAILS;
  return { of: 'proxy', what: `the proxy did not connect to it (${status})`, advice, isFinal };
}

/** Status of the proxy's answer to CONNECT. Errors of `https.Agent` have it as a member, those of fetch in the message. */
function tunnelStatus(error: unknown): number | undefined {
  for (const each of causesOf(error)) {
    const { code, statusCode } = each as { code?: unknown; statusCode?: number };
    if (code === 'ERR_PROXY_TUNNEL') return statusCode;
    const status = /^Proxy response \((\d{3})\)/.exec(each.message);
    if (status) return Number(status[1]);
  }
  return undefined;
}

function certificateError(code: string): ConnectionError | undefined {
  if (!/CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/.test(code)) return undefined;
  const [state, advice] = certificateState(code);
  return { of: 'certificate', what: `the certificate of its server ${state} (${code})`, advice, isFinal: true };
}

/** Codes of Node's TLS. A chain that ends in no trusted certificate has one of six. */
function certificateState(code: string): readonly [state: string, advice: string] {
  if (/ISSUER|VERIFY|SELF_SIGNED/.test(code)) {
    return [
      'is of an unknown authority',
      'Add that authority to the file of caCertificates. A proxy that inspects TLS has one of its own.',
    ];
  }
  if (/EXPIRED/.test(code)) {
    return [
      'or of its authority has expired',
      'Have it renewed, or replace the authority in the file of caCertificates.',
    ];
  }
  return ['is not accepted', 'Check the address, and the certificate.'];
}
