import { DEFAULT_SETTINGS } from '../../local/platform/settings.ts';

const CONNECTOR = 'integ';

export const NAMES = {
  platform: 'SecurityDataConnectorIntegPlatform',
  connector: `SecurityDataConnector-${CONNECTOR}`,
};

/** An entry of the configuration for a platform at this URL: nothing runs but what the script invokes, and nothing stays. */
export function connectorOn(url: string) {
  const baseUrl = url.replace(/\/+$/, '');
  return {
    name: CONNECTOR,
    baseUrl,
    authUrl: `${baseUrl}/realms/${DEFAULT_SETTINGS.realm}`,
    dnsBlocksPath: DEFAULT_SETTINGS.dnsBlocksPath,
    pageLimit: 25,
    enabled: false,
    terminationProtection: false,
    removalPolicy: 'destroy',
  } as const;
}
