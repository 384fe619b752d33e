import type { Settings } from '../../../lambda/settings.ts';
import type { Platform } from '../../../local/platform/platform.ts';
import type { History } from '../history.ts';
import { ORIGIN } from './network.ts';

export const CONNECTOR = 'histories';

/** The settings with which the function runs against a history's platform. */
export function settingsOf(
  { realmPath, settings }: Platform,
  { pageLimit, ocsf, leaseSeconds = 60 }: History,
): Settings {
  return {
    baseUrl: ORIGIN,
    authUrl: ORIGIN + realmPath,
    secretId: 'secret',
    table: 'table',
    deliveryStream: 'stream',
    deadLetterBucket: 'bucket',
    connector: CONNECTOR,
    dnsBlocksPath: settings.dnsBlocksPath,
    threatAssetField: settings.threatAssetMember,
    pageLimit,
    names: {},
    leaseSeconds,
    ocsf: ocsf && {},
    s3PathStyle: false,
  };
}
