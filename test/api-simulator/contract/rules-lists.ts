import type { StreamName } from '../../../lambda/streams.ts';
import type { Row } from '../api-client.ts';
import type { ContractClient } from './contract-client.ts';
import { hold, numbered, ofLists, see } from './rule.ts';
import { holdRefusal } from './rules-auth.ts';

export const LIST_RULES = numbered('lists', {
  'Every list response holds an array of rows plus the pagination object': ofLists(async (client, list) => {
    await client.page(list);
  }),
  'page_size is an integer and equals the length of the returned array': ofLists(async (client, list) => {
    for (const limit of [1, 7, 500]) {
      const { rows, pageSize } = await client.page(list, { limit });
      hold(pageSize === rows.length, `page_size is ${pageSize} for ${rows.length} rows.`);
    }
  }),
  'limit defaults to 100': ofLists(async (client, list) => {
    const { rows } = await client.page(list);
    hold(rows.length <= 100, `${list} without limit gave ${rows.length} rows.`);
    see(rows.length === 100, 'more than 100 rows in a stream');
  }),
  'limit is accepted from 1 to 500 and no page is longer': ofLists(async (client, list) => {
    for (const limit of [1, 2, 499, 500]) await client.page(list, { limit });
  }),
  'A limit outside 1..500 answers 400; it is never clamped': ofLists(async (client, list) => {
    const path = client.paths.get(list);
    for (const limit of [0, -1, 501, 100_000]) holdRefusal(await client.get(`${path}?limit=${limit}`), 400);
  }),
  'A corrupted, truncated or hand-built cursor answers 400 with type suffix request/invalid-cursor': ofLists(
    async (client, list) => {
      const path = client.paths.get(list);
      const { nextCursor } = await client.page(list, { limit: 1 });
      for (const cursor of ['hand-built', 'eyJvZmZzZXQiOjEwfQ==', '0', ...brokenFrom(nextCursor)]) {
        const reply = await client.get(`${path}?cursor=${encodeURIComponent(cursor)}`);
        holdRefusal(reply, 400, 'request/invalid-cursor');
      }
      see(nextCursor !== null, 'a cursor to corrupt or truncate (hand-built ones are refused)');
    },
  ),
  'Items are returned in a stable order: the same rows in the same order however they are cut into pages': ofLists(
    async (client, list) => {
      for (let attempt = 1; ; attempt++) {
        const whole = (await client.page(list, { limit: 500 })).rows.map(row => String(row['id']));
        const cut = await firstIds(client, list);
        const length = Math.min(whole.length, cut.length);
        see(length > 1, 'two rows in one stream');
        if (whole.slice(0, length).join('\n') === cut.slice(0, length).join('\n')) return;
        hold(attempt < 3, `${list}: other rows or another order with limit 3 than with limit 500, three times.`);
      }
    },
  ),
  'Re-using a cursor returns what follows it, not what was before it': ofLists(async (client, list) => {
    const { rows, nextCursor } = await client.page(list, { limit: 2 });
    see(nextCursor !== null && rows.length > 0, 'a cursor after rows');
    const before = rows.map(version);
    const after = await versionsAfter(client, list, nextCursor);
    const repeated = after.filter(row => before.includes(row));
    hold(repeated.length === 0, `${list}: the page after a cursor repeats ${repeated.length} rows from before it.`);
  }),
  'Only next_cursor = null means end of stream: a walk reaches it': ofLists(async (client, list) => {
    const { isCircle, nextCursor } = await client.wholeWalk(list);
    hold(!isCircle, `${list}: a page leads back to a cursor that was sent before, so a walk never ends.`);
    see(nextCursor === null, `the end of a stream within ${client.target.maxPages} pages`);
  }),
  'A cursor can be used more than once and gives the same continuation': ofLists(async (client, list) => {
    const { nextCursor } = await client.page(list, { limit: 1 });
    see(nextCursor !== null, 'a cursor');
    const once = await versionsAfter(client, list, nextCursor);
    const twice = await versionsAfter(client, list, nextCursor);
    const shared = once.filter(row => twice.includes(row));
    const inOrder = twice.filter(row => once.includes(row));
    hold(shared.join() === inOrder.join(), `${list}: the same cursor gave the same rows in another order.`);
    see(shared.length > 0, 'rows after a cursor');
  }),
});

async function versionsAfter(client: ContractClient, list: StreamName, cursor: string): Promise<string[]> {
  return (await client.page(list, { cursor, limit: 20 })).rows.map(version);
}

/** A truncated cursor, and one with another character in its middle. */
function brokenFrom(cursor: string | null): string[] {
  if (cursor === null) return [];
  const middle = cursor.length >> 1;
  const other = cursor[middle] === 'A' ? 'B' : 'A';
  return [cursor.slice(0, middle), cursor.slice(0, middle) + other + cursor.slice(middle + 1)];
}

/** The ids of twelve pages of three rows. */
async function firstIds(client: ContractClient, list: StreamName): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let count = 0; count === 0 || (count < 12 && cursor !== null); count++) {
    const page = await client.page(list, { cursor, limit: 3 });
    ids.push(...page.rows.map(row => String(row['id'])));
    cursor = page.nextCursor;
  }
  return ids;
}

function version(row: Row): string {
  return JSON.stringify([row['id'], row['stream_position'] ?? null]);
}
