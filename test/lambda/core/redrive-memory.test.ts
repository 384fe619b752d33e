/** What the order to try dead letters again makes of what the stream remembers: found by random histories. */
import { describe, expect, test } from '@jest/globals';
import type { LetterPlace } from '../../../lambda/core/letter.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { answer, asset, dnsBlock, threat } from './support/rows.ts';
import { Stand } from './support/stand.ts';

function put(stand: Stand, stream: StreamName, reason: string, text: string): LetterPlace {
  const key = `${stream} ${reason} ${stand.letters.size}`;
  stand.letters.set(key, text);
  return { stream, key };
}

/** The page that ends the blocks is read again at every tick; the pages are as small as can be. */
async function withBlock(): Promise<Stand> {
  const stand = new Stand();
  stand.api.on('/d', undefined, answer([dnsBlock('d')], null));
  await stand.tick({ only: ['dns-blocks'], pageLimit: 1 });
  return stand.later();
}

async function redriven(stand: Stand, ...redrive: LetterPlace[]): Promise<string[]> {
  const { letters, failures } = await stand.tick({ redrive, only: ['dns-blocks'], pageLimit: 1 });
  expect([...failures]).toEqual([]);
  return letters.map(({ outcome }) => outcome);
}

describe('a dead letter of a DNS block', () => {
  test('that the walk has sent meanwhile is known, and is not sent again', async () => {
    const stand = await withBlock();
    expect(await redriven(stand, put(stand, 'dns-blocks', 'no-id', dnsBlock('d')))).toEqual(['known']);
    expect([stand.sent, stand.letters.size]).toEqual([[], 0]);
  });

  test('that was oversize is sent though the window knows it: the SIEM has its notice alone', async () => {
    const stand = await withBlock();
    expect(await redriven(stand, put(stand, 'dns-blocks', 'oversize', dnsBlock('d')))).toEqual(['sent']);
    expect(stand.sent).toEqual(['dns_block d']);
  });

  test('takes no place in the window: however many are sent, the page that is read again is not', async () => {
    const stand = await withBlock();
    const letters = ['x', 'y', 'z'].map(id => put(stand, 'dns-blocks', 'no-id', dnsBlock(id)));
    expect(await redriven(stand, ...letters)).toEqual(['sent', 'sent', 'sent']);
    stand.later();
    await redriven(stand);
    expect(stand.sent).toEqual([]);
  });
});

test('a dead letter of a threat stays until its asset is delivered: of one that never was no removal would be told', async () => {
  const stand = new Stand();
  stand.api
    .on('/a', undefined, answer([asset('a')], null))
    .on('/t', undefined, answer([], null))
    .onSingle('/t', 't', threat('t', 'late'));
  const redrive = [put(stand, 'threats', 'no-id', threat('t', 'late'))];
  const only = ['assets', 'threats'] as const;
  const { letters } = await stand.tick({ redrive, only });
  expect([letters[0]?.reason, stand.letters.size]).toEqual([expect.stringContaining('was never delivered'), 1]);
  stand.later().api.on('/a', undefined, answer([asset('a'), asset('late')], null));
  expect((await stand.tick({ redrive, only })).letters.map(({ outcome }) => outcome)).toEqual(['sent']);
  expect(stand.sent).toEqual(['upsert late', 'upsert t']);
});

test('a dead letter of a threat stays while the row state of its asset is damaged, and says so', async () => {
  const stand = new Stand();
  stand.api
    .on('/a', undefined, answer([asset('a')], null))
    .on('/t', undefined, answer([], null))
    .onSingle('/t', 't', threat('t', 'a'));
  const only = ['assets', 'threats'] as const;
  await stand.tick({ only });
  const intact = stand.table.state.bind(stand.table);
  stand.table.state = (stream, id) => (id === 'a' ? (new Error('damaged') as never) : intact(stream, id));
  const { letters } = await stand.tick({ redrive: [put(stand, 'threats', 'no-id', threat('t', 'a'))], only });
  expect([letters[0]?.reason, stand.letters.size]).toEqual([
    expect.stringContaining('damaged; resync assets first'),
    1,
  ]);
});
