import { expect, test } from '@jest/globals';
import { answerJson, tamperList } from '../../local/incidents/tampered-api.ts';
import { connector } from '../support/function/connector.ts';

const block = (id: string, blocked_at: unknown) => ({ id, blocked_at });

test.each([
  ['2026-01-31', ['at', 'late', 'zone-after', 'text', 'number', 'none', 'short']],
  ['2026-01-31T12:00+01:00', ['late', 'text', 'number', 'none', 'short']],
])('DNS blocks are sent if their time is not before %s or cannot be read', async (since, sent) => {
  await using each = await connector({ environment: { DNS_BLOCKS_SINCE: since } });
  const rows = [
    block('before', '2026-01-30T23:59:59.999Z'),
    block('at', '2026-01-31T00:00:00Z'),
    block('late', '2026-01-31T23:00:00.123456Z'),
    // As texts both would be on the other side.
    block('zone-before', '2026-01-31T00:30:00+02:00'),
    block('zone-after', '2026-01-30T23:30:00-02:00'),
    block('text', 'yesterday'),
    block('number', 1),
    block('short', '2026'),
    block('none', undefined),
  ];
  each.api.tamper(
    tamperList(each.environment['DNS_BLOCKS_PATH']!, answerJson(200, { rows, pagination: { next_cursor: null } })),
  );
  const { streams } = await each.run();
  expect((await each.lines()).map(line => JSON.parse(line).id).toSorted()).toEqual([...sent].toSorted());
  expect(streams['dns-blocks']).toMatchObject({ forwarded: sent.length, filtered: rows.length - sent.length });
});
