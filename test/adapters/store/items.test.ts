import { describe, expect, test } from '@jest/globals';
import { LeaseLostError } from '../../../lambda/core/errors.ts';
import { leastSequence } from '../../../lambda/core/sequence.ts';
import type { ChildEntry, RowState } from '../../../lambda/ports.ts';
import { createChildIndex, createRemovalStore, createRowStateStore } from '../../../lambda/store/rows.ts';
import { sha256 } from '../../../lambda/system.ts';
import { awsScene, pass } from '../../support/function/aws-scene.ts';

const LONG = 'l'.repeat(1_999);
/** Pairs that a careless key would confuse, and everything that a key cannot hold as it is. */
const IDS = [
  'a',
  'A',
  ' a',
  '#a',
  '=a',
  'a#state',
  'a#b=c',
  '\ud800',
  '\udfff',
  'x\ud800y',
  '\ufffd',
  'x\ufffdy',
  'ключ-鍵-🔑',
  'é',
  'e\u0301',
  'new\nline\ttab\u0000\u2028',
  '"quoted\\"',
  '__proto__',
  `${LONG}1`,
  `${LONG}2`,
  '鍵'.repeat(300),
  '鍵'.repeat(301),
  '🔑'.repeat(5_000),
  `#${sha256(JSON.stringify(`${LONG}1`))}`,
];

const SEQUENCE = '00000000120000000003';
const state = (n: number, parent?: string): RowState => ({
  rowHash: sha256(String(n)).slice(0, 32),
  generation: n,
  status: (['live', 'filtered', 'removed'] as const)[n % 3]!,
  parent,
  sequence: SEQUENCE,
  forwardedAt: new Date(n).toISOString(),
});

async function scene() {
  const aws = await awsScene();
  return {
    ...aws,
    states: createRowStateStore(aws.table, sha256),
    childIndex: createChildIndex(aws.table, sha256),
    removals: createRemovalStore(aws.table, sha256),
  };
}

describe('row states', () => {
  test('the scan of the table finds only rows that no pass has listed, page by page', async () => {
    await using each = await scene();
    const text = 'x'.repeat(30_000);
    const old = new Map(IDS.map((id, index) => [id, { ...state(index), parent: text, generation: 6 }] as const));
    const others = new Map<string, RowState>([
      ['listed', { ...state(0), generation: 7 }],
      ['listed by a later walk', { ...state(0), generation: 8 }],
    ]);
    await each.states.put('threats', new Map([...old, ...others]), pass);
    await each.states.put('assets', old, pass);
    await each.childIndex.put('threats', [{ parent: 'a', id: 'a' }], pass);

    const found = new Map<string, RowState>();
    let pages = 0;
    for (let from: string | undefined, isEnd = false; !isEnd; pages++) {
      const { states, next } = await each.states.unlisted('threats', 7, from);
      for (const [id, unlisted] of states) found.set(id, unlisted);
      from = next;
      isEnd = next === undefined;
    }
    expect(pages).toBeGreaterThan(1);
    expect(found).toEqual(new Map([...old].filter(([, { status }]) => status !== 'removed')));
  });

  test('the scan of the table finds rows removed within a range of sequences, except never-sent rows', async () => {
    await using each = await scene();
    const removed = { ...state(0), status: 'removed', rowHash: 'ff' } as const;
    const states = new Map<string, RowState>([
      ['before', { ...removed, sequence: '00000000110000000009' }],
      ['first', { ...removed, sequence: '00000000120000000001' }],
      ['last', { ...removed, sequence: '00000000140000000009' }],
      ['after', { ...removed, sequence: '00000000150000000001' }],
      ['live', { ...removed, status: 'live', sequence: '00000000130000000001' }],
      ['never sent', { ...removed, rowHash: '', sequence: '00000000130000000002' }],
    ]);
    await each.states.put('threats', states, pass);
    await each.states.put('assets', states, pass);

    const range = { least: leastSequence(12), end: leastSequence(15) };
    const { states: found, next } = await each.states.removed('threats', range, undefined);
    expect([...found.keys()].sort()).toEqual(['first', 'last']);
    expect(next).toBeUndefined();
    expect(found.get('first')).toEqual(states.get('first'));
  });

  test('row states are read as they were saved, whatever their ids and parents contain', async () => {
    await using each = await scene();
    const saved = new Map(IDS.map((id, index) => [id, state(index, index % 3 === 0 ? undefined : IDS.at(-index))]));
    await each.states.put('threats', saved, pass);
    expect(await each.states.get('threats', IDS)).toEqual(saved);
    expect(await each.states.get('assets', IDS)).toEqual(new Map());
  });
});

describe('the child index', () => {
  test('entries of the child index are found under their parent, whatever ids and parents contain', async () => {
    await using each = await scene();
    const all = IDS.map((id, index) => ({ parent: IDS.at(-1 - index)!, id }));
    await each.childIndex.put('threats', all, pass);
    for (const one of all) expect(await each.childIndex.of('threats', one.parent, 10)).toEqual([one]);
    await each.childIndex.delete('threats', all, pass);
    for (const { parent } of all) expect(await each.childIndex.of('threats', parent, 10)).toEqual([]);
  });

  test('the children of a parent are returned in pieces of the requested size', async () => {
    await using each = await scene();
    const all = IDS.map(id => ({ parent: 'o', id }));
    await each.childIndex.put('threats', all, pass);
    const found: ChildEntry[] = [];
    for (let piece = await each.childIndex.of('threats', 'o', 7); piece.length > 0; ) {
      expect(piece.length).toBeLessThanOrEqual(7);
      found.push(...piece);
      piece = await each.childIndex.of('threats', 'o', 7, piece.at(-1));
    }
    expect(found).toHaveLength(IDS.length);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(IDS));
  });
});

describe('the listed removals', () => {
  test('listed removals are read as they were written, whatever ids and positions contain', async () => {
    await using each = await scene();
    const tombstones = IDS.map((id, index) => ({
      id,
      sequence: SEQUENCE,
      deletedAt: index % 3 === 0 ? undefined : '2026-11-20T12:00:00.000Z',
      position: [undefined, '"2026-11-20T12:00:00.123456Z"', '9007199254740993', '1.0', '"\\ud800"'][index % 5],
      isRestored: index % 2 === 0,
    }));
    await each.removals.add('assets', tombstones, pass);
    const pending = await each.removals.list('assets');
    expect(new Map(pending.map(one => [one.id, one]))).toEqual(new Map(tombstones.map(one => [one.id, one])));
    for (const one of tombstones) await each.removals.remove('assets', [one], pass);
    expect(await each.removals.list('assets')).toEqual([]);
  });

  test('an asset that is listed twice has two entries, so a repeated batch deletes only its own entry', async () => {
    await using each = await scene();
    const usual = { id: 'a', deletedAt: undefined, position: undefined };
    const removed = { ...usual, sequence: SEQUENCE, isRestored: false };
    const restored = { ...usual, sequence: '00000000120000000004', isRestored: true };
    await each.removals.add('assets', [removed, restored], pass);
    await each.removals.remove('assets', [removed], pass);
    expect(await each.removals.list('assets')).toEqual([restored]);
  });
});

test('the lease is checked before every write of row states, child entries and removals', async () => {
  await using each = await scene();
  const stop = () => Promise.reject(new LeaseLostError('in a test'));
  const member = { parent: 'o', id: 'a' };
  const writes = [
    each.states.put('assets', new Map([['a', state(1)]]), stop),
    each.childIndex.put('threats', [member], stop),
    each.childIndex.delete('threats', [member], stop),
    each.removals.add(
      'assets',
      [{ id: 'a', sequence: SEQUENCE, deletedAt: undefined, position: undefined, isRestored: false }],
      stop,
    ),
    each.removals.remove('assets', [{ id: 'a', sequence: SEQUENCE }], stop),
  ];
  const outcomes = await Promise.allSettled(writes);
  expect(outcomes.map(outcome => outcome.status)).toEqual(Array(5).fill('rejected'));
  expect(each.calls).toEqual([]);
});
