/** What the order to try dead letters again makes of what the stream remembers: found by random histories. */
import { describe, expect, test } from '@jest/globals';
import type { DeadLetterKey } from '../../../lambda/core/dead-letter.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat } from './support/rows.ts';

function put(harness: Harness, stream: StreamName, reason: string, text: string): DeadLetterKey {
  const key = `${stream} ${reason} ${harness.deadLetters.size}`;
  harness.deadLetters.set(key, text);
  return { stream, key };
}

/** The page that ends the blocks is read again at every tick; the pages are as small as can be. */
async function withBlock(): Promise<Harness> {
  const harness = new Harness();
  harness.api.on('/d', undefined, answer([dnsBlock('d')], null));
  await harness.run({ only: ['dns-blocks'], pageLimit: 1 });
  return harness.later();
}

async function redriven(harness: Harness, ...redrive: DeadLetterKey[]): Promise<string[]> {
  const { letters, failures } = await harness.run({ redrive, only: ['dns-blocks'], pageLimit: 1 });
  expect([...failures]).toEqual([]);
  return letters.map(({ outcome }) => outcome);
}

describe('a dead letter of a DNS block', () => {
  test('that the walk has sent meanwhile is known, and is not sent again', async () => {
    const harness = await withBlock();
    expect(await redriven(harness, put(harness, 'dns-blocks', 'no-id', dnsBlock('d')))).toEqual(['known']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('that was oversize is sent though the window knows it: the SIEM has its notice alone', async () => {
    const harness = await withBlock();
    expect(await redriven(harness, put(harness, 'dns-blocks', 'oversize', dnsBlock('d')))).toEqual(['sent']);
    expect(harness.sent).toEqual(['dns_block d']);
  });

  test('takes no place in the window: however many are sent, the page that is read again is not', async () => {
    const harness = await withBlock();
    const deadLetters = ['x', 'y', 'z'].map(id => put(harness, 'dns-blocks', 'no-id', dnsBlock(id)));
    expect(await redriven(harness, ...deadLetters)).toEqual(['sent', 'sent', 'sent']);
    harness.later();
    await redriven(harness);
    expect(harness.sent).toEqual([]);
  });
});

test('a dead letter of a threat stays until its asset is delivered: of one that never was no removal would be told', async () => {
  const harness = new Harness();
  harness.api
    .on('/a', undefined, answer([asset('a')], null))
    .on('/t', undefined, answer([], null))
    .onSingle('/t', 't', threat('t', 'late'));
  const redrive = [put(harness, 'threats', 'no-id', threat('t', 'late'))];
  const only = ['assets', 'threats'] as const;
  const { letters } = await harness.run({ redrive, only });
  expect([letters[0]?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('was never delivered'), 1]);
  harness.later().api.on('/a', undefined, answer([asset('a'), asset('late')], null));
  expect((await harness.run({ redrive, only })).letters.map(({ outcome }) => outcome)).toEqual(['sent']);
  expect(harness.sent).toEqual(['upsert late', 'upsert t']);
});

test('a dead letter of a threat stays while the row state of its asset is damaged, and says so', async () => {
  const harness = new Harness();
  harness.api
    .on('/a', undefined, answer([asset('a')], null))
    .on('/t', undefined, answer([], null))
    .onSingle('/t', 't', threat('t', 'a'));
  const only = ['assets', 'threats'] as const;
  await harness.run({ only });
  const intact = harness.table.state.bind(harness.table);
  harness.table.state = (stream, id) => (id === 'a' ? (new Error('damaged') as never) : intact(stream, id));
  const { letters } = await harness.run({ redrive: [put(harness, 'threats', 'no-id', threat('t', 'a'))], only });
  expect([letters[0]?.reason, harness.deadLetters.size]).toEqual([
    expect.stringContaining('damaged; resync assets first'),
    1,
  ]);
});
