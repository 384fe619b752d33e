/**
 * The decisions about a row: its event, the state that is stored, and the removals and children
 * that are listed with it.
 */
import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { Draft, type WalkMode } from '../../lambda/core/draft.ts';
import type { Row } from '../../lambda/core/row.ts';
import { Sequencer } from '../../lambda/core/sequence.ts';
import type { Checkpoint, RowState, SecondWalk } from '../../lambda/ports.ts';
import { rowState } from '../support/core/memory-table.ts';
import { asset, threat, tombstone } from '../support/core/rows.ts';
import { type AnyStream, ASSETS, CONTEXT, rowOf, THREATS } from '../support/core/streams.ts';
import { readEvent } from '../support/function/event-schema.ts';

const SEQUENCE = (n: number) => `000000000100000000${String(n).padStart(2, '0')}`;
const GENERATION = 5;
/** What an event leaves in the state of its row. */
const at = (n: number) => ({ sequence: SEQUENCE(n), forwardedAt: CONTEXT.forwardedAt });
const SECOND = { phase: 'read', rows: 0, notBefore: 0, most: 0, withdrawn: { own: 0, children: 0 } } as const;

interface Given {
  readonly stream?: AnyStream;
  readonly known?: Readonly<Record<string, RowState>>;
  readonly before?: Partial<Checkpoint>;
  readonly allowance?: number;
}

function draftOf({ stream = ASSETS, known = {}, before = {}, ...options }: Given = {}): Draft {
  return new Draft({ ...INITIAL_CHECKPOINT, generation: GENERATION, ...before }, new Map(Object.entries(known)), {
    stream: { ...stream, path: '/x' },
    context: CONTEXT,
    sequences: new Sequencer(1).reserve(100),
    locate: ({ rowHash }) => `s3://dead-letters/${rowHash}.json`,
    ...options,
  });
}

/** As the row would be read if the filter excluded it. */
function excluded({ id, text, rowHash, wholeHash, position, time, deleted, parent, versionTag }: Row): Row {
  return { id, text, rowHash, wholeHash, position, time, deleted, parent, versionTag, filter: 'filtered' };
}
const live = (text: string, stream: AnyStream = ASSETS, change: Partial<RowState> = {}): RowState => {
  const { rowHash, parent } = rowOf(text, stream);
  return rowState({ rowHash, parent, generation: GENERATION, ...change });
};
const events = (draft: Draft) => {
  const { records } = draft.batch({});
  const lines = records.flatMap(record => Buffer.from(record).toString().trimEnd().split('\n'));
  return lines.map(readEvent);
};

describe('a table of decisions', () => {
  const NOT_SENT = { rowHash: '' };
  const STATES = {
    unknown: undefined,
    'the same': live(asset('a')),
    'not yet marked': live(asset('a'), ASSETS, { generation: 4 }),
    'another version': live(asset('a', { version: 9 })),
    filtered: live(asset('a'), ASSETS, { status: 'filtered', ...NOT_SENT }),
    removed: live(tombstone('a'), ASSETS, { status: 'removed', generation: 4 }),
    'not listed any more': live(asset('a'), ASSETS, { status: 'removed', generation: 4 }),
    'removed, never sent': live(tombstone('a'), ASSETS, { status: 'removed', generation: 4, ...NOT_SENT }),
  } as const;
  type Known = keyof typeof STATES;

  /**
   * The event, `=` and the status that is recorded with its generation, and what becomes of the
   * threats.
   */
  function decided(row: Row, known: Known, reading: WalkMode): string {
    const state = STATES[known];
    const second = { ...SECOND, mode: reading } as SecondWalk;
    const before = reading === 'walk' ? {} : { second };
    const draft = draftOf({ known: state ? { a: state } : {}, before });
    draft.row(row, reading);
    const { states, removals } = draft.batch({});
    const recorded = states.get('a');
    // The SIEM has no content of a row that is filtered.
    if (recorded?.status === 'filtered') expect(recorded.rowHash).toBe('');
    return [
      ...events(draft).map(({ kind, reason }) => (reason ? `${kind} ${reason}` : kind)),
      ...(recorded ? [`=${recorded.status} ${recorded.generation}`] : []),
      ...removals.map(({ isRestored }) => (isRestored ? 'threats are read again' : 'threats leave')),
    ].join(', ');
  }

  const EXISTS = rowOf(asset('a'));
  const GONE = rowOf(tombstone('a'));
  const FILTERED = excluded(EXISTS);
  const SENT = 'upsert, =live 5';
  const SENT_BACK = `${SENT}, threats are read again`;
  const REMOVED = 'tombstone, =removed 5, threats leave';
  const NOTED = '=removed 5, threats leave';
  const WITHDRAWN = 'withdrawn filtered, =filtered 5';
  const BACK = '=filtered 5, threats are read again';

  test.each<[Known, Row, string, string?]>([
    // known               row       decided                         when everything is sent again
    ['unknown', EXISTS, SENT],
    ['unknown', GONE, NOTED, REMOVED],
    ['unknown', FILTERED, '=filtered 5'],
    ['the same', EXISTS, ''],
    ['the same', GONE, REMOVED],
    ['the same', FILTERED, WITHDRAWN],
    ['not yet marked', EXISTS, '=live 5', SENT],
    ['not yet marked', GONE, REMOVED],
    ['not yet marked', FILTERED, WITHDRAWN],
    ['another version', EXISTS, SENT],
    ['another version', GONE, REMOVED],
    ['another version', FILTERED, WITHDRAWN],
    ['filtered', EXISTS, SENT],
    ['filtered', GONE, NOTED, REMOVED],
    ['filtered', FILTERED, ''],
    ['removed', EXISTS, SENT_BACK],
    ['removed', GONE, '', REMOVED],
    ['removed', FILTERED, BACK],
    ['not listed any more', EXISTS, SENT_BACK],
    ['not listed any more', GONE, REMOVED],
    ['not listed any more', FILTERED, BACK],
    ['removed, never sent', EXISTS, SENT_BACK],
    ['removed, never sent', GONE, '', REMOVED],
    ['removed, never sent', FILTERED, BACK],
  ])(
    'an asset that is %s gets the decision that the table of cases lists (case %#)',
    (known, row, expected, again = expected) => {
      expect(decided(row, known, 'walk')).toBe(expected);
      expect(decided(row, known, 'differences')).toBe(expected);
      expect(decided(row, known, 'all')).toBe(again);
      // A pass over the list holds a row back exactly when deciding it would do more than mark it.
      const state = STATES[known];
      const isSame = draftOf({ known: state ? { a: state } : {} }).isSame(row, 'differences');
      expect(isSame).toBe(expected === '' || expected === '=live 5');
    },
  );

  test('the tombstone of an asset that was never sent counts as changed only in a replay', () => {
    const draft = draftOf({ known: { a: STATES['removed, never sent'] } });
    expect((['walk', 'differences', 'all'] as const).map(reading => draft.isSame(GONE, reading))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('the walk does not mark rows during a replay, because the second walk must send them', () => {
    const known = { a: STATES['not yet marked'] };
    const draft = draftOf({ known, before: { second: { ...SECOND, mode: 'all' } } });
    draft.row(EXISTS, 'walk');
    expect(draft.batch({}).states.size).toBe(0);
  });

  const THREAT = rowOf(threat('t', 'a'), THREATS);
  const WITHDRAWN_THREAT = live(threat('t', 'a'), THREATS, { status: 'removed' });

  test.each<[string, Row, RowState | undefined, string[]]>([
    ['unknown and filtered', excluded(THREAT), undefined, []],
    ['withdrawn and listed', THREAT, WITHDRAWN_THREAT, ['upsert']],
    ['withdrawn and filtered', excluded(THREAT), WITHDRAWN_THREAT, []],
  ])('a threat that is %s is sent only if the filter admits it', (_what, row, state, expected) => {
    const draft = draftOf({ stream: THREATS, known: state ? { t: state } : {} });
    draft.row(row, 'walk');
    expect(events(draft).map(({ kind }) => kind)).toEqual(expected);
    expect(draft.batch({}).states.size).toBe(expected.length);
  });

  test('the filter withdraws only as many rows as the guard allows', () => {
    const known = { a: live(asset('a')), b: live(asset('b')), c: live(asset('c')) };
    const draft = draftOf({ known, allowance: 1 });
    for (const id of Object.keys(known)) draft.row(excluded(rowOf(asset(id))), 'walk');
    expect(events(draft).map(({ id }) => id)).toEqual(['a']);
    expect([...draft.batch({}).states.keys()]).toEqual(['a']);
    expect(draft.withdrawn).toBe(1);
    expect(draft.kept).toBe(2);
    expect(draft.read.filtered).toBe(3);
  });
});

describe('a batch', () => {
  test('a batch sends every version of a row in order, but stores only the last state', () => {
    const draft = draftOf({ known: { a: live(asset('a')) } });
    for (const text of [asset('a', { version: 2 }), tombstone('a'), asset('a', { version: 3 })])
      draft.row(rowOf(text), 'walk');
    const { states, removals } = draft.batch({});
    expect(events(draft).map(({ kind, sequence }) => `${kind} ${sequence}`)).toEqual([
      `upsert ${SEQUENCE(1)}`,
      `tombstone ${SEQUENCE(2)}`,
      `upsert ${SEQUENCE(3)}`,
    ]);
    expect([...states]).toEqual([['a', { ...live(asset('a', { version: 3 })), ...at(3) }]]);
    expect(removals.map(({ isRestored }) => isRestored)).toEqual([true]);
  });

  test('a batch that only marks a row uses a new sequence, although it sends no event', () => {
    const before = { committed: SEQUENCE(0) };
    const nothing = draftOf({ before, known: { a: live(asset('a')) } });
    nothing.row(rowOf(asset('a')), 'walk');
    expect(nothing.batch({}).checkpoint.committed).toBe(SEQUENCE(0));

    const mark = draftOf({ before, known: { a: live(asset('a'), ASSETS, { generation: 4 }) } });
    mark.row(rowOf(asset('a')), 'walk');
    // Its log must be newer than the checkpoint before it, although no event has a sequence.
    expect(mark.batch({}).checkpoint.committed).toBe(SEQUENCE(1));
  });

  test('a batch counts existing rows and listed rows', () => {
    const old = { generation: 4 };
    const draft = draftOf({
      before: { counts: { existing: 4, listed: 1 } },
      known: {
        same: live(asset('same'), ASSETS, old),
        changed: live(asset('changed', { version: 9 }), ASSETS, old),
        gone: live(asset('gone')),
        filtered: live(asset('filtered'), ASSETS, old),
      },
    });
    for (const id of ['same', 'changed', 'new']) draft.row(rowOf(asset(id)), 'walk');
    draft.row(rowOf(tombstone('gone')), 'walk');
    draft.row(excluded(rowOf(asset('filtered'))), 'walk');
    expect(draft.batch({}).checkpoint.counts).toEqual({ existing: 4, listed: 4 });
  });

  test('a batch stores an oversize row as a dead letter and remembers the row as sent', () => {
    const huge = threat('t', 'a', { text: 'x'.repeat(1_024_000) });
    const draft = draftOf({ stream: THREATS });
    draft.row(rowOf(huge, THREATS), 'walk');
    const { states, children, deadLetters, sent } = draft.batch({});
    expect(events(draft)[0]!.kind).toBe('oversize');
    expect(states.get('t')?.rowHash).toEqual(rowOf(huge, THREATS).rowHash);
    expect(deadLetters.length).toBe(1);
    expect(children).toEqual([{ parent: 'a', id: 't' }]);
    expect(sent.oversize).toBe(1);
  });
});

describe('the threats of an asset', () => {
  test('a threat that moves between assets within one batch has one child entry under each asset', () => {
    const draft = draftOf({ stream: THREATS });
    for (const [version, parent] of ['a', 'b', 'a'].entries())
      draft.row(rowOf(threat('t', parent, { version }), THREATS), 'walk');
    const { children, states } = draft.batch({});
    expect(children).toEqual(['a', 'b'].map(parent => ({ parent, id: 't' })));
    expect(states.get('t')?.parent).toBe('a');
  });

  test('a threat that changes but stays under its asset does not get a second child entry', () => {
    const draft = draftOf({ stream: THREATS, known: { t: live(threat('t', 'a'), THREATS) } });
    draft.row(rowOf(threat('t', 'a', { version: 2 }), THREATS), 'walk');
    expect(draft.batch({}).children).toEqual([]);
  });

  test('a threat stored without an asset takes its asset from the row and is not sent again', () => {
    const known = { t: live(threat('t', 'a'), THREATS, { parent: undefined }) };
    const draft = draftOf({ stream: THREATS, known });
    draft.row(rowOf(threat('t', 'a'), THREATS), 'walk');
    const { states, children } = draft.batch({});
    expect(events(draft)).toEqual([]);
    expect(states.get('t')).toEqual({ ...known.t, parent: 'a' });
    expect(children).toEqual([{ parent: 'a', id: 't' }]);
  });

  test('a refreshed row is sent with the same content and a later sequence', () => {
    const draft = draftOf({ known: { a: live(asset('a')) } });
    draft.refresh(rowOf(asset('a')));
    expect(events(draft)).toMatchObject([{ kind: 'upsert', id: 'a', refresh: true, sequence: SEQUENCE(1) }]);
    const { states, sent } = draft.batch({});
    expect(states.get('a')).toEqual({ ...live(asset('a')), ...at(1) });
    expect(sent).toEqual({ refreshed: 1 });
  });
});
