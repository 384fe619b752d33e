import { type ContractClient, isObject, type Json } from './contract-client.ts';
import { hold, type NotSeen, numbered, rule } from './rule.ts';

export const SINGLE_RULES = numbered('single', [
  rule('GET /v1/assets/{id} reads one asset; stream_position is null', client => single(client, 'assets')),
  rule('GET /v1/threats/{id} reads one threat; stream_position is null', client => single(client, 'threats')),
  rule('GET /v1/assets/{id}/related never emits tombstones', async client => {
    const rows = await liveRows(client, 'assets');
    for (const row of rows) {
      const { status, body } = await client.get(`/v1/assets/${encodeURIComponent(String(row['id']))}/related`);
      if (status === 404) continue;
      hold(status === 200 && body !== undefined, `The related assets answered ${status}.`);
      hold(!holdsTombstone(body), 'The related assets hold a tombstone.');
    }
    return rows.length > 0 ? undefined : { notSeen: 'a live asset' };
  }),
]);

/** A few rows of a stream whose newest version seen is live. */
async function liveRows(client: ContractClient, stream: 'assets' | 'threats'): Promise<Json[]> {
  const newest = new Map((await client.walk(stream)).rows.map(row => [row['id'], row]));
  return [...newest.values()].filter(row => row['deleted'] !== true).slice(-5);
}

async function single(client: ContractClient, stream: 'assets' | 'threats'): Promise<NotSeen | undefined> {
  let seen = 0;
  for (const { id } of await liveRows(client, stream)) {
    const { status, body } = await client.get(`/v1/${stream}/${encodeURIComponent(String(id))}`);
    if (status === 404) continue;
    hold(status === 200 && isObject(body), `The single read answered ${status}.`);
    const row = rowOf(body);
    hold(row['id'] === id, 'The single read answered another id.');
    hold('stream_position' in row && row['stream_position'] === null, 'stream_position is not null.');
    seen += 1;
  }
  return seen > 0 ? undefined : { notSeen: `one of ${stream} to read` };
}

/** The row is the answer itself, or the one object of an envelope: the specification does not say. */
function rowOf(body: Json): Json {
  if ('id' in body) return body;
  const inner = Object.values(body).filter(isObject);
  hold(inner.length === 1, 'The single read holds no row.');
  return inner[0]!;
}

function holdsTombstone(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsTombstone);
  return isObject(value) && (value['deleted'] === true || Object.values(value).some(holdsTombstone));
}
