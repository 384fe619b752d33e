/** The proxy of this machine, taken from its environment as curl and the AWS CLI do. */
import http from 'node:http';
import { hostPattern, type ProxySettings } from '../lambda/proxy.ts';

/** @returns undefined if connections are direct */
export function machineProxy(environment: NodeJS.ProcessEnv): ProxySettings | undefined {
  const url = environment['https_proxy'] || environment['HTTPS_PROXY'];
  if (!url) return undefined;
  const hosts = (environment['no_proxy'] ?? environment['NO_PROXY'] ?? '').split(/[\s,]+/).filter(Boolean);
  // Endpoints of local runs are on this machine, so they are reached without the proxy.
  const direct = ['localhost', '127.0.0.1', '::1', ...hosts.map(host => (host === '*' ? host : hostPattern(host)))];
  return { HTTPS_PROXY: url.includes('://') ? url : `http://${url}`, NO_PROXY: direct.join() };
}

/**
 * Makes `fetch` of this process use the proxy. Node 24.14 and later can do so at any time, Node
 * 22.21 and later only at the start of the process, and earlier versions not at all.
 *
 * @returns the proxy for other clients, undefined if this Node does not use one
 */
export function useProxy(proxy: ProxySettings | undefined): ProxySettings | undefined {
  if (!proxy) return undefined;
  if (http.setGlobalProxyFromEnv) {
    http.setGlobalProxyFromEnv(proxy);
    return proxy;
  }
  const wasTakenAtStart =
    process.env['NODE_USE_ENV_PROXY'] === '1' && process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
  return wasTakenAtStart ? proxy : undefined;
}

/** Warning for a version of Node that does not use the proxy. */
export const UNUSED_PROXY_WARNING =
  `HTTPS_PROXY is set, and Node ${process.versions.node} does not use it here: connections are direct. ` +
  'Use Node 24.14 or later, or Node 22.21 or later with NODE_USE_ENV_PROXY=1.';
