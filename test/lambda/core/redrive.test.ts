/** What becomes of dead letters that an operator orders to be tried again. */
import { describe, expect, test } from '@jest/globals';
import type { DeadLetterKey } from '../../../lambda/core/dead-letter.ts';
import { ocsfFormat } from '../../../lambda/core/ocsf/format.ts';
import type { RedriveOutcome } from '../../../lambda/core/redrive.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const WIDE = 'x'.repeat(1_100_000);

/** A letter as an earlier version of the code may have left it. */
function put(harness: Harness, stream: StreamName, reason: string, text: string): DeadLetterKey {
  const key = `${stream} ${reason} ${harness.deadLetters.size}`;
  harness.deadLetters.set(key, text);
  return { stream, key };
}

async function redriven(harness: Harness, ...redrive: DeadLetterKey[]): Promise<RedriveOutcome['outcome'][]> {
  const { letters, failures } = await harness.run({ redrive, only: ['assets', 'threats', 'dns-blocks'] });
  expect([...failures]).toEqual([]);
  return letters.map(each => each.outcome);
}

/** Asset `a` with its threat `t` and a DNS block are in the SIEM. */
async function committed(): Promise<Harness> {
  const harness = new Harness();
  harness.api
    .pages('/a', [[asset('a')], []])
    .pages('/t', [[threat('t', 'a')], []])
    .pages('/d', [[dnsBlock('d')], []]);
  await harness.run();
  return harness.later();
}

describe('a dead letter that is tried again', () => {
  test('of a DNS block is sent and deleted', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'dns-blocks', 'oversize', dnsBlock('late')))).toEqual(['sent']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['dns_block late'], 0]);
  });

  test('of an oversize row is sent when its state says that the stream delivered nothing newer', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'threats', 'oversize', threat('t', 'a')))).toEqual(['sent']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['upsert t'], 0]);
    expect(harness.table.state('threats', 't')).toMatchObject({ sequence: harness.events[0]!.sequence, parent: 'a' });
  });

  test('of an oversize row is superseded when the stream has delivered another version since', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'assets', 'oversize', asset('a', { version: 0 })))).toEqual([
      'superseded',
    ]);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('of a threat that was withdrawn since is superseded: it would haunt the SIEM', async () => {
    const harness = await committed();
    harness.api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null)).on('/t', 'c1', answer([], null));
    expect(await redriven(harness, put(harness, 'threats', 'oversize', threat('t', 'a')))).toEqual(['superseded']);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
  });

  test('of a row that left no state is sent when the API answers the same content now', async () => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', threat('new', 'a', { position: null }));
    expect(await redriven(harness, put(harness, 'threats', 'no-id', threat('new', 'a')))).toEqual(['sent']);
    expect(harness.sent).toEqual(['upsert new']);
    expect(harness.table.children('threats')).toContain('a new');
  });

  test('of a row in an envelope of its own is recognised as well', async () => {
    const harness = await committed();
    harness.api.onSingle('/a', 'new', `{"asset":${asset('new', { position: null })},"version":1}`);
    expect(await redriven(harness, put(harness, 'assets', 'no-id', asset('new')))).toEqual(['sent']);
  });

  test('whose content the SIEM has already is deleted and not sent', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'assets', 'no-id', asset('a')))).toEqual(['known']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('whose id has newer content that the SIEM has is superseded', async () => {
    const harness = await committed();
    harness.api.onSingle('/a', 'a', asset('a', { position: null }));
    expect(await redriven(harness, put(harness, 'assets', 'no-id', asset('a', { version: 0 })))).toEqual([
      'superseded',
    ]);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('that was too long in one format is sent in the other', async () => {
    const harness = await committed();
    const ocsf = ocsfFormat({ parentMember: 'asset_id', fields: {} });
    // In OCSF the row is a text within the event, so that each of these takes four characters instead of two.
    const wide = `{"id":"wide","blocked_at":"2026-11-20T09:05:00Z","text":"${'\\\\'.repeat(300_000)}"}`;
    const deadLetter = put(harness, 'dns-blocks', 'oversize', wide);
    const { letters } = await harness.run({ redrive: [deadLetter], format: ocsf });
    expect([letters[0]?.reason, harness.deadLetters.size]).toEqual(['it still cannot be an event: oversize', 1]);
    expect(await redriven(harness, deadLetter)).toEqual(['sent']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['dns_block wide'], 0]);
  });

  test('of a row that really is oversize is dropped once a smaller version was forwarded', async () => {
    const harness = await committed();
    const wide = asset('a', { version: 0, text: WIDE });
    expect(await redriven(harness, put(harness, 'assets', 'oversize', wide))).toEqual(['superseded']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('of a row that really is oversize stays while its notice is the newest that the SIEM has', async () => {
    const harness = new Harness();
    const wide = asset('a', { text: WIDE });
    harness.api
      .pages('/a', [[wide], []])
      .pages('/t', [[]])
      .pages('/d', [[]]);
    await harness.run();
    const [key = ''] = harness.deadLetters.keys();
    expect(await redriven(harness.later(), { stream: 'assets', key })).toEqual(['kept']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 1]);
  });

  test('twice in one order is sent once', async () => {
    const harness = await committed();
    const deadLetter = put(harness, 'dns-blocks', 'oversize', dnsBlock('late'));
    expect(await redriven(harness, deadLetter, deadLetter)).toEqual(['sent', 'kept']);
    expect(harness.sent).toEqual(['dns_block late']);
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
    const harness = await committed();
    harness.api
      .onSingle('/a', 'b', asset('b', { version: 7 }))
      .onSingle('/a', 'c', asset('d'))
      .onSingle('/a', 'e', '[]');
    const deadLetter = put(harness, stream, 'no-id', text);
    const { letters } = await harness.run({ redrive: [deadLetter] });
    expect(letters).toEqual([{ key: deadLetter.key, outcome: 'kept', reason: expect.stringContaining(reason) }]);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 1]);
  });

  test('when its asset is removed, whatever a single read still says: nothing would ever withdraw it again', async () => {
    const harness = await committed();
    harness.api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null)).on('/t', 'c1', answer([], null));
    await harness.run();
    harness.later().api.onSingle('/t', 'new', threat('new', 'a'));
    const { letters } = await harness.run({ redrive: [put(harness, 'threats', 'no-id', threat('new', 'a'))] });
    expect([letters[0]?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('is removed'), 1]);
    expect(harness.sent).toEqual([]);
  });

  test('where no letter lies, and where it is of another stream than its key says', async () => {
    const harness = await committed();
    const lying = { ...put(harness, 'assets', 'no-id', asset('a')), stream: 'threats' } as const;
    expect(await redriven(harness, { stream: 'assets', key: 'nothing' }, lying)).toEqual(['kept', 'kept']);
  });

  test('when the time ends before its stream is read to the end: only then do the states say what is newest', async () => {
    const harness = await committed();
    harness.api.on('/a', 'c1', answer([asset('b')], 'c2')).on('/a', 'c2', answer([], null));
    const deadLetter = put(harness, 'assets', 'oversize', asset('a'));
    const { letters } = await harness.run({
      only: ['assets'],
      redrive: [deadLetter],
      outOfTime: () => harness.journal.done.length > 0,
    });
    expect([letters[0]?.reason, harness.deadLetters.size]).toEqual([
      expect.stringContaining('run the command again'),
      1,
    ]);
  });
});

describe('a kill while a dead letter is tried again', () => {
  test.each([
    ['threats intents', []],
    ['threats children', []],
    ['threats delivery', []],
    ['threats states', ['upsert new']],
    ['threats checkpoint', ['upsert new']],
    ['dead-letter deleted', ['upsert new']],
  ])('at "%s" loses nothing: ordered again it is told as sent or known, and the letter goes', async (step, before) => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', threat('new', 'a'));
    const deadLetter = put(harness, 'threats', 'no-id', threat('new', 'a'));
    harness.journal.fail(step);
    const { failures } = await harness.run({ redrive: [deadLetter] });
    expect([failures.get('threats')?.message, harness.sent, harness.deadLetters.size]).toEqual([
      `fault at ${step}`,
      before,
      1,
    ]);
    const [first] = harness.events;
    harness.later();
    const again = step === 'dead-letter deleted' ? 'known' : 'sent';
    expect(await redriven(harness, deadLetter)).toEqual([again]);
    expect(harness.deadLetters.size).toBe(0);
    const [repeat] = harness.events;
    if (first && repeat) {
      expect([repeat.event_id, repeat.sequence > first.sequence]).toEqual([first.event_id, true]);
    }
    expect(harness.table.children('threats')).toContain('a new');
    harness.later().api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null));
    await harness.run();
    expect(harness.sent.sort()).toEqual(['tombstone a', 'withdrawn new', 'withdrawn t']);
  });

  test('the steps are those of a page, and the letter goes last', async () => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', threat('new', 'a'));
    await redriven(harness, put(harness, 'threats', 'no-id', threat('new', 'a')));
    const steps = harness.journal.done.filter(each => !each.includes('look-up'));
    expect(steps.slice(0, 2).sort()).toEqual(['threats children', 'threats intents']);
    expect(steps.slice(2)).toEqual(['threats delivery', 'threats states', 'threats checkpoint', 'dead-letter deleted']);
  });

  test('an answer of the API other than about the id fails the stream, and the letter stays', async () => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', new Error('the network'));
    const deadLetter = put(harness, 'threats', 'no-id', threat('new', 'a'));
    const { failures, letters } = await harness.run({ redrive: [deadLetter] });
    expect([failures.get('threats')?.message, letters, harness.deadLetters.size]).toEqual(['the network', [], 1]);
  });
});

test('while another run holds the lease the order is refused', async () => {
  const harness = await committed();
  harness.occupied = true;
  const deadLetter = put(harness, 'dns-blocks', 'oversize', dnsBlock('late'));
  await expect(harness.run({ redrive: [deadLetter] })).rejects.toThrow('Another run holds the lease');
});
