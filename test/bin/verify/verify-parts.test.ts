/** What a verification is made of, without a process. */
import { describe, expect, test } from '@jest/globals';
import type { Access } from '../../../bin/ctl/access/access.ts';
import type { Context } from '../../../bin/ctl/context.ts';
import type { Progress } from '../../../bin/ctl/report/progress.ts';
import type { Checked } from '../../../bin/ctl/verify/check-again.ts';
import { differences, disagreement } from '../../../bin/ctl/verify/difference.ts';
import { FACT, IdIndex } from '../../../bin/ctl/verify/ledger.ts';
import { nextRunEnded } from '../../../bin/ctl/verify/next-run.ts';
import type { VerifiedStream } from '../../../bin/ctl/verify/verify.ts';
import { verifyOutcome } from '../../../bin/ctl/verify/verify-result.ts';
import { walkStream } from '../../../bin/ctl/verify/walk-stream.ts';
import { asset } from '../../lambda/core/support/rows.ts';
import { ASSETS, rowOf } from '../../lambda/core/support/streams.ts';
import { steppedClock } from '../../lambda/support/stepped-clock.ts';

describe('the ledger', () => {
  test('holds each key once, with its facts and its digest, whatever the key holds', () => {
    const idIndex = new IdIndex();
    const keys = Array.from({ length: 2_000 }, (_, at) => `=${at % 3 === 0 ? 'ключ🔑' : 'asset'}-${at % 1_500}`);
    const rowHash = (at: number) => at.toString(16).padStart(32, '0');
    for (const [at, key] of keys.entries()) {
      const place = idIndex.place(key);
      idIndex.setFacts(place, at % 128);
      idIndex.setDigest(place, rowHash(at));
    }
    expect(idIndex.size).toBe(new Set(keys).size);
    const last = new Map(keys.map((key, at) => [key, at]));
    const held = [...last.keys()].map(key => {
      const place = idIndex.place(key);
      return [idIndex.key(place), idIndex.facts(place), idIndex.rowHash(place)];
    });
    expect(held).toEqual([...last].map(([key, at]) => [key, at % 128, rowHash(at)]));
    expect(idIndex.size).toBe(last.size);
  });

  test('takes about a hundred bytes an id of the length of a UUID', () => {
    const idIndex = new IdIndex();
    for (let at = 0; at < 50_000; at++) idIndex.place(`=1b4e28ba-2fa1-11d2-883f-${String(at).padStart(12, '0')}`);
    expect(idIndex.bytes / idIndex.size).toBeLessThan(110);
  });

  test('has no digest of a row whose state has none', () => {
    const idIndex = new IdIndex();
    const place = idIndex.place('=a');
    idIndex.setDigest(place, '');
    expect(idIndex.rowHash(place)).toBe('0'.repeat(32));
  });
});

describe('an id', () => {
  const { sent, told, damaged, stale, live, tombstone, equal } = FACT;
  test.each([
    ['agrees when sent and listed alike', sent | live | equal, undefined],
    ['agrees when told as gone and not listed', told, undefined],
    ['agrees when told as gone by the tombstone that is listed', told | tombstone | equal, undefined],
    ['agrees when its tombstone is of an asset never sent', tombstone, undefined],
    ['is missing when listed and never sent', live, 'missing'],
    ['differs when listed with other content', sent | live, 'other'],
    ['differs when the tombstone is another', told | tombstone, 'other'],
    ['is hidden when told as gone and listed as live', told | live, 'hidden'],
    ['is hidden even if its content is that of the state', told | live | equal, 'hidden'],
    ['is a ghost when sent and not listed', sent, 'ghost'],
    ['is a ghost when sent and listed as a tombstone', sent | tombstone, 'ghost'],
    ['awaits its replay when the state is older', sent | live | equal | stale, 'stale'],
    ['is a ghost of a time before the replay all the same', sent | stale, 'ghost'],
    ['is damaged, whatever is listed', damaged | live, 'damaged'],
  ] as const)('%s', (_how, facts, kind) => {
    expect(disagreement(facts)).toBe(kind);
  });

  test('that differs is told with what the API listed', () => {
    const idIndex = new IdIndex();
    for (const [key, facts] of [
      ['=a', sent | live],
      ['=b', sent | live | equal],
      [`#${'0'.repeat(64)}`, sent],
    ] as const) {
      idIndex.setFacts(idIndex.place(key), facts);
    }
    expect(differences(idIndex, new Map([[0, 'ff']]))).toEqual([
      { kind: 'other', id: 'a', key: '=a', listed: 'live', rowHash: 'ff' },
      { kind: 'ghost', id: undefined, key: `#${'0'.repeat(64)}`, listed: undefined, rowHash: undefined },
    ]);
  });
});

describe('the next run', () => {
  const lease = (epoch: number, ended: string) => ({ epoch, ended, holder: 'x', held: ended === 'no', expires: 0 });

  async function ended(wait: number, ...leases: ReturnType<typeof lease>[]) {
    const clock = steppedClock();
    const { signal } = new AbortController();
    let asked = 0;
    const next = { lease: async () => leases[Math.min(asked++, leases.length - 1)], epoch: 7, wait };
    return { ended: await nextRunEnded({ clock, signal } as never, next), asked };
  }

  test.each([
    [
      'has ended when a later epoch ended cleanly',
      60,
      [lease(7, 'cleanly'), lease(8, 'no'), lease(8, 'cleanly')],
      true,
    ],
    ['is not the one that was under way: it may have read before', 4, [lease(7, 'no'), lease(7, 'cleanly')], false],
    ['is not one that ended in doubt', 4, [lease(8, 'in doubt')], false],
    ['is the one after one that ended in doubt', 60, [lease(8, 'in doubt'), lease(9, 'cleanly')], true],
  ] as const)('%s', async (_what, wait, leases, expected) => {
    expect((await ended(wait, ...leases)).ended).toBe(expected);
  });
});

describe('a verification', () => {
  const none = { value: { count: 0, more: false } };
  const stream = (change: Partial<VerifiedStream> = {}): VerifiedStream => ({
    stream: ASSETS,
    rows: 3,
    unsendable: 0,
    equal: 3,
    found: [],
    generation: 0,
    ended: true,
    unconfirmed: 0,
    deadLetters: none,
    checked: undefined,
    ...change,
  });
  const lost = { kind: 'missing', id: 'a', key: '=a', listed: 'live', rowHash: 'ff' } as const;

  test.each<readonly [string, Partial<VerifiedStream>, boolean]>([
    ['is complete when every id agrees', {}, true],
    ['is complete when every difference was resolved since', { found: [lost], checked: committed({}) }, true],
    ['is not complete while ids are unconfirmed', { unconfirmed: 1 }, false],
    ['is not complete while an id differs', { found: [lost] }, false],
    ['is not complete while a difference lasts', { found: [lost], checked: committed({ confirmed: [lost] }) }, false],
    [
      'is not complete while a differing id was sent again and not compared again',
      { found: [lost], checked: committed({ moved: [lost] }) },
      false,
    ],
    ['is not complete while there are dead letters', { deadLetters: { value: { count: 1, more: false } } }, false],
    ['is not complete when the dead letters cannot be read', { deadLetters: { notReadable: 'denied' } }, false],
  ])('%s', (_what, change, complete) => {
    const outcome = verifyOutcome({ streams: [stream(), stream(change)], paused: false }, 20);
    expect([outcome.status, outcome.json]).toEqual([complete ? 0 : 3, expect.objectContaining({ complete })]);
    expect(outcome.text.startsWith('Complete')).toBe(complete);
  });
});

function committed(change: Partial<Checked>): Checked {
  return { confirmed: [], moved: [], resolved: 0, ...change };
}

/** What a walk over these pages of assets, each with the same cursor behind it, notes in a ledger. */
async function walkedAgain(idIndex: IdIndex, ...pages: string[][]) {
  const bodies = pages.map(rows => `{"assets":[${rows}],"pagination":{"next_cursor":"c","page_size":${rows.length}}}`);
  const api = { page: async () => Buffer.from(bodies.shift() ?? '') };
  const access = { api, settings: { threatAssetField: 'asset_id', names: {} } } as unknown as Access;
  const context = { clock: steppedClock(), signal: new AbortController().signal } as unknown as Context;
  const progress = { advance: () => undefined } as unknown as Progress;
  return walkStream(context, { access, stream: ASSETS, idIndex, learned: {}, progress });
}

test('the last version of an id that is listed twice counts: once it equals the state it is no news any more', async () => {
  const [older, newer] = [asset('a', { version: 1 }), asset('a', { version: 2 })];
  const idIndex = new IdIndex();
  const place = idIndex.place('=a');
  idIndex.setFacts(place, FACT.sent);
  idIndex.setDigest(place, rowOf(newer).rowHash);
  const { rows, ended } = await walkedAgain(idIndex, [older], [newer], [newer]);
  expect([rows, ended, differences(idIndex, new Map())]).toEqual([3, false, []]);
});

test('a cursor that comes back with news is no end, as it is none to a run', async () => {
  const pages = [
    `{"assets":[${asset('a')}],"pagination":{"next_cursor":"c","page_size":1}}`,
    `{"assets":[${asset('b')}],"pagination":{"next_cursor":"c","page_size":1}}`,
    `{"assets":[${asset('c')}],"pagination":{"next_cursor":null,"page_size":1}}`,
  ];
  const api = { page: async () => Buffer.from(pages.shift() ?? '') };
  const access = { api, settings: { threatAssetField: 'asset_id', names: {} } } as unknown as Access;
  const context = { clock: steppedClock(), signal: new AbortController().signal } as unknown as Context;
  const progress = { advance: () => undefined } as unknown as Progress;
  const idIndex = new IdIndex();
  const walked = await walkStream(context, { access, stream: ASSETS, idIndex, learned: {}, progress });
  expect([walked.rows, walked.ended, idIndex.size]).toEqual([3, true, 3]);
});
