import { type ContractClient, type PageSeen, refusal } from './contract-client.ts';
import { hold, type NotSeen, numbered, type Rule, rule } from './rule.ts';

/** A rule of each stream; `notSeen` only if that was so for all of them. */
function ruleOfStreams(
  words: string,
  check: (client: ContractClient, path: string) => Promise<NotSeen | undefined>,
): Omit<Rule, 'id'> {
  return rule(words, async client => {
    const missing: (NotSeen | undefined)[] = [];
    for (const [, path] of client.streams) missing.push(await check(client, path));
    return missing.every(result => result !== undefined) ? missing[0] : undefined;
  });
}

export const LIST_RULES = numbered('lists', [
  ruleOfStreams('Every list response holds an array of rows plus the pagination object', async (client, path) => {
    await client.page(path);
  }),
  ruleOfStreams('page_size is an integer and equals the length of the returned array', async (client, path) => {
    for (const limit of [1, 7, 500]) sizeFits(await client.page(path, { limit }));
  }),
  ruleOfStreams('limit defaults to 100', async (client, path) => {
    const { rows } = await client.page(path);
    hold(rows.length <= 100, `${path} without limit gave ${rows.length} rows.`);
    return rows.length === 100 ? undefined : { notSeen: 'more than 100 rows in a stream' };
  }),
  ruleOfStreams('limit is accepted from 1 to 500 and no page is longer', async (client, path) => {
    for (const limit of [1, 2, 499, 500]) {
      const { rows } = await client.page(path, { limit });
      hold(rows.length <= limit, `${path} gave ${rows.length} rows for limit ${limit}.`);
    }
  }),
  ruleOfStreams('A limit outside 1..500 answers 400; it is never clamped', async (client, path) => {
    for (const limit of [0, -1, 501, 100_000]) refusal(await client.get(`${path}?limit=${limit}`), 400);
  }),
  ruleOfStreams(
    'A corrupted, truncated or hand-built cursor answers 400 with type suffix request/invalid-cursor',
    async (client, path) => {
      const { nextCursor } = await client.page(path, { limit: 1 });
      for (const cursor of brokenCursors(nextCursor)) {
        const reply = await client.get(`${path}?cursor=${encodeURIComponent(cursor)}`);
        refusal(reply, 400, 'request/invalid-cursor');
      }
      return nextCursor === null
        ? { notSeen: 'a cursor to corrupt or truncate (hand-built ones are refused)' }
        : undefined;
    },
  ),
  ruleOfStreams(
    'Items are returned in a stable order: the same rows in the same order however they are cut into pages',
    async (client, path) => {
      let length = 0;
      for (let attempt = 1; attempt <= 3; attempt++) {
        const whole = await firstIds(client, path, 500, 1);
        const cut = await firstIds(client, path, 3, 12);
        length = Math.min(whole.length, cut.length);
        if (whole.slice(0, length).join('\n') === cut.slice(0, length).join('\n')) break;
        hold(attempt < 3, `${path}: other rows or another order with limit 3 than with limit 500, three times.`);
      }
      return length > 1 ? undefined : { notSeen: 'two rows in one stream' };
    },
  ),
  ruleOfStreams('Re-using a cursor returns what follows it, not what was before it', async (client, path) => {
    const first = await client.page(path, { limit: 2 });
    if (first.nextCursor === null || first.rows.length === 0) return { notSeen: 'a cursor after rows' };
    const before = new Set(first.rows.map(version));
    const again = await client.page(path, { cursor: first.nextCursor, limit: 500 });
    const repeated = again.rows.filter(row => before.has(version(row)));
    hold(repeated.length === 0, `${path}: the page after a cursor repeats ${repeated.length} rows from before it.`);
  }),
  rule('Only next_cursor = null means end of stream: a walk reaches it', async client => {
    let complete = false;
    for (const [name] of client.streams) {
      const walk = await client.walk(name);
      hold(!walk.stalled, `${name}: a page leads back to a cursor that was sent before, so a walk never ends.`);
      complete ||= walk.complete;
    }
    return complete ? undefined : { notSeen: `the end of a stream within ${client.target.maxPages} pages` };
  }),
  ruleOfStreams('A cursor can be used more than once and gives the same continuation', async (client, path) => {
    const { nextCursor } = await client.page(path, { limit: 1 });
    if (nextCursor === null) return { notSeen: 'a cursor' };
    const [once, twice] = [await after(client, path, nextCursor), await after(client, path, nextCursor)];
    const shared = once.filter(row => twice.includes(row));
    const inOrder = twice.filter(row => once.includes(row));
    hold(shared.join() === inOrder.join(), `${path}: the same cursor gave the same rows in another order.`);
    return shared.length > 0 ? undefined : { notSeen: 'rows after a cursor' };
  }),
]);

async function after(client: ContractClient, path: string, cursor: string): Promise<string[]> {
  return (await client.page(path, { cursor, limit: 20 })).rows.map(version);
}

function sizeFits({ rows, pageSize }: PageSeen): void {
  hold(Number.isInteger(pageSize), 'page_size is not an integer.');
  hold(pageSize === rows.length, `page_size is ${pageSize} for ${rows.length} rows.`);
}

function brokenCursors(cursor: string | null): string[] {
  const handBuilt = ['hand-built', 'eyJvZmZzZXQiOjEwfQ==', '0'];
  if (cursor === null) return handBuilt;
  const middle = cursor.length >> 1;
  const other = cursor[middle] === 'A' ? 'B' : 'A';
  return [...handBuilt, cursor.slice(0, middle), cursor.slice(0, middle) + other + cursor.slice(middle + 1)];
}

async function firstIds(client: ContractClient, path: string, limit: number, pages: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let count = 0; count < pages && (count === 0 || cursor !== null); count++) {
    const page: PageSeen = await client.page(path, { cursor, limit });
    ids.push(...page.rows.map(row => String(row['id'])));
    cursor = page.nextCursor;
  }
  return ids;
}

function version(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([row['id'], row['stream_position'] ?? null]);
}
