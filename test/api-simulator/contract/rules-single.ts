import type { Row } from '../api-client.ts';
import type { ContractClient } from './contract-client.ts';
import { type Check, hold, numbered, see } from './rule.ts';

export const SINGLE_RULES = numbered('single', {
  'GET /v1/assets/{id} reads one asset; stream_position is null': singleReads('assets'),
  'GET /v1/threats/{id} reads one threat; stream_position is null': singleReads('threats'),
  'GET /v1/assets/{id}/related never emits tombstones': async client => {
    const paths = await livePaths(client, 'assets');
    for (const [path] of paths) {
      const { status, body } = await client.get(`${path}/related`);
      if (status === 404) continue;
      hold(status === 200 && body !== undefined, `The related assets answered ${status}.`);
      hold(!holdsTombstone(body), 'The related assets hold a tombstone.');
    }
    see(paths.length > 0, 'a live asset');
  },
});

function singleReads(list: 'assets' | 'threats'): Check {
  return async client => {
    let seen = 0;
    for (const [path, id] of await livePaths(client, list)) {
      const { status, body } = await client.get(path);
      if (status === 404) continue;
      hold(status === 200 && isObject(body), `The single read answered ${status}.`);
      const row = rowIn(body);
      hold(row['id'] === id, 'The single read answered another id.');
      hold(row['stream_position'] === null, 'stream_position is not null.');
      seen += 1;
    }
    see(seen > 0, `one of ${list} to read`);
  };
}

/** Path and id of a few rows whose newest version is live. */
async function livePaths(client: ContractClient, list: 'assets' | 'threats'): Promise<[path: string, id: unknown][]> {
  const newest = new Map((await client.wholeWalk(list)).rows.map(row => [row['id'], row]));
  const live = [...newest.values()].filter(row => row['deleted'] !== true).slice(-5);
  return live.map(({ id }) => [`/v1/${list}/${encodeURIComponent(String(id))}`, id]);
}

/**
 * The row is the answer itself, or the one object of an envelope: the specification does not say.
 */
function rowIn(body: Row): Row {
  if ('id' in body) return body;
  const [row, ...others] = Object.values(body).filter(isObject);
  hold(row !== undefined && others.length === 0, 'The single read holds no row.');
  return row;
}

function holdsTombstone(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsTombstone);
  return isObject(value) && (value['deleted'] === true || Object.values(value).some(holdsTombstone));
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
