/** What becomes of a dead letter that an operator's command tries again. */
import { describe, expect, test } from '@jest/globals';
import type { DeadLetterKey } from '../../../lambda/core/dead-letter.ts';
import { LeaseBusyError } from '../../../lambda/core/errors.ts';
import { ocsfFormat } from '../../../lambda/core/ocsf/format.ts';
import type { RedriveOutcome } from '../../../lambda/core/redrive.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { Harness, type RunChange } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const WIDE = 'x'.repeat(1_100_000);

/** A dead letter that an earlier release may have stored. */
function put(harness: Harness, stream: StreamName, reason: string, text: string): DeadLetterKey {
  const key = `${stream} ${reason} ${harness.deadLetters.size}`;
  harness.deadLetters.set(key, text);
  return { stream, key };
}

async function outcomes(harness: Harness, change: RunChange): Promise<RedriveOutcome['outcome'][]> {
  const { letters, failures } = await harness.run(change);
  expect([...failures]).toEqual([]);
  return letters.map(({ outcome }) => outcome);
}

const redriven = (harness: Harness, ...redrive: DeadLetterKey[]) =>
  outcomes(harness, { redrive, only: ['assets', 'threats', 'dns-blocks'] });

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
  test('a redriven dead letter of a DNS block is sent and deleted', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'dns-blocks', 'oversize', dnsBlock('late')))).toEqual(['sent']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['dns_block late'], 0]);
  });

  test('a redriven oversize row is sent when its state says that the stream delivered nothing newer', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'threats', 'oversize', threat('t', 'a')))).toEqual(['sent']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['upsert t'], 0]);
    expect(harness.table.state('threats', 't')).toMatchObject({ sequence: harness.events[0]!.sequence, parent: 'a' });
  });

  test('a redriven oversize row is superseded when the stream has delivered another version since', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'assets', 'oversize', asset('a', { version: 0 })))).toEqual([
      'superseded',
    ]);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('a redriven threat that was withdrawn since is superseded, because the SIEM would keep it for ever', async () => {
    const harness = await committed();
    harness.api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null)).on('/t', 'c1', answer([], null));
    expect(await redriven(harness, put(harness, 'threats', 'oversize', threat('t', 'a')))).toEqual(['superseded']);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
  });

  test('a redriven row that left no state is sent when the API answers the same content now', async () => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', threat('new', 'a', { position: null }));
    expect(await redriven(harness, put(harness, 'threats', 'no-id', threat('new', 'a')))).toEqual(['sent']);
    expect(harness.sent).toEqual(['upsert new']);
    expect(harness.table.children('threats')).toContain('a new');
  });

  test('a redriven row is recognised in a single read that wraps it in an envelope', async () => {
    const harness = await committed();
    harness.api.onSingle('/a', 'new', `{"asset":${asset('new', { position: null })},"version":1}`);
    expect(await redriven(harness, put(harness, 'assets', 'no-id', asset('new')))).toEqual(['sent']);
  });

  test('a redriven row whose content the SIEM has already is deleted and not sent', async () => {
    const harness = await committed();
    expect(await redriven(harness, put(harness, 'assets', 'no-id', asset('a')))).toEqual(['known']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('a redriven row is superseded when the SIEM has newer content of its id', async () => {
    const harness = await committed();
    harness.api.onSingle('/a', 'a', asset('a', { position: null }));
    expect(await redriven(harness, put(harness, 'assets', 'no-id', asset('a', { version: 0 })))).toEqual([
      'superseded',
    ]);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('a redriven row that was too long in one format is sent in the other', async () => {
    const harness = await committed();
    const ocsf = ocsfFormat({ parentMember: 'asset_id', fields: {} });
    // In OCSF the row is a text within the event, so that each of these takes four characters instead of two.
    const wide = `{"id":"wide","blocked_at":"2026-11-20T09:05:00Z","text":"${'\\\\'.repeat(300_000)}"}`;
    const deadLetter = put(harness, 'dns-blocks', 'oversize', wide);
    const {
      letters: [kept],
    } = await harness.run({ redrive: [deadLetter], format: ocsf });
    expect([kept?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('oversize'), 1]);
    expect(await redriven(harness, deadLetter)).toEqual(['sent']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['dns_block wide'], 0]);
  });

  test('a redriven oversize row that the walk has just forwarded is sent again, and the next dead letter of the row is known', async () => {
    const harness = await committed();
    const row = asset('a', { version: 2 });
    harness.api.on('/a', 'c1', answer([row], null)).on('/t', 'c1', answer([], null));
    const keys = [put(harness, 'assets', 'oversize', row), put(harness, 'assets', 'no-id', row)];
    expect(await redriven(harness, ...keys)).toEqual(['sent', 'known']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([['upsert a', 'upsert a'], 0]);
  });

  test('a redriven row that is still oversize is dropped once a smaller version was forwarded', async () => {
    const harness = await committed();
    const wide = asset('a', { version: 0, text: WIDE });
    expect(await redriven(harness, put(harness, 'assets', 'oversize', wide))).toEqual(['superseded']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('a redriven row that is still oversize is kept while its notice is the newest event that the SIEM has', async () => {
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

  test('a dead letter that one command names twice is sent once', async () => {
    const harness = await committed();
    const deadLetter = put(harness, 'dns-blocks', 'oversize', dnsBlock('late'));
    expect(await redriven(harness, deadLetter, deadLetter)).toEqual(['sent', 'kept']);
    expect(harness.sent).toEqual(['dns_block late']);
  });
});

describe('a dead letter that is kept, with a reason', () => {
  test.each([
    ['while its row has no id', 'assets', '{"name":"x"}', 'no-id'],
    ['while its row is not an object', 'assets', '[1]', 'not-an-object'],
    ['while its id is too long', 'assets', `{"id":"${'x'.repeat(20_000)}"}`, 'id-too-long'],
    ['while its line is too long', 'dns-blocks', `{"id":"d","text":"${WIDE}"}`, 'oversize'],
    ['when its row is not JSON', 'assets', '{"id":', 'JSON'],
    ['when the API refuses its id', 'threats', threat('gone', 'a'), '404'],
    ['when the API answers something else', 'assets', asset('b'), 'something else'],
    ['when the API answers another id', 'assets', asset('c'), 'another row'],
    ['when the API answers no row', 'assets', asset('e'), 'no row'],
  ] as const)('a dead letter is kept, with the reason, %s', async (_when, stream, text, reason) => {
    const harness = await committed();
    harness.api
      .onSingle('/a', 'b', asset('b', { version: 7 }))
      .onSingle('/a', 'c', asset('d'))
      .onSingle('/a', 'e', '[]');
    const deadLetter = put(harness, stream, 'no-id', text);
    const { letters: outcome } = await harness.run({ redrive: [deadLetter] });
    expect(outcome).toEqual([{ key: deadLetter.key, outcome: 'kept', reason: expect.stringContaining(reason) }]);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 1]);
  });

  test('a dead letter of a threat is kept when its asset is removed, because nothing would withdraw the threat again', async () => {
    const harness = await committed();
    harness.api.on('/a', 'c1', answer([tombstone('a', { version: 2 })], null)).on('/t', 'c1', answer([], null));
    await harness.run();
    harness.later().api.onSingle('/t', 'new', threat('new', 'a'));
    const {
      letters: [kept],
    } = await harness.run({ redrive: [put(harness, 'threats', 'no-id', threat('new', 'a'))] });
    expect([kept?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('removed'), 1]);
    expect(harness.sent).toEqual([]);
  });

  test('a dead letter that is missing, or belongs to another stream than its key says, is reported as kept', async () => {
    const harness = await committed();
    const lying = { ...put(harness, 'assets', 'no-id', asset('a')), stream: 'threats' } as const;
    expect(await redriven(harness, { stream: 'assets', key: 'nothing' }, lying)).toEqual(['kept', 'kept']);
  });

  test('a dead letter is kept when the time ends before its stream is read to the end, because only then do the states show the newest version', async () => {
    const harness = await committed();
    harness.api.on('/a', 'c1', answer([asset('b')], 'c2')).on('/a', 'c2', answer([], null));
    const deadLetter = put(harness, 'assets', 'oversize', asset('a'));
    const {
      letters: [kept],
    } = await harness.run({
      only: ['assets'],
      redrive: [deadLetter],
      outOfTime: () => harness.journal.done.length > 0,
    });
    expect([kept?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('again'), 1]);
  });
});

describe('a kill during a redrive', () => {
  test.each([
    ['threats intents', []],
    ['threats children', []],
    ['threats delivery', []],
    ['threats states', ['upsert new']],
    ['threats checkpoint', ['upsert new']],
    ['dead-letter deleted', ['upsert new']],
  ])(
    'a redrive killed at "%s" loses nothing: the next one reports sent or known, and deletes the dead letter',
    async (step, before) => {
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
    },
  );

  test('a redrive takes the steps of a page, and deletes the dead letter last', async () => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', threat('new', 'a'));
    await redriven(harness, put(harness, 'threats', 'no-id', threat('new', 'a')));
    const steps = harness.journal.done.filter(each => !each.includes('look-up'));
    expect(steps.slice(0, 2).sort()).toEqual(['threats children', 'threats intents']);
    expect(steps.slice(2)).toEqual(['threats delivery', 'threats states', 'threats checkpoint', 'dead-letter deleted']);
  });

  test('an answer of the API that is not about the id fails the stream, and the dead letter is kept', async () => {
    const harness = await committed();
    harness.api.onSingle('/t', 'new', new Error('the network'));
    const deadLetter = put(harness, 'threats', 'no-id', threat('new', 'a'));
    const { failures, letters } = await harness.run({ redrive: [deadLetter] });
    expect([failures.get('threats')?.message, letters, harness.deadLetters.size]).toEqual(['the network', [], 1]);
  });
});

test('a redrive is refused while another run holds the lease', async () => {
  const harness = await committed();
  harness.occupied = true;
  const deadLetter = put(harness, 'dns-blocks', 'oversize', dnsBlock('late'));
  await expect(harness.run({ redrive: [deadLetter] })).rejects.toThrow(LeaseBusyError);
});

/** Every run reads the last page of the blocks again. A window of pages of one row is as small as it can be. */
async function withBlock(): Promise<Harness> {
  const harness = new Harness();
  harness.api.on('/d', undefined, answer([dnsBlock('d')], null));
  await harness.run({ only: ['dns-blocks'], pageLimit: 1 });
  return harness.later();
}

const redrivenBlocks = (harness: Harness, ...redrive: DeadLetterKey[]) =>
  outcomes(harness, { redrive, only: ['dns-blocks'], pageLimit: 1 });

describe('a dead letter of a DNS block', () => {
  test('a dead letter of a DNS block that the walk has sent meanwhile is known, and is not sent again', async () => {
    const harness = await withBlock();
    expect(await redrivenBlocks(harness, put(harness, 'dns-blocks', 'no-id', dnsBlock('d')))).toEqual(['known']);
    expect([harness.sent, harness.deadLetters.size]).toEqual([[], 0]);
  });

  test('a dead letter of an oversize DNS block is sent although the window knows it, because the SIEM has only its notice', async () => {
    const harness = await withBlock();
    expect(await redrivenBlocks(harness, put(harness, 'dns-blocks', 'oversize', dnsBlock('d')))).toEqual(['sent']);
    expect(harness.sent).toEqual(['dns_block d']);
  });

  test('redriven DNS blocks take no place in the window, so the page that is read again is not sent again', async () => {
    const harness = await withBlock();
    const deadLetters = ['x', 'y', 'z'].map(id => put(harness, 'dns-blocks', 'no-id', dnsBlock(id)));
    expect(await redrivenBlocks(harness, ...deadLetters)).toEqual(['sent', 'sent', 'sent']);
    harness.later();
    await redrivenBlocks(harness);
    expect(harness.sent).toEqual([]);
  });
});

test('a dead letter of a threat is kept until its asset is delivered, because no removal of an unknown asset would withdraw it', async () => {
  const harness = new Harness();
  harness.api
    .on('/a', undefined, answer([asset('a')], null))
    .on('/t', undefined, answer([], null))
    .onSingle('/t', 't', threat('t', 'late'));
  const redrive = [put(harness, 'threats', 'no-id', threat('t', 'late'))];
  const only = ['assets', 'threats'] as const;
  const {
    letters: [kept],
  } = await harness.run({ redrive, only });
  expect([kept?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('never'), 1]);
  harness.later().api.on('/a', undefined, answer([asset('a'), asset('late')], null));
  expect((await harness.run({ redrive, only })).letters.map(({ outcome }) => outcome)).toEqual(['sent']);
  expect(harness.sent).toEqual(['upsert late', 'upsert t']);
});

test('a dead letter of a threat is kept while the row state of its asset is damaged, and the reason says so', async () => {
  const harness = new Harness();
  harness.api
    .on('/a', undefined, answer([asset('a')], null))
    .on('/t', undefined, answer([], null))
    .onSingle('/t', 't', threat('t', 'a'));
  const only = ['assets', 'threats'] as const;
  await harness.run({ only });
  const intact = harness.table.state.bind(harness.table);
  harness.table.state = (stream, id) => (id === 'a' ? (new Error('damaged') as never) : intact(stream, id));
  const {
    letters: [kept],
  } = await harness.run({ redrive: [put(harness, 'threats', 'no-id', threat('t', 'a'))], only });
  expect([kept?.reason, harness.deadLetters.size]).toEqual([expect.stringContaining('resync assets'), 1]);
});
