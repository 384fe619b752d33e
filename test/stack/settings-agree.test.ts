import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSettings } from '../../lambda/settings.ts';
import { ConfigurationError } from '../../lib/config/problem.ts';
import { configured } from './synth.ts';

/** Texts of characters that one of the two checks may trim, refuse or take for the end of a path. */
const strange = fc.string({ unit: fc.constantFrom(...' \u00a0\n\ufeffaé/?#@.'), minLength: 1, maxLength: 6 });
const word = fc.oneof(fc.constantFrom('id', '/v1/x'), strange);
const url = word.map(path => `https://a.example${path}`);

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

test('the function starts with whatever the configuration accepts', () => {
  let accepted = 0;

  const property = fc.property(entry, options => {
    const config = acceptedConfig(options);
    if (!config) return;
    accepted++;

    const { baseUrl, authUrl, name, threatAssetField, rowsMember, paginationMember, dnsBlocksPath } = config;
    const settings = readSettings({
      CREDENTIALS_SECRET_ID: 'secret',
      STATE_TABLE: 'table',
      DELIVERY_STREAM: 'stream',
      DEAD_LETTER_BUCKET: 'bucket',
      API_BASE_URL: baseUrl,
      AUTH_URL: authUrl,
      CONNECTOR_NAME: name,
      THREAT_ASSET_FIELD: threatAssetField,
      ROWS_MEMBER: rowsMember,
      PAGINATION_MEMBER: paginationMember,
      DNS_BLOCKS_PATH: dnsBlocksPath,
    });
    expect(settings).toEqual(
      expect.objectContaining(given({ threatAssetField, rowsMember, paginationMember, dnsBlocksPath })),
    );
  });

  // fast-check prints the seed of a failure.
  fc.assert(property, { numRuns: 3_000 });
  expect(accepted).toBeGreaterThan(100);
});

/** The options that have a value. */
function given(options: object): object {
  return JSON.parse(JSON.stringify(options));
}

function acceptedConfig(options: object) {
  try {
    return configured({ ...options });
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
