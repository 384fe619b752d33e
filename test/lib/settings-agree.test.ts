import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSettings } from '../../lambda/settings.ts';
import { ConfigurationError } from '../../lib/config/problem.ts';
import { anyCharacter } from '../support/any-character.ts';
import { configured } from './synth.ts';

const REQUIRED = {
  CREDENTIALS_SECRET_ID: 'secret',
  STATE_TABLE: 'table',
  DELIVERY_STREAM: 'stream',
  DEAD_LETTER_BUCKET: 'bucket',
};

const word = fc.oneof(
  fc.constantFrom(
    ' ',
    '\u00a0',
    ' id',
    'id ',
    'id',
    'items',
    'a b',
    '\n',
    '\ufeff',
    'a\n',
    '/v1/x',
    '/v1/x ',
    '/',
    '/a?b',
  ),
  fc.string({ unit: anyCharacter, minLength: 1 }),
);
const url = fc.oneof(
  fc.constantFrom(
    'https://a.example ',
    'https://a.example/#',
    'https://@a.example',
    'https://a.example/?',
    'https://[::1]',
  ),
  word.map(path => `https://a.example/${path}`),
);

const entry = fc.record(
  {
    baseUrl: url,
    authUrl: url,
    dnsBlocksPath: word,
    threatAssetField: word,
    rowsMember: word,
    paginationMember: word,
  },
  { requiredKeys: [] },
);

test('what the configuration takes, the function starts with', () => {
  let taken = 0;
  const property = fc.property(entry, options => {
    const config = accepted(options);
    if (!config) return;
    taken++;
    const { rowsMember, paginationMember, dnsBlocksPath } = config;
    const settings = readSettings({
      ...REQUIRED,
      API_BASE_URL: config.baseUrl,
      AUTH_URL: config.authUrl,
      CONNECTOR_NAME: config.name,
      THREAT_ASSET_FIELD: config.threatAssetField,
      ROWS_MEMBER: rowsMember,
      PAGINATION_MEMBER: paginationMember,
      DNS_BLOCKS_PATH: dnsBlocksPath,
    });
    expect(settings).toMatchObject({
      threatAssetField: config.threatAssetField,
      names: { rows: rowsMember, pagination: paginationMember },
      dnsBlocksPath,
    });
  });
  // fast-check prints the seed of a failure.
  fc.assert(property, { numRuns: 3_000 });
  expect(taken).toBeGreaterThan(100);
});

function accepted(options: object) {
  try {
    return configured({ ...options });
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
