import type { StreamName } from '../../../lambda/streams.ts';
import type { Row } from '../api-client.ts';
import type { ContractClient } from './contract-client.ts';
import { type Check, hold, numbered, ofLists, see } from './rule.ts';

export const ROW_RULES = numbered('rows', {
  'Every list row carries an id, a string': eachRow(row => typeof row['id'] === 'string' && row['id'] !== ''),
  'Every list row carries updated_at, a timestamp (ISO 8601, UTC)': eachRow(
    row => timeOf(row['updated_at']) !== undefined,
  ),
  'Every list row carries stream_position': eachRow(row => typeof row['stream_position'] === 'string'),
  'stream_position is non-decreasing across a cursor walk': ofLists(async (client, list) => {
    see(list !== 'dns-blocks', 'two rows in one stream');
    await isOrdered(client, list, row => [sortable(row['stream_position'])]);
  }),
  'A tombstone is a row with id, deleted = true and deleted_at': async client => {
    const tombstones = (await client.wholeWalk('assets')).rows.filter(row => row['deleted'] === true);
    const isDated = tombstones.every(row => timeOf(row['deleted_at']) !== undefined);
    hold(isDated, 'A tombstone has no deleted_at timestamp.');
    see(tombstones.length > 0, 'a tombstone');
  },
  'deleted of an asset is a boolean': eachRow(
    row => !('deleted' in row) || typeof row['deleted'] === 'boolean',
    'assets',
  ),
  'A DNS block has an id and blocked_at, a timestamp': eachRow(
    row => timeOf(row['blocked_at']) !== undefined,
    'dns-blocks',
  ),
  'The DNS block stream is ordered by blocked_at, ties by id': async client => {
    see(client.paths.has('dns-blocks'), 'a path of the DNS block list');
    await isOrdered(client, 'dns-blocks', row => [sortable(row['blocked_at']), String(row['id'])]);
  },
  'Every threat belongs to exactly one asset': async client => {
    const { threatAssetMember } = client.target;
    const { rows } = await client.wholeWalk('threats');
    see(
      rows.some(row => threatAssetMember in row),
      `the member ${threatAssetMember} on a threat`,
    );
    const isNamed = rows.every(row => typeof row[threatAssetMember] === 'string');
    hold(isNamed, `A threat has no ${threatAssetMember}.`);
  },
  // Assets are walked before threats, and suspects are confirmed, because the tenant lives on
  // meanwhile.
  "All of a removed asset's threats stop appearing in GET /v1/threats": async client => {
    const { threatAssetMember } = client.target;
    const assets = await client.wholeWalk('assets');
    const removed = new Map(assets.rows.map(row => [row['id'], row['deleted'] === true]));
    const threats = (await client.wholeWalk('threats')).rows;
    const suspects = threats.filter(row => removed.get(row[threatAssetMember])).slice(0, 20);
    for (const suspect of suspects) {
      const { status } = await client.get(`/v1/assets/${encodeURIComponent(String(suspect[threatAssetMember]))}`);
      hold(status === 200, 'The threat list holds a threat whose asset was delivered as a tombstone.');
    }
    const hasBoth = threats.length > 0 && [...removed.values()].includes(true);
    see(assets.nextCursor === null && hasBoth, 'a whole walk with both a tombstone and a threat');
  },
});

/** Checks the rows of one list, or of all lists. */
function eachRow(fits: (row: Row) => boolean, only?: StreamName): Check {
  return ofLists(async (client, list) => {
    see(only === undefined || list === only, `a row of ${only}`);
    const { rows } = await client.wholeWalk(list);
    const wrong = rows.findIndex(row => !fits(row));
    hold(wrong < 0, `${list}: row ${wrong} of the walk breaks the rule.`);
    see(rows.length > 0, 'a row');
  });
}

/** @param keysOf what a list is ordered by: rows with an equal first key by the second */
async function isOrdered(client: ContractClient, list: StreamName, keysOf: (row: Row) => string[]): Promise<void> {
  const keys = (await client.wholeWalk(list)).rows.map(row => keysOf(row).join('\0'));
  const falls = keys.findIndex((key, index) => index > 0 && key < keys[index - 1]!);
  hold(falls < 0, `${list}: the order breaks at row ${falls} of the walk.`);
  see(keys.length > 1, 'two rows in one stream');
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,](\d+))?(Z|\+00:?00)$/;

/**
 * An ISO 8601 time in UTC, with twelve digits of its second: `2026-11-20T12:00:00.5Z` →
 * `2026-11-20T12:00:00.500000000000`.
 */
function timeOf(value: unknown): string | undefined {
  const [, seconds, fraction = ''] = TIMESTAMP.exec(String(value)) ?? [];
  if (seconds === undefined || Number.isNaN(Date.parse(`${seconds}Z`))) return undefined;
  return `${seconds}.${fraction.padEnd(12, '0')}`;
}

/**
 * Timestamp-like keys compare as times, whatever the number of their digits, and other keys as
 * text.
 */
function sortable(key: unknown): string {
  return timeOf(key) ?? String(key);
}
