/**
 * Sends connections through a proxy. Node's fetch takes the proxy from the environment, but the SDK
 * must be given an agent.
 */
import { Agent } from 'node:https';
import { errorAndCauses, ProxyUnreachableError } from './core/connection-error.ts';

/** Variables that Node's agents take as `proxyEnv`. */
export type ProxySettings = { readonly HTTPS_PROXY: string; readonly NO_PROXY?: string | undefined };

/**
 * Creates the agent for the SDK, because the agents that the SDK creates do not use a proxy,
 * whatever the environment says. The SDK must be given an agent and not the agent's options,
 * because for large objects (`Expect: 100-continue`) it would create another agent without them.
 * `keepAlive` and `maxSockets` have the values that the SDK would use.
 */
export function proxyAgent(proxy: ProxySettings | undefined): { readonly httpsAgent?: Agent } {
  return proxy ? { httpsAgent: new Agent({ keepAlive: true, maxSockets: 50, proxyEnv: proxy }) } : {};
}

/**
 * Writes a host in the form that means the host and all hosts below it, both to fetch and to
 * `https.Agent` of Node 24:
 *
 *     NO_PROXY         fetch               https.Agent
 *     example.com      and hosts below     that host only
 *     *.example.com    hosts below         hosts below
 *     .example.com     and hosts below     and hosts below
 */
export function hostPattern(host: string): string {
  const name = host.replace(/^\*?\./, '');
  // An address, or a host with a port, has only one form.
  return /:|^\d[\d./-]*$/.test(name) ? name : `.${name}`;
}

/**
 * Wraps a call that connects to the API or AWS, so that an error of the proxy names the proxy.
 * The call stays as it is if there is no proxy.
 */
export function withProxyErrors<A extends unknown[], T>(
  call: (...given: A) => Promise<T>,
  proxy: ProxySettings | undefined,
): (...given: A) => Promise<T> {
  if (!proxy) return call;
  const url = new URL(proxy.HTTPS_PROXY);
  return async (...given) => {
    try {
      return await call(...given);
    } catch (error) {
      const code = codeOfConnection(error, url);
      throw code === undefined ? error : new ProxyUnreachableError(url.host, code);
    }
  };
}

/** @returns the code of the failure, if the connection to this URL failed */
function codeOfConnection(error: unknown, { hostname, port, protocol }: URL): string | undefined {
  const at = Number(port || (protocol === 'http:' ? 80 : 443));
  for (const cause of errorAndCauses(error)) {
    // A host with several addresses fails with one error for each address.
    const first = cause instanceof AggregateError ? cause.errors[0] : cause;
    if (first.syscall === 'connect' ? first.port === at : first.hostname === hostname) return first.code;
    if (cause.message.includes(`(attempted address: ${hostname}:${at},`)) return 'UND_ERR_CONNECT_TIMEOUT';
  }
  return undefined;
}
