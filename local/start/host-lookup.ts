import { lookup } from 'node:dns/promises';

/** A host of the tenant has no address; nothing was asked of it. */
export class UnknownHostError extends Error {
  override readonly name = 'UnknownHostError';
  constructor(host: string, options?: ErrorOptions) {
    const what = `The host ${host} has no address that this machine can find.`;
    super(`${what} Nothing was read and nothing has changed. Check the URL, the name server and the VPN.`, options);
  }
}

/**
 * A typing error in a URL shows at once, where the handler would wait for the host as for one that is down.
 *
 * @throws UnknownHostError
 */
export async function lookUpHosts(urls: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  // Behind a proxy only the proxy needs to know.
  if (environment['NODE_USE_ENV_PROXY']) return;
  for (const url of urls) {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    await lookup(host).catch(cause => {
      throw new UnknownHostError(host, { cause });
    });
  }
}
