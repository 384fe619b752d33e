import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { everyConnector, type Summary } from '../../../bin/ctl/commands/every-connector.ts';
import type { Context } from '../../../bin/ctl/context.ts';

/** A region with that many connectors. */
function contextOf(count: number): Context {
  const progress = () => ({ advance: () => undefined, [Symbol.dispose]: () => undefined });
  const context = { options: {}, signal: new AbortController().signal, report: { progress } };
  const listed = Array.from({ length: count }, (_, at) => ({
    connector: `tenant-${at}`,
    context,
  }));
  return { ...context, connectors: async () => listed } as unknown as Context;
}

const summary: Summary = { rank: 0, kind: 'healthy', text: 'healthy', json: {}, isFinding: false };

test('many connectors are read four at a time', async () => {
  let running = 0;
  let most = 0;
  const { text } = await everyConnector(contextOf(50), async () => {
    most = Math.max(most, ++running);
    await turn();
    running -= 1;
    return summary;
  });
  expect([most, running]).toEqual([4, 0]);
  expect(String(text)).toContain('50 healthy');
});

test('the connectors are sorted by rank, then by name, and a failure to read one comes first', async () => {
  const ranks = [3, 1, 1];
  let at = 0;
  const { text, status } = await everyConnector(contextOf(4), async () => {
    const rank = ranks[at++];
    if (rank === undefined) throw new Error('No.');
    return { ...summary, rank, kind: String(rank) };
  });
  expect(
    String(text)
      .split('\n')
      .map(line => line.split(' ')[0]),
  ).toEqual(['tenant-3', 'tenant-1', 'tenant-2', 'tenant-0', '', '1']);
  expect([String(text), status]).toEqual([expect.stringMatching(/1 not readable, 2 1, 1 3$/), 3]);
});
