import { type ContractClient, type PageSeen, refusal } from './contract-client.ts';
import { hold, type NotSeen, type Rule } from './rule.ts';

type Check = (client: ContractClient, path: string) => Promise<NotSeen | undefined>;

/** The check for each stream; `notSeen` only if that was so for all of them. */
function everyStream(check: Check): Rule['check'] {
  return async client => {
    const missing: (NotSeen | undefined)[] = [];
    for (const [, path] of client.streams) missing.push(await check(client, path));
    return missing.every(result => result !== undefined) ? missing[0] : undefined;
  };
}

export const LIST_RULES: readonly Rule[] = [
  {
    id: 'lists-1',
    words: 'Every list response holds an array of rows plus the pagination object',
    check: everyStream(async (client, path) => {
      await client.page(path);
    }),
  },
  {
    id: 'lists-2',
    words: 'page_size is an integer and equals the length of the returned array',
    check: everyStream(async (client, path) => {
      for (const limit of [1, 7, 500]) sizeFits(await client.page(path, { limit }));
    }),
  },
  {
    id: 'lists-3',
    words: 'limit defaults to 100',
    check: everyStream(async (client, path) => {
      const { rows } = await client.page(path);
      hold(rows.length <= 100, `${path} without limit gave ${rows.length} rows.`);
      return rows.length === 100 ? undefined : { notSeen: 'more than 100 rows in a stream' };
    }),
  },
  {
    id: 'lists-4',
    words: 'limit is accepted from 1 to 500 and no page is longer',
    check: everyStream(async (client, path) => {
      for (const limit of [1, 2, 499, 500]) {
        const { rows } = await client.page(path, { limit });
        hold(rows.length <= limit, `${path} gave ${rows.length} rows for limit ${limit}.`);
      }
    }),
  },
  {
    id: 'lists-5',
    words: 'A limit outside 1..500 answers 400; it is never clamped',
    check: everyStream(async (client, path) => {
      for (const limit of [0, -1, 501, 100_000]) refusal(await client.get(`${path}?limit=${limit}`), 400);
    }),
  },
  {
    id: 'lists-6',
    words: 'A corrupted, truncated or hand-built cursor answers 400 with type suffix request/invalid-cursor',
    check: everyStream(async (client, path) => {
      const { nextCursor } = await client.page(path, { limit: 1 });
      for (const cursor of brokenCursors(nextCursor)) {
        const reply = await client.get(`${path}?cursor=${encodeURIComponent(cursor)}`);
        refusal(reply, 400, 'request/invalid-cursor');
      }
      return nextCursor === null
        ? { notSeen: 'a cursor to corrupt or truncate (hand-built ones are refused)' }
        : undefined;
    }),
  },
  {
    id: 'lists-7',
    words: 'Items are returned in a stable order: the same rows in the same order however they are cut into pages',
    check: everyStream(async (client, path) => {
      let length = 0;
      for (let attempt = 1; attempt <= 3; attempt++) {
        const whole = await firstIds(client, path, 500, 1);
        const cut = await firstIds(client, path, 3, 12);
        length = Math.min(whole.length, cut.length);
        if (whole.slice(0, length).join('\n') === cut.slice(0, length).join('\n')) break;
        hold(attempt < 3, `${path}: other rows or another order with limit 3 than with limit 500, three times.`);
      }
      return length > 1 ? undefined : { notSeen: 'two rows in one stream' };
    }),
  },
  {
    id: 'lists-8',
    words: 'Re-using a cursor returns what follows it, not what was before it',
    check: everyStream(async (client, path) => {
      const first = await client.page(path, { limit: 2 });
      if (first.nextCursor === null || first.rows.length === 0) return { notSeen: 'a cursor after rows' };
      const before = new Set(first.rows.map(version));
      const again = await client.page(path, { cursor: first.nextCursor, limit: 500 });
      const repeated = again.rows.filter(row => before.has(version(row)));
      hold(repeated.length === 0, `${path}: the page after a cursor repeats ${repeated.length} rows from before it.`);
    }),
  },
  {
    id: 'lists-9',
    words: 'Only next_cursor = null means end of stream: a walk reaches it',
    check: async client => {
      let complete = false;
      for (const [name] of client.streams) {
        const walk = await client.walk(name);
        hold(!walk.stalled, `${name}: a page leads back to a cursor that was sent before, so a walk never ends.`);
        complete ||= walk.complete;
      }
      return complete ? undefined : { notSeen: `the end of a stream within ${client.target.maxPages} pages` };
    },
  },
  {
    id: 'lists-10',
    words: 'A cursor can be used more than once and gives the same continuation',
    check: everyStream(async (client, path) => {
      const { nextCursor } = await client.page(path, { limit: 1 });
      if (nextCursor === null) return { notSeen: 'a cursor' };
      const [once, twice] = [await after(client, path, nextCursor), await after(client, path, nextCursor)];
      const shared = once.filter(row => twice.includes(row));
      const inOrder = twice.filter(row => once.includes(row));
      hold(shared.join() === inOrder.join(), `${path}: the same cursor gave the same rows in another order.`);
      return shared.length > 0 ? undefined : { notSeen: 'rows after a cursor' };
    }),
  },
];

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
