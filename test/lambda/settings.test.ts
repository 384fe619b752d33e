import { describe, expect, test } from '@jest/globals';
import { readSettings, SettingsError } from '../../lambda/settings.ts';

const REQUIRED = {
  API_BASE_URL: 'https://api.example',
  AUTH_URL: 'https://auth.example/realms/one',
  CREDENTIALS_SECRET_ID: 'secret',
  STATE_TABLE: 'table',
  DELIVERY_STREAM: 'stream',
  DEAD_LETTER_BUCKET: 'bucket',
  CONNECTOR_NAME: 'acme',
};

function faults(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
}

const COMPILED = 'OCSF_FIELDS must be the mapping that the stack compiles from ocsfFields';

const faultsWith = (change: NodeJS.ProcessEnv) => faults({ ...REQUIRED, ...change });

describe('settings', () => {
  test('have defaults for all that may be left out', () => {
    expect(readSettings(REQUIRED)).toEqual({
      baseUrl: 'https://api.example',
      authUrl: 'https://auth.example/realms/one',
      secretId: 'secret',
      table: 'table',
      deliveryStream: 'stream',
      deadLetterBucket: 'bucket',
      connector: 'acme',
      dnsBlocksPath: undefined,
      threatAssetField: 'asset_id',
      pageLimit: 500,
      names: { rows: undefined, pagination: undefined },
      leaseSeconds: 60,
      s3PathStyle: false,
    });
  });

  test('take every member of the contract', () => {
    const optional = {
      DNS_BLOCKS_PATH: '/v1/dns-blocks',
      THREAT_ASSET_FIELD: 'asset',
      PAGE_LIMIT: '1',
      ROWS_MEMBER: 'data',
      PAGINATION_MEMBER: 'page',
      LEASE_SECONDS: '900',
      EVENT_FORMAT: 'ocsf',
      OCSF_FIELDS: '{"threats":{"fields":{"title":{"to":"finding_info.title"}},"rules":[]}}',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
    };
    expect(readSettings({ ...REQUIRED, ...optional })).toMatchObject({
      dnsBlocksPath: '/v1/dns-blocks',
      threatAssetField: 'asset',
      pageLimit: 1,
      names: { rows: 'data', pagination: 'page' },
      leaseSeconds: 900,
      ocsf: { threats: { fields: { title: { to: 'finding_info.title' } }, rules: [] } },
      s3PathStyle: true,
    });
  });

  test('that are optional and empty are absent', () => {
    const empty = { DNS_BLOCKS_PATH: '', PAGE_LIMIT: '', LEASE_SECONDS: '', ROWS_MEMBER: '', AWS_ENDPOINT_URL: '' };
    expect(readSettings({ ...REQUIRED, ...empty })).toEqual(readSettings(REQUIRED));
  });

  test('with one endpoint for all of AWS mean path-style S3 too', () => {
    expect(readSettings({ ...REQUIRED, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }).s3PathStyle).toBe(true);
  });
});

describe('faults of the settings', () => {
  test('are listed all at once, each by its name', () => {
    expect(faults({}).map(fault => fault.split(' ')[0])).toEqual(Object.keys(REQUIRED));
    const names = faults({ API_BASE_URL: 'ftp://x', PAGE_LIMIT: '501', LEASE_SECONDS: 'x', DNS_BLOCKS_PATH: 'x' }).map(
      fault => fault.split(' ')[0],
    );
    expect(new Set(names)).toEqual(
      new Set([...Object.keys(REQUIRED), 'PAGE_LIMIT', 'LEASE_SECONDS', 'DNS_BLOCKS_PATH']),
    );
  });

  test.each([
    ['a format that there is not', { EVENT_FORMAT: 'cef' }, 'EVENT_FORMAT must be envelope or ocsf'],
    ['a mapping without its format', { OCSF_FIELDS: '{}' }, 'OCSF_FIELDS has no effect unless EVENT_FORMAT is ocsf'],
    ['a mapping that is no JSON', { EVENT_FORMAT: 'ocsf', OCSF_FIELDS: '{' }, COMPILED],
    ['a mapping that nothing compiled', { EVENT_FORMAT: 'ocsf', OCSF_FIELDS: '{"a":"message"}' }, COMPILED],
  ])('name %s', (_, change, fault) => {
    expect(faultsWith(change)).toEqual([fault]);
  });

  test('say that nothing was started, and quote no value', () => {
    const environment = Object.fromEntries(
      ['PAGE_LIMIT', 'LEASE_SECONDS', 'API_BASE_URL', 'AUTH_URL', 'DNS_BLOCKS_PATH'].map(name => [name, 'canary']),
    );
    const message = (() => {
      try {
        return JSON.stringify(readSettings(environment));
      } catch (error) {
        return String(error);
      }
    })();
    expect(message).toContain('nothing was started');
    expect(message).not.toContain('canary');
  });

  test.each(Object.keys(REQUIRED))('include an empty %s, and one of white space', name => {
    expect(faultsWith({ [name]: '' })).not.toEqual([]);
    expect(faultsWith({ [name]: ' \t' })).not.toEqual([]);
  });

  describe.each(['API_BASE_URL', 'AUTH_URL'])('%s', name => {
    test.each([
      'http://api.example',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'http://10.0.0.1',
      'http://[::2]',
      'ftp://api.example',
      'api.example',
      'https://user:password@api.example',
      'https://api.example/?tenant=one',
      'https://api.example/#one',
    ])('%s is refused', url => {
      expect(faultsWith({ [name]: url })).toEqual([expect.stringContaining(`${name} must be an https URL`)]);
    });

    test.each([
      'https://api.example',
      'https://api.example:8443/some/path',
      'http://localhost:1',
      'http://127.0.0.1:1',
      'http://127.8.8.8',
      'http://[::1]:1',
    ])('%s is taken: http goes to loopback alone', url => {
      expect(faultsWith({ [name]: url })).toEqual([]);
    });
  });

  test.each([
    ['API_BASE_URL', 'https://api.example/v1'],
    ['API_BASE_URL', 'https://api.example/gateway/v1/'],
    ['API_BASE_URL', 'https://api.example/v1/assets'],
    ['AUTH_URL', 'https://auth.example/realms/one/protocol/openid-connect'],
    ['AUTH_URL', 'https://auth.example/realms/one/.well-known/openid-configuration'],
  ])('%s %s is refused: its path would be asked twice', (name, url) => {
    expect(faultsWith({ [name]: url })).toEqual([
      expect.stringMatching(new RegExp(`^${name} must be the .* without `)),
    ]);
  });

  test.each([
    ['API_BASE_URL', 'https://api.example/v1x'],
    ['API_BASE_URL', 'https://v1.api.example/tenants/v1/acme'],
    ['AUTH_URL', 'https://auth.example/realms/one/protocol/openid-connect/token'],
    ['AUTH_URL', 'https://auth.example/realms/v1'],
    ['AUTH_URL', 'https://auth.example/oauth2/token'],
  ])('%s %s is taken: nothing in it is certainly wrong', (name, url) => {
    expect(faultsWith({ [name]: url })).toEqual([]);
  });

  test.each(['0', '501', '-1', '1.5', '1e2', ' 5', 'many', '99999999999999999999'])('include PAGE_LIMIT %j', limit => {
    expect(faultsWith({ PAGE_LIMIT: limit })).toContain('PAGE_LIMIT must be a whole number from 1 to 500');
  });

  test.each(['1', '500'])('do not include PAGE_LIMIT %s', limit => {
    expect(readSettings({ ...REQUIRED, PAGE_LIMIT: limit }).pageLimit).toBe(Number(limit));
  });

  test.each(['0', '901', 'x'])('include LEASE_SECONDS %j', seconds => {
    expect(faultsWith({ LEASE_SECONDS: seconds })).toContain('LEASE_SECONDS must be a whole number from 1 to 900');
  });

  test.each(['v1/dns', 'https://api.example/v1/dns', '/v1/dns?x=1', '/v1/dns#x', '/v1/dns blocks'])(
    'include DNS_BLOCKS_PATH %j',
    path => {
      expect(faultsWith({ DNS_BLOCKS_PATH: path })).toHaveLength(1);
    },
  );

  test.each(['id', 'updated_at', 'stream_position', 'deleted', 'deleted_at', 'blocked_at'])(
    'include THREAT_ASSET_FIELD %s, which has a meaning of its own',
    member => {
      expect(faultsWith({ THREAT_ASSET_FIELD: member })).toHaveLength(1);
    },
  );
});
