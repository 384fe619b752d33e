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
    // An address that gets no mail: doctor warns of the unconfirmed subscription, and fails without one.
    alarmEmail: 'nobody@example.com',
    runbookUrl: 'https://example.com/runbook',
    enabled: false,
    terminationProtection: false,
    removalPolicy: 'destroy',
  } as const;
}
