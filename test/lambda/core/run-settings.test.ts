/** What the settings decide about a run. */
import { describe, expect, test } from '@jest/globals';
import { assign } from '../../../lambda/compose.ts';
import { readSettings } from '../../../lambda/settings.ts';

describe('what the settings decide', () => {
  const environment = {
    API_BASE_URL: 'https://api.example.com',
    AUTH_URL: 'https://auth.example.com',
    CREDENTIALS_SECRET_ID: 'secret',
    STATE_TABLE: 'table',
    DELIVERY_STREAM: 'stream',
    DEAD_LETTER_BUCKET: 'bucket',
    CONNECTOR_NAME: 'acme',
    THREAT_ASSET_FIELD: 'asset_id',
    PAGE_LIMIT: '500',
  };
  const assigned = (change: NodeJS.ProcessEnv = {}) => assign(readSettings({ ...environment, ...change }));

  test('rule 9: limit is 1..500, checked at the start; default 500', () => {
    expect(['1', '500', undefined].map(limit => assigned({ PAGE_LIMIT: limit }).pageLimit)).toEqual([1, 500, 500]);
    for (const limit of ['0', '501', '-1', '1.5', '1e2', 'many']) {
      expect(() => assigned({ PAGE_LIMIT: limit })).toThrow(/PAGE_LIMIT must be a whole number from 1 to 500/);
    }
  });

  test('rule 10: the DNS block stream is on only when its path is given', () => {
    const names = ({ streams }: ReturnType<typeof assigned>) => streams.map(({ name, path }) => `${name} ${path}`);
    expect(names(assigned())).toEqual(['assets /v1/assets', 'threats /v1/threats']);
    expect(names(assigned({ DNS_BLOCKS_PATH: '/v1/dns' }))).toEqual([
      'assets /v1/assets',
      'threats /v1/threats',
      'dns-blocks /v1/dns',
    ]);
  });

  test('rule 11: threats name their asset by asset_id unless told otherwise', () => {
    expect(assigned({ THREAT_ASSET_FIELD: undefined }).parentMember).toBe('asset_id');
    expect(assigned({ THREAT_ASSET_FIELD: 'host' }).parentMember).toBe('host');
  });

  test('rule 8: names of members may be given', () => {
    expect(assigned({ ROWS_MEMBER: 'data', PAGINATION_MEMBER: 'meta' }).configuredNames).toEqual({
      rows: 'data',
      pagination: 'meta',
    });
  });
});
