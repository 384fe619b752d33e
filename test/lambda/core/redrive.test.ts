/** What becomes of dead letters that an operator orders to be tried again. */
import { describe, expect, test } from '@jest/globals';
import type { LetterPlace } from '../../../lambda/core/letter.ts';
import { ocsfFormat } from '../../../lambda/core/ocsf/format.ts';
import type { LetterOutcome } from '../../../lambda/core/redrive.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';
import { Stand } from './support/stand.ts';

const WIDE = 'x'.repeat(1_100_000);

/** A letter as an earlier version of the code may have left it. */
function put(stand: Stand, stream: StreamName, reason: string, text: string): LetterPlace {
  const key = `${stream} ${reason} ${stand.letters.size}`;
  stand.letters.set(key, text);
  return { stream, key };
}

async function redriven(stand: Stand, ...redrive: LetterPlace[]): Promise<LetterOutcome['outcome'][]> {
  const { letters, failures } = await stand.tick({ redrive, only: ['assets', 'threats', 'dns-blocks'] });
  expect([...failures]).toEqual([]);
  return letters.map(each => each.outcome);
}

/** Asset `a` with its threat `t` and a DNS block are in the SIEM. */
async function settled(): Promise<Stand> {
  const stand = new Stand();
  stand.api
    .pages('/a', [[asset('a')], []])
    .pages('/t', [[threat('t', 'a')], []])
    .pages('/d', [[dnsBlock('d')], []]);
  await stand.tick();
  return stand.later();
}

describe('a dead letter that is tried again', () => {
  test('of a DNS block is sent and deleted', async () => {
    const stand = await settled();
    expect(await redriven(stand, put(stand, 'dns-blocks', 'oversize', dnsBlock('late')))).toEqual(['sent']);
    expect([stand.sent, stand.letters.size]).toEqual([['dns_block late'], 0]);
  });

  test('of an oversize row is sent when its state says that the stream delivered nothing newer', async () => {
    const stand = await settled();
    expect(await redriven(stand, put(stand, 'threats', 'oversize', threat('t', 'a')))).toEqual(['sent']);
    expect([stand.sent, stand.letters.size]).toEqual([['upsert t'], 0]);
    expect(stand.table.state('threats', 't')).toMatchObject({ sequence: stand.events[0]!.sequence, owner: 'a' });
  });

  test('of an oversize row is superseded when the stream has delivered another version since', async () => {
    const stand = await settled();
    expect(await redriven(stand, put(stand, 'assets', 'oversize', asset('a', { version: 0 })))).toEqual(['superseded']);
    expect([stand.sent, stand.letters.size]).toEqual([[], 0]);
  });

  test('of a threat that was withdrawn since is superseded: it would haunt the SIEM', async () => {
    const stand = await settled();
    stand.api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null)).on('/t', 'c1', answer([], null));
    expect(await redriven(stand, put(stand, 'threats', 'oversize', threat('t', 'a')))).toEqual(['superseded']);
    expect(stand.sent).toEqual(['tombstone a', 'withdrawn t']);
  });

  test('of a row that left no state is sent when the API answers the same content now', async () => {
    const stand = await settled();
    stand.api.onSingle('/t', 'new', threat('new', 'a', { position: null }));
    expect(await redriven(stand, put(stand, 'threats', 'no-id', threat('new', 'a')))).toEqual(['sent']);
    expect(stand.sent).toEqual(['upsert new']);
    expect(stand.table.members('threats')).toContain('a new');
  });

  test('of a row in an envelope of its own is recognised as well', async () => {
    const stand = await settled();
    stand.api.onSingle('/a', 'new', `{"asset":${asset('new', { position: null })},"version":1}`);
    expect(await redriven(stand, put(stand, 'assets', 'no-id', asset('new')))).toEqual(['sent']);
  });

  test('whose content the SIEM has already is deleted and not sent', async () => {
    const stand = await settled();
    expect(await redriven(stand, put(stand, 'assets', 'no-id', asset('a')))).toEqual(['known']);
    expect([stand.sent, stand.letters.size]).toEqual([[], 0]);
  });

  test('whose id has newer content that the SIEM has is superseded', async () => {
    const stand = await settled();
    stand.api.onSingle('/a', 'a', asset('a', { position: null }));
    expect(await redriven(stand, put(stand, 'assets', 'no-id', asset('a', { version: 0 })))).toEqual(['superseded']);
    expect([stand.sent, stand.letters.size]).toEqual([[], 0]);
  });

  test('that was too long in one format is sent in the other', async () => {
    const stand = await settled();
    const ocsf = ocsfFormat({ ownerMember: 'asset_id', fields: {} });
    // In OCSF the row is a text within the event, so that each of these takes four characters instead of two.
    const wide = `{"id":"wide","blocked_at":"2026-11-20T09:05:00Z","text":"${'\\\\'.repeat(300_000)}"}`;
    const letter = put(stand, 'dns-blocks', 'oversize', wide);
    const { letters } = await stand.tick({ redrive: [letter], format: ocsf });
    expect([letters[0]?.reason, stand.letters.size]).toEqual(['it still cannot be an event: oversize', 1]);
    expect(await redriven(stand, letter)).toEqual(['sent']);
    expect([stand.sent, stand.letters.size]).toEqual([['dns_block wide'], 0]);
  });

  test('of a row that really is oversize is dropped once a smaller version was forwarded', async () => {
    const stand = await settled();
    const wide = asset('a', { version: 0, text: WIDE });
    expect(await redriven(stand, put(stand, 'assets', 'oversize', wide))).toEqual(['superseded']);
    expect([stand.sent, stand.letters.size]).toEqual([[], 0]);
  });

  test('of a row that really is oversize stays while its notice is the newest that the SIEM has', async () => {
    const stand = new Stand();
    const wide = asset('a', { text: WIDE });
    stand.api
      .pages('/a', [[wide], []])
      .pages('/t', [[]])
      .pages('/d', [[]]);
    await stand.tick();
    const [key = ''] = stand.letters.keys();
    expect(await redriven(stand.later(), { stream: 'assets', key })).toEqual(['kept']);
    expect([stand.sent, stand.letters.size]).toEqual([[], 1]);
  });

  test('twice in one order is sent once', async () => {
    const stand = await settled();
    const letter = put(stand, 'dns-blocks', 'oversize', dnsBlock('late'));
    expect(await redriven(stand, letter, letter)).toEqual(['sent', 'kept']);
    expect(stand.sent).toEqual(['dns_block late']);
  });
});

describe('a dead letter stays, with the reason told,', () => {
  test.each([
    ['while its row has no id', 'assets', '{"name":"x"}', 'no-id'],
    ['while its row is no object', 'assets', '[1]', 'not-an-object'],
    ['while its id is too long', 'assets', `{"id":"${'x'.repeat(20_000)}"}`, 'id-too-long'],
    ['while its line is too long', 'dns-blocks', `{"id":"d","text":"${WIDE}"}`, 'oversize'],
    ['when its row is not JSON', 'assets', '{"id":', 'its row is not JSON'],
    ['when the API refuses its id', 'threats', threat('gone', 'a'), 'the API does not give the row of its id (404 '],
    ['when the API answers something else', 'assets', asset('b'), 'the API answers something else'],
    ['when the API answers another id', 'assets', asset('c'), 'the API answers another row'],
    ['when the API answers no row', 'assets', asset('e'), 'the API answers no row'],
  ] as const)('%s', async (_when, stream, text, reason) => {
    const stand = await settled();
    stand.api
      .onSingle('/a', 'b', asset('b', { version: 7 }))
      .onSingle('/a', 'c', asset('d'))
      .onSingle('/a', 'e', '[]');
    const letter = put(stand, stream, 'no-id', text);
    const { letters } = await stand.tick({ redrive: [letter] });
    expect(letters).toEqual([{ key: letter.key, outcome: 'kept', reason: expect.stringContaining(reason) }]);
    expect([stand.sent, stand.letters.size]).toEqual([[], 1]);
  });

  test('when its asset is removed, whatever a single read still says: nothing would ever withdraw it again', async () => {
    const stand = await settled();
    stand.api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null)).on('/t', 'c1', answer([], null));
    await stand.tick();
    stand.later().api.onSingle('/t', 'new', threat('new', 'a'));
    const { letters } = await stand.tick({ redrive: [put(stand, 'threats', 'no-id', threat('new', 'a'))] });
    expect([letters[0]?.reason, stand.letters.size]).toEqual([expect.stringContaining('is removed'), 1]);
    expect(stand.sent).toEqual([]);
  });

  test('where no letter lies, and where it is of another stream than its key says', async () => {
    const stand = await settled();
    const lying = { ...put(stand, 'assets', 'no-id', asset('a')), stream: 'threats' } as const;
    expect(await redriven(stand, { stream: 'assets', key: 'nothing' }, lying)).toEqual(['kept', 'kept']);
  });

  test('when the time ends before its stream is read to the end: only then do the states say what is newest', async () => {
    const stand = await settled();
    stand.api.on('/a', 'c1', answer([asset('b')], 'c2')).on('/a', 'c2', answer([], null));
    const letter = put(stand, 'assets', 'oversize', asset('a'));
    const { letters } = await stand.tick({
      only: ['assets'],
      redrive: [letter],
      outOfTime: () => stand.journal.done.length > 0,
    });
    expect([letters[0]?.reason, stand.letters.size]).toEqual([expect.stringContaining('order it again'), 1]);
  });
});

describe('a kill while a dead letter is tried again', () => {
  test.each([
    ['threats in-flight', []],
    ['threats memberships', []],
    ['threats delivery', []],
    ['threats states', ['upsert new']],
    ['threats checkpoint', ['upsert new']],
    ['dead-letter deleted', ['upsert new']],
  ])('at "%s" loses nothing: ordered again it is told as sent or known, and the letter goes', async (step, before) => {
    const stand = await settled();
    stand.api.onSingle('/t', 'new', threat('new', 'a'));
    const letter = put(stand, 'threats', 'no-id', threat('new', 'a'));
    stand.journal.fail(step);
    const { failures } = await stand.tick({ redrive: [letter] });
    expect([failures.get('threats')?.message, stand.sent, stand.letters.size]).toEqual([`fault at ${step}`, before, 1]);
    const [first] = stand.events;
    stand.later();
    const again = step === 'dead-letter deleted' ? 'known' : 'sent';
    expect(await redriven(stand, letter)).toEqual([again]);
    expect(stand.letters.size).toBe(0);
    const [repeat] = stand.events;
    if (first && repeat) {
      expect([repeat.event_id, repeat.sequence > first.sequence]).toEqual([first.event_id, true]);
    }
    expect(stand.table.members('threats')).toContain('a new');
    stand.later().api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null));
    await stand.tick();
    expect(stand.sent.sort()).toEqual(['tombstone a', 'withdrawn new', 'withdrawn t']);
  });

  test('the steps are those of a page, and the letter goes last', async () => {
    const stand = await settled();
    stand.api.onSingle('/t', 'new', threat('new', 'a'));
    await redriven(stand, put(stand, 'threats', 'no-id', threat('new', 'a')));
    const steps = stand.journal.done.filter(each => !each.includes('look-up'));
    expect(steps.slice(0, 2).sort()).toEqual(['threats in-flight', 'threats memberships']);
    expect(steps.slice(2)).toEqual(['threats delivery', 'threats states', 'threats checkpoint', 'dead-letter deleted']);
  });

  test('an answer of the API other than about the id fails the stream, and the letter stays', async () => {
    const stand = await settled();
    stand.api.onSingle('/t', 'new', new Error('the network'));
    const letter = put(stand, 'threats', 'no-id', threat('new', 'a'));
    const { failures, letters } = await stand.tick({ redrive: [letter] });
    expect([failures.get('threats')?.message, letters, stand.letters.size]).toEqual(['the network', [], 1]);
  });
});

test('while another run holds the lease the order is refused', async () => {
  const stand = await settled();
  stand.occupied = true;
  const letter = put(stand, 'dns-blocks', 'oversize', dnsBlock('late'));
  await expect(stand.tick({ redrive: [letter] })).rejects.toThrow('Another run holds the lease');
});
