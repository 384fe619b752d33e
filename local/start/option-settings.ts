import { readSettings, SettingsError } from '../../lambda/settings.ts';
import { LOCAL_NAMES } from '../aws/endpoints.ts';
import type { Flags } from './command-line.ts';

/** The function's settings by the option that gives them. */
const SETTINGS = {
  baseUrl: 'API_BASE_URL',
  authUrl: 'AUTH_URL',
  name: 'CONNECTOR_NAME',
  dnsBlocksPath: 'DNS_BLOCKS_PATH',
  threatAssetField: 'THREAT_ASSET_FIELD',
  pageLimit: 'PAGE_LIMIT',
  rowsMember: 'ROWS_MEMBER',
  paginationMember: 'PAGINATION_MEMBER',
  format: 'EVENT_FORMAT',
} as const satisfies Partial<Record<keyof Flags, string>>;

/** Stand in for what is known only once the endpoints run. */
const PLACEHOLDERS = {
  API_BASE_URL: 'https://host.example',
  AUTH_URL: 'https://host.example',
  STATE_TABLE: LOCAL_NAMES.stateTable,
  CREDENTIALS_SECRET_ID: LOCAL_NAMES.secret,
  DELIVERY_STREAM: LOCAL_NAMES.deliveryStream,
  DEAD_LETTER_BUCKET: LOCAL_NAMES.deadLetterBucket,
};

/** The settings that the options give, by the function's own names. */
export function settingsOf(flags: Flags): Record<string, string> {
  const given = Object.entries(SETTINGS).map(([flag, setting]) => [setting, flags[flag as keyof Flags]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** What the function itself would refuse, in the words of the options. */
export function settingFaults(settings: Readonly<Record<string, string>>): string[] {
  try {
    readSettings({ ...PLACEHOLDERS, ...settings });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults.map(inWordsOfOptions);
    throw error;
  }
}

/** The option as it is typed: `dnsBlocksPath` → `--dns-blocks-path`. */
export function optionOf(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, deadLetter => `-${deadLetter.toLowerCase()}`)}`;
}

function inWordsOfOptions(fault: string): string {
  const flag = Object.entries(SETTINGS).find(([, setting]) => fault.startsWith(`${setting} `));
  return flag ? optionOf(flag[0]) + fault.slice(flag[1].length) : fault;
}
