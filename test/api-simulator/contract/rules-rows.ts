import type { ContractClient, Json, StreamName } from './contract-client.ts';
import { hold, type NotSeen, numbered, rule } from './rule.ts';

const CHANGE_STREAMS: readonly StreamName[] = ['assets', 'threats'];

export const ROW_RULES = numbered('rows', [
  rule('Every list row carries an id, a string', client =>
    eachRow(client, allStreams(client), row => typeof row['id'] === 'string' && row['id'] !== ''),
  ),
  rule('Every list row carries updated_at, a timestamp (ISO 8601, UTC)', client =>
    eachRow(client, allStreams(client), row => isTimestamp(row['updated_at'])),
  ),
  rule('Every list row carries stream_position', client =>
    eachRow(client, allStreams(client), row => typeof row['stream_position'] === 'string'),
  ),
  rule('stream_position is non-decreasing across a cursor walk', async client => {
    let compared = 0;
    for (const stream of CHANGE_STREAMS) {
      const positions = (await client.walk(stream)).rows.map(row => String(row['stream_position']));
      const falls = positions.findIndex(
        (position, index) => index > 0 && comparePositions(positions[index - 1]!, position) > 0,
      );
      hold(falls < 0, `${stream}: stream_position falls at row ${falls} of the walk.`);
      compared += Math.max(0, positions.length - 1);
    }
    return compared > 0 ? undefined : { notSeen: 'two rows in one stream' };
  }),
  rule('A tombstone is a row with id, deleted = true and deleted_at', async client => {
    const tombstones = (await client.walk('assets')).rows.filter(row => row['deleted'] === true);
    hold(
      tombstones.every(row => isTimestamp(row['deleted_at'])),
      'A tombstone has no deleted_at timestamp.',
    );
    return tombstones.length > 0 ? undefined : { notSeen: 'a tombstone' };
  }),
  rule('deleted of an asset is a boolean', client =>
    eachRow(client, ['assets'], row => !('deleted' in row) || typeof row['deleted'] === 'boolean'),
  ),
  rule('A DNS block has an id and blocked_at, a timestamp', client =>
    eachRow(client, dnsOnly(client), row => isTimestamp(row['blocked_at'])),
  ),
  rule('The DNS block stream is ordered by blocked_at, ties by id', async client => {
    if (dnsOnly(client).length === 0) return { notSeen: 'a path of the DNS block list' };
    const { rows } = await client.walk('dns-blocks');
    const falls = rows.findIndex((row, index) => index > 0 && compareBlocks(rows[index - 1]!, row) > 0);
    hold(falls < 0, `The order of the DNS blocks breaks at row ${falls} of the walk.`);
    return rows.length > 1 ? undefined : { notSeen: 'two DNS blocks' };
  }),
  rule('Every threat belongs to exactly one asset', async client => {
    const { threatAssetMember } = client.target;
    const { rows } = await client.walk('threats');
    if (!rows.some(row => threatAssetMember in row)) return { notSeen: `the member ${threatAssetMember} on a threat` };
    hold(
      rows.every(row => typeof row[threatAssetMember] === 'string'),
      `A threat has no ${threatAssetMember}.`,
    );
  }),
  rule("All of a removed asset's threats stop appearing in GET /v1/threats", threatsOfRemovedAssets),
]);

/** Assets are walked before threats, and suspects are confirmed, because the tenant lives on meanwhile. */
async function threatsOfRemovedAssets(client: ContractClient): Promise<NotSeen | undefined> {
  const { threatAssetMember } = client.target;
  const assets = await client.walk('assets');
  const removed = new Map(assets.rows.map(row => [row['id'], row['deleted'] === true]));
  const threats = (await client.walk('threats')).rows;
  const suspects = threats.filter(row => removed.get(row[threatAssetMember]));
  for (const suspect of suspects.slice(0, 20)) {
    const { status } = await client.get(`/v1/assets/${encodeURIComponent(String(suspect[threatAssetMember]))}`);
    hold(status === 200, 'The threat list holds a threat whose asset was delivered as a tombstone.');
  }
  const checked = assets.complete && threats.length > 0 && [...removed.values()].includes(true);
  return checked ? undefined : { notSeen: 'a whole walk with both a tombstone and a threat' };
}

async function eachRow(
  client: ContractClient,
  streams: readonly StreamName[],
  fits: (row: Json) => boolean,
): Promise<NotSeen | undefined> {
  let seen = 0;
  for (const stream of streams) {
    const { rows } = await client.walk(stream);
    const wrong = rows.findIndex(row => !fits(row));
    hold(wrong < 0, `${stream}: row ${wrong} of the walk breaks the rule.`);
    seen += rows.length;
  }
  return seen > 0 ? undefined : { notSeen: 'a row' };
}

function allStreams(client: ContractClient): StreamName[] {
  return client.streams.map(([name]) => name);
}

function dnsOnly(client: ContractClient): StreamName[] {
  return allStreams(client).filter(name => name === 'dns-blocks');
}

function compareBlocks(a: Json, b: Json): number {
  const times = comparePositions(String(a['blocked_at']), String(b['blocked_at']));
  return times || (String(a['id']) <= String(b['id']) ? 0 : 1);
}
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,](\d+))?(Z|\+00:?00)$/;

/** Whether a value is an ISO 8601 time in UTC. */
export function isTimestamp(value: unknown): boolean {
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value.replace(',', '.')));
}

/** Orders two timestamp-like keys: as times with all their digits if both are, else as text. Negative if `a` is first. */
export function comparePositions(a: string, b: string): number {
  const [left, right] = [sortable(a), sortable(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function sortable(text: string): string {
  const match = TIMESTAMP.exec(text);
  return match ? `${match[1]}.${(match[2] ?? '').padEnd(12, '0')}` : text;
}
