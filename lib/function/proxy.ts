/**
 * Configures the proxy of the function, with rules for its options and the variables by which Node
 * 24 uses it.
 */
import * as v from 'valibot';
import { hostPattern } from '../../lambda/proxy.ts';

/**
 * Credentials are refused, because everyone who may read the function or its template can read the
 * value.
 */
const NO_CREDENTIALS =
  'must hold no user or password, because the template and the function show it: have the proxy admit the function by its subnets or security group';

export const proxyUrlSchema = v.pipe(
  v.string('must be the URL of a proxy, such as http://proxy.example.com:3128'),
  v.check(isHttpUrl, 'must be the URL of a proxy, such as http://proxy.example.com:3128'),
  v.check(url => !isHttpUrl(url) || new URL(url).username + new URL(url).password === '', NO_CREDENTIALS),
  v.check(url => /^https?:\/\/[^/?#\s]+\/?$/i.test(url), 'must be scheme, host and port alone'),
);

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol) && new URL(text).hostname !== '';
}

/**
 * Lambda limits all environment variables together to 4 KB, so the list of hosts may take a quarter
 * of this limit.
 */
const HOSTS_BYTES = 1_000;

/**
 * Schema of the hosts without a proxy. Ports and ranges of addresses are refused, because not every
 * client in Node 24 reads them.
 */
export const noProxySchema = v.pipe(
  v.array(
    v.pipe(
      v.string('must be a host'),
      v.regex(
        /^(\*?\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i,
        'must be a host such as api.example.com, which includes the hosts below it, or an IPv4 address: without scheme, port, path or range',
      ),
    ),
    'must be a list of hosts',
  ),
  v.minLength(1, 'must name one host at least'),
  v.check(
    hosts => hosts.join().length <= HOSTS_BYTES,
    `must have ${HOSTS_BYTES} characters at most, all hosts together`,
  ),
);

/**
 * Hosts that no proxy can reach: the function itself, where Lambda's runtime API and extensions
 * listen, and the link-local addresses of AWS. The range is for extensions, which read the same
 * variables. Node does not read ranges, but reaches these addresses only over http, for which it
 * never uses the proxy.
 */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1', '169.254.169.254', '169.254.0.0/16'];

/**
 * Returns the variables of the proxy. `NODE_USE_ENV_PROXY` makes fetch of Node 24 read the other
 * variables (https://nodejs.org/docs/latest-v24.x/api/http.html#built-in-proxy-support). The
 * function gives them to the SDK (lambda/proxy.ts). There is no `HTTP_PROXY`, because the API and
 * AWS use https, and http never leaves the function.
 */
export function proxyEnvironment({ proxyUrl, noProxy = [] }: ProxyOptions): Record<string, string> {
  if (proxyUrl === undefined) return {};
  return {
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: proxyUrl,
    NO_PROXY: [...LOCAL_HOSTS, ...noProxy.map(hostPattern)].join(),
  };
}

interface ProxyOptions {
  readonly proxyUrl?: string;
  readonly noProxy?: readonly string[];
}

/** Returns the port of an address, or the default port of its protocol. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port || (protocol === 'http:' ? 80 : 443));
}
