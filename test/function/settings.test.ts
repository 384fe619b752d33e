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

function problems(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

const problemsWith = (change: NodeJS.ProcessEnv) => problems({ ...REQUIRED, ...change });

describe('settings', () => {
  test('every optional setting has a default', () => {
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
      leaseSeconds: 60,
      s3PathStyle: false,
    });
  });

  test('every setting in the contract of the function is read', () => {
    const optional = {
      DNS_BLOCKS_PATH: '/v1/dns-blocks',
      THREAT_ASSET_FIELD: 'asset',
      PAGE_LIMIT: '1',
      ROWS_MEMBER: 'data',
      PAGINATION_MEMBER: 'page',
      LEASE_SECONDS: '900',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://proxy.example:3128',
      NO_PROXY: 'localhost',
    };
    expect(readSettings({ ...REQUIRED, ...optional })).toMatchObject({
      proxy: { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'localhost' },
      dnsBlocksPath: '/v1/dns-blocks',
      threatAssetField: 'asset',
      pageLimit: 1,
      rowsMember: 'data',
      paginationMember: 'page',
      leaseSeconds: 900,
      s3PathStyle: true,
    });
  });

  test('filters and omitted members are read as JSON by stream', () => {
    const variables = { FILTERS: '{"threats":"a"}', OMIT: '{"assets":["contact.email"]}' };
    expect(readSettings({ ...REQUIRED, ...variables })).toMatchObject({
      filters: { threats: 'a' },
      omit: { assets: ['contact.email'] },
    });
  });

  // The rules of options are proven where cdk.json is read (test/stack/config.test.ts), because
  // both follow from one declaration.
  test.each([
    ['FILTERS', 'a', /^FILTERS must be an object$/],
    ['FILTERS', '{"dnsBlocks":"a"}', /^FILTERS\.dnsBlocks has no effect without dnsBlocksPath: the stream is off$/],
    ['DNS_BLOCKS_SINCE', '2026-01-31', /^DNS_BLOCKS_SINCE has no effect without dnsBlocksPath: the stream is off$/],
    ['DNS_BLOCKS_SINCE', '2026-02-30', /^DNS_BLOCKS_SINCE must be a date that the calendar has$/],
    ['REQUESTS_PER_MINUTE', '9', /^REQUESTS_PER_MINUTE must be a whole number from 10 to 6000$/],
    ['PAGE_LIMIT', '501', /^PAGE_LIMIT must be a whole number from 1 to 500$/],
    ['PAGE_LIMIT', '1e2', /^PAGE_LIMIT must be a whole number/],
    ['PAGE_LIMIT', '99999999999999999999', /^PAGE_LIMIT must be a whole number/],
    ['LEASE_SECONDS', '901', /^LEASE_SECONDS must be a whole number of seconds from 1 to 900$/],
  ])('the setting %s with the value %s is refused: %s', (name, value, problem) => {
    expect(problemsWith({ [name]: value })).toEqual([expect.stringMatching(problem)]);
  });

  test('an optional setting that is empty counts as absent', () => {
    const empty = { DNS_BLOCKS_PATH: '', PAGE_LIMIT: '', LEASE_SECONDS: '', ROWS_MEMBER: '', AWS_ENDPOINT_URL: '' };
    expect(readSettings({ ...REQUIRED, ...empty })).toEqual(readSettings(REQUIRED));
  });

  test('a single endpoint for all of AWS implies path-style S3', () => {
    expect(readSettings({ ...REQUIRED, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }).s3PathStyle).toBe(true);
  });
});

describe('problems of the settings', () => {
  test('all problems of the settings are reported at once, by name and without values', () => {
    expect(problems({}).map(problem => problem.split(' ')[0])).toEqual(Object.keys(REQUIRED));
    const wrong = ['API_BASE_URL', 'AUTH_URL', 'PAGE_LIMIT', 'LEASE_SECONDS', 'DNS_BLOCKS_PATH'];
    const listed = problems(Object.fromEntries(wrong.map(name => [name, 'canary'])));
    expect(new Set(listed.map(problem => problem.split(' ')[0]))).toEqual(
      new Set([...Object.keys(REQUIRED), ...wrong]),
    );
    const error = new SettingsError(listed);
    expect(error.message).toContain('nothing was started');
    expect(error.message).not.toContain('canary');
  });

  test.each([
    ['an unknown stream', `{"${'x'.repeat(1_000)}\\u001b[2J":"a"}`],
    ['an expression that cannot be parsed', `{"assets":"a == '\\u001b[2J${'x'.repeat(700)}"}`],
    ['a text in place of an object', `"canary\\u001b[2J"`],
  ])('the problem of filters with %s is reported on a short line without control characters', (_what, value) => {
    const [problem = ''] = problemsWith({ FILTERS: value });
    expect(problem).toMatch(/^FILTERS/);
    expect(problem.length).toBeLessThan(400);
    expect(problem).not.toMatch(/\p{Cc}|canary/u);
  });

  test('a required setting that is blank counts as missing', () => {
    expect(problemsWith({ STATE_TABLE: ' \t' })).toEqual(['STATE_TABLE is missing']);
  });

  test.each([
    'http://api.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://10.0.0.1',
    'http://[::2]',
    'ftp://api.example',
    'https://user:password@api.example',
    'https://api.example/#one',
  ])('the setting API_BASE_URL or AUTH_URL is refused with the address %s', url => {
    for (const name of ['API_BASE_URL', 'AUTH_URL'])
      expect(problemsWith({ [name]: url })).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
  });

  test.each(['https://api.example:8443/some/path', 'http://localhost:1', 'http://127.8.8.8', 'http://[::1]:1'])(
    'the setting API_BASE_URL or AUTH_URL accepts %s, which is https or a loopback address',
    url => {
      expect(problemsWith({ API_BASE_URL: url, AUTH_URL: url })).toEqual([]);
    },
  );

  test.each([
    ['API_BASE_URL', 'https://api.example/gateway/v1/'],
    ['API_BASE_URL', 'https://api.example/v1/assets'],
    ['AUTH_URL', 'https://auth.example/realms/one/protocol/openid-connect'],
  ])('the setting %s is refused with %s, because its path would be requested twice', (name, url) => {
    expect(problemsWith({ [name]: url })).toEqual([expect.stringMatching(new RegExp(`^${name} must be .* without `))]);
  });

  test.each([
    ['API_BASE_URL', 'https://api.example/v1x'],
    ['API_BASE_URL', 'https://v1.api.example/tenants/v1/acme'],
    ['AUTH_URL', 'https://auth.example/realms/one/protocol/openid-connect/token'],
    ['AUTH_URL', 'https://auth.example/realms/v1'],
    ['AUTH_URL', 'https://auth.example/oauth2/token'],
  ])('the setting %s is accepted with %s, because the address may be right', (name, url) => {
    expect(problemsWith({ [name]: url })).toEqual([]);
  });
});
