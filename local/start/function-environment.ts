import { devNull } from 'node:os';

/**
 * A container of Lambda has no person's variables. Of this machine's, a run against a real tenant needs those that say
 * how to reach it; the embedded platform needs none, and a proxy could not reach it.
 */
const NETWORK = /^(NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy)$/i;

export interface EnvironmentParts {
  /** Of the local endpoints: their addresses and the names of their resources. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** From the options. */
  readonly settings: Readonly<Record<string, string>>;
  readonly inherited: NodeJS.ProcessEnv;
}

/** The whole environment of the function. */
export function functionEnvironment({ endpoints, settings, inherited }: EnvironmentParts): Record<string, string> {
  const network = Object.entries(inherited).filter(([name, value]) => NETWORK.test(name) && value !== undefined);
  return {
    ...(Object.fromEntries(network) as Record<string, string>),
    // A person's own profiles, regions and endpoints must not lead the SDK away from this machine.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...endpoints,
    ...settings,
  };
}
