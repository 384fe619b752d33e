/** Names the proxy in errors of connections to it. */
import { causesOf, ProxyUnreachable } from './core/connection-fault.ts';
import type { ProxySettings } from './settings.ts';

/** Wraps what connects to the API or AWS. Without a proxy nothing changes. */
export function namingProxy<A extends unknown[], T>(
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
      throw code === undefined ? error : new ProxyUnreachable(url.host, code);
    }
  };
}

/** @returns the code, if it was the connection to this URL that failed */
function codeOfConnection(error: unknown, { hostname, port, protocol }: URL): string | undefined {
  const at = Number(port || (protocol === 'http:' ? 80 : 443));
  for (const each of causesOf(error)) {
    // A host with several addresses fails with one error for each.
    const first = each instanceof AggregateError ? each.errors[0] : each;
    if (first.syscall === 'connect' ? first.port === at : first.hostname === hostname) return first.code;
    if (each.message.includes(`(attempted address: ${hostname}:${at},`)) return 'UND_ERR_CONNECT_TIMEOUT';
  }
  return undefined;
}
