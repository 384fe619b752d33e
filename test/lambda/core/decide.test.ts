import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  BEGINNING,
  type Candidates,
  decide,
  deDuplicate,
  forget,
  initialState,
  isUnconfirmed,
  type StreamState,
  toCheckpoint,
} from '../../../lambda/core/decide.ts';
import { idTag, shortIdTag } from '../../../lambda/core/hashes.ts';
import type { BadRow, Row } from '../../../lambda/core/row.ts';
import { addCounts, EMPTY_RESULT } from '../../../lambda/core/run.ts';
import { Sequencer } from '../../../lambda/core/sequence.ts';
import type { Intent, RowState } from '../../../lambda/ports.ts';
import { sha256 } from '../../../lambda/system.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { readEvent } from '../support/event-schema.ts';
import { rowState } from './support/memory-table.ts';
import { asset, dnsBlock, threat, tombstone } from './support/rows.ts';
import {
  type AnyStream,
  ASSETS,
  CONTEXT,
  DNS_BLOCKS,
  elementsOf,
  readText,
  rowOf,
  THREATS,
} from './support/streams.ts';

interface Given {
  readonly stream?: AnyStream;
  readonly known?: Readonly<Record<string, RowState>>;
  readonly unconfirmed?: readonly string[];
  /** Those of them that an event may have called gone. */
  readonly gone?: readonly string[];
  readonly generation?: number;
  readonly selections?: number;
  readonly badRows?: readonly BadRow[];
  /** Whether the filter withholds every row but tombstones. */
  readonly withheld?: boolean;
}

const PAGE = { sent: undefined, next: 'c1', rewound: false, repeats: false, names: {} };

/** The batch that `decide` returns for a page with these rows. */
function decided(texts: readonly string[], given: Given = {}) {
  const { stream = ASSETS, known = {}, unconfirmed = [], gone = [], generation = 0, selections = 0 } = given;
  const rows = texts.map(text => {
    const row = rowOf(text, stream);
    return given.withheld && !row.deleted ? { ...members(row), filter: 'withhold' as const } : row;
  });
  const intents = [{ first: '9', sequence: '', idTags: unconfirmed.map(idTag), goneTags: gone.map(idTag) }];
  const candidates = { rows, bad: given.badRows ?? [], versionTags: [], superseded: 0, inWindow: 0 };
  const state = initialState({ checkpoint: { ...BEGINNING, generation, selections }, intents }, stream);
  const { batch, read } = decidePage(candidates, state, stream, { known });
  return { ...batch, counts: addCounts(addCounts(EMPTY_RESULT, read), batch.sent) };
}

function decidePage(
  candidates: Candidates,
  state: StreamState,
  stream: AnyStream,
  { known = {}, next = 'c1' as string | null } = {},
) {
  return decide({ ...PAGE, next }, candidates, new Map(Object.entries(known as Record<string, RowState>)), state, {
    stream,
    sequences: new Sequencer(1).reserve(candidates.rows.length),
    context: CONTEXT,
    locate: ({ stream: name, rowHash }) => `s3://dead-letters/${name}/${rowHash}.json`,
  });
}

/** The members of a row, which are getters. */
function members({ id, text, rowHash, position, time, deleted, parent, versionHash, filter, versionTag }: Row): Row {
  return { id, text, rowHash, position, time, deleted, parent, versionHash, filter, versionTag };
}

const stateOf = (row: Row, change: Partial<RowState> = {}) =>
  rowState({ rowHash: row.rowHash, parent: row.parent, status: row.deleted ? 'removed' : 'live', ...change });
const kinds = (lines: readonly string[]) => lines.map(readEvent).map(({ kind, id }) => `${kind} ${id}`);

describe('row states', () => {
  test('a new row is sent, recorded and counted', () => {
    const row = rowOf(asset('a'));
    const { lines, states, intent, counts } = decided([asset('a')]);
    expect(kinds(lines)).toEqual(['upsert a']);
    expect(intent).toEqual({
      first: '00000000010000000001',
      sequence: '00000000010000000001',
      idTags: [idTag('a')],
      goneTags: [],
    });
    expect(states.get('a')).toEqual(stateOf(row, { forwardedAt: CONTEXT.forwardedAt }));
    expect(counts).toMatchObject({ forwarded: 1, suppressed: 0 });
  });

  test('a row that came back after a withdrawal keeps its revision in every later version', () => {
    const before = stateOf(rowOf(asset('a')), { revision: 3 });
    const { lines, states } = decided([asset('a', { version: 2 })], { known: { a: before } });
    expect(states.get('a')).toMatchObject({ revision: 3 });
    expect(readEvent(lines[0]!).event_id).not.toBe(
      readEvent(decided([asset('a', { version: 2 })], { known: { a: stateOf(rowOf(asset('a'))) } }).lines[0]!).event_id,
    );
  });
});

describe('tombstones and restores', () => {
  const live = stateOf(rowOf(asset('a')));

  test('the tombstone of a known asset is sent, recorded as removed, and listed for withdrawal', () => {
    const { lines, states, removals, counts } = decided([tombstone('a', { position: 'p7' })], { known: { a: live } });
    expect(kinds(lines)).toEqual(['tombstone a']);
    expect(states.get('a')!.status).toBe('removed');
    expect(removals).toEqual([
      { id: 'a', deletedAt: '2026-11-20T09:10:00Z', position: '"p7"', sequence: '00000000010000000001' },
    ]);
    expect(counts).toMatchObject({ forwarded: 1, tombstones: 1, unseenTombstones: 0 });
  });
});

describe('the child index', () => {
  const stream = THREATS;

  test('a known threat whose asset was not known learns it without being sent', () => {
    const known = { t: stateOf(rowOf(threat('t', 'a'), stream), { parent: undefined }) };
    const { lines, states, children, counts } = decided([threat('t', 'a')], { stream, known });
    expect([lines, counts.forwarded]).toEqual([[], 0]);
    expect(states.get('t')).toEqual({ ...known.t, parent: 'a' });
    expect(children).toEqual([{ parent: 'a', id: 't', sequence: known.t.sequence }]);
  });

  test('rule 11: a threat without its asset is sent and counted, and not in the child index', () => {
    const { lines, children, counts } = decided([threat('t', undefined), threat('u', 'a')], { stream });
    expect(kinds(lines)).toEqual(['upsert t', 'upsert u']);
    expect([counts.withoutParent, decided([asset('a')]).counts.withoutParent]).toEqual([1, 0]);
    expect(children.map(({ id }) => id)).toEqual(['u']);
  });
});

describe('rule 13: rows that cannot be sent', () => {
  const huge = (id: string) => threat(id, 'a', { text: 'x'.repeat(1_024_000) });

  test('a bad row becomes a dead letter with its reason, beside the good rows', () => {
    const bad = readText('{"name":"x"}') as BadRow;
    const { deadLetters, lines } = decided([asset('a')], { badRows: [bad] });
    expect(deadLetters).toEqual([{ stream: 'assets', reason: 'no-id', row: '{"name":"x"}', rowHash: bad.rowHash }]);
    expect(kinds(lines)).toEqual(['upsert a']);
  });

  test('an oversize row becomes a dead letter and a small event that points to it, and is recorded', () => {
    const { deadLetters, lines, states, children, counts } = decided([huge('t')], { stream: THREATS });
    const event = readEvent(lines[0]!);
    expect(deadLetters).toMatchObject([{ stream: 'threats', reason: 'oversize', row: huge('t') }]);
    expect(event).toMatchObject({ kind: 'oversize', id: 't', asset_id: 'a' });
    expect(event.dead_letter).toContain(deadLetters[0]!.rowHash);
    expect([states.has('t'), children.length, counts.oversize, counts.forwarded]).toEqual([true, 1, 1, 1]);
  });

  test('an oversize row that is known is not stored again', () => {
    const known = { t: stateOf(rowOf(huge('t'), THREATS)) };
    expect(decided([huge('t')], { stream: THREATS, known })).toMatchObject({ deadLetters: [], lines: [] });
  });

  test.each([
    ['asset_id', threat('t', 'a'.repeat(1_024_000))],
    ['stream_position', threat('t', 'a', { position: 'p'.repeat(1_024_000) })],
    ['updated_at', threat('t', 'a', { updated_at: `2026-11-20T09:00:00.${'0'.repeat(1_024_000)}Z` })],
  ])('the oversize event is small, whichever member made the row large: %s', (_member, text) => {
    const { lines } = decided([text], { stream: THREATS });
    expect(Math.max(...lines.map(line => Buffer.byteLength(line)))).toBeLessThan(100_000);
  });
});

/** What the table knows of asset `a`, and whether the run before may have sent more. */
const SAME = rowOf(asset('a'));
const BEFORE: Readonly<Record<string, Partial<Given>>> = {
  unknown: {},
  live: { known: { a: stateOf(SAME) } },
  'live before the replay': { known: { a: stateOf(SAME) }, generation: 1 },
  withheld: { known: { a: stateOf(SAME, { status: 'withheld', rowHash: '' }) } },
  removed: { known: { a: stateOf(rowOf(tombstone('a'))) } },
  'removed, never sent': { known: { a: stateOf(SAME, { status: 'removed', rowHash: '' }) } },
  unconfirmed: { unconfirmed: ['a'] },
  'unconfirmed, perhaps gone': { known: { a: stateOf(SAME) }, unconfirmed: ['a'], gone: ['a'] },
};

describe('the status of a row', () => {
  /** Sent, the status and the revision that are recorded, and whether the threats are to be withdrawn. Nothing: as before. */
  type After = readonly [sent: string, recorded?: string, removal?: 'listed'];

  test.each<[string, After, After, After]>([
    // known before             the row exists            a tombstone                       the filter withholds it
    ['unknown', ['upsert', 'live 0'], ['', undefined, 'listed'], ['', 'withheld 0']],
    ['live', [''], ['tombstone', 'removed 0', 'listed'], ['withdrawn', 'withheld 0']],
    ['live before the replay', ['upsert', 'live 0'], ['tombstone', 'removed 0', 'listed'], ['withdrawn', 'withheld 0']],
    ['withheld', ['upsert', 'live 1'], ['', undefined, 'listed'], ['', 'withheld 0']],
    ['removed', ['upsert', 'live 1'], [''], ['', 'withheld 0']],
    ['removed, never sent', ['upsert', 'live 1'], [''], ['', 'withheld 0']],
    ['unconfirmed', ['upsert', 'live 0'], ['tombstone', 'removed 0', 'listed'], ['withdrawn', 'withheld 0']],
    [
      'unconfirmed, perhaps gone',
      ['upsert', 'live 1'],
      ['tombstone', 'removed 0', 'listed'],
      ['withdrawn', 'withheld 0'],
    ],
  ])(
    'an asset that is %s: what is sent, recorded and listed when it exists, is removed, is withheld',
    (before, ...after) => {
      const given = BEFORE[before]!;
      const results = [
        decided([asset('a')], given),
        decided([tombstone('a')], given),
        decided([asset('a')], { ...given, withheld: true }),
      ];
      const found = results.map(({ lines, states, removals }): After => {
        const recorded = states.get('a');
        // What the filter withholds is not what the SIEM has.
        if (recorded?.status === 'withheld') expect(recorded.rowHash).toBe('');
        return [
          lines.map(line => readEvent(line).kind).join(),
          recorded && `${recorded.status} ${recorded.revision}`,
          removals.length > 0 ? 'listed' : undefined,
        ];
      });
      expect(found).toEqual(after.map(([sent, recorded, removal]) => [sent, recorded, removal]));
    },
  );

  test('a row that comes back as it was, or after another change of the filter, has another event_id', () => {
    const eventId = (given: Given) => readEvent(decided([asset('a')], given).lines[0]!).event_id;
    const ids = [{}, BEFORE['removed']!, { selections: 1 }, { ...BEFORE['removed'], selections: 1 }].map(eventId);
    expect(new Set(ids).size).toBe(4);
  });

  test('a row that may have been called gone is sent as another revision, and so is its repeat after another kill', () => {
    const given = BEFORE['unconfirmed, perhaps gone']!;
    const { lines, intent } = decided([asset('a')], given);
    expect(intent!.goneTags).toEqual([idTag('a')]);
    const again = decided([asset('a')], given);
    expect(readEvent(again.lines[0]!).event_id).toBe(readEvent(lines[0]!).event_id);
    expect(readEvent(lines[0]!).event_id).not.toBe(readEvent(decided([asset('a')]).lines[0]!).event_id);
  });
});

describe('unconfirmed ids', () => {
  const at = (count: number) => `000000000100000000${String(count).padStart(2, '0')}`;
  const intent = (sequence: string, ...ids: string[]): Intent => {
    return { first: sequence, sequence, idTags: ids.map(idTag), goneTags: ids.map(idTag) };
  };
  const open = (committed: string, ...intents: Intent[]) => {
    const state = initialState({ checkpoint: { ...BEGINNING, committed }, intents }, ASSETS);
    const ids = ['a', 'b', 'c', 'd'].filter(id => isUnconfirmed(state, id));
    expect([...state.gone]).toEqual([...state.unconfirmed.keys()]);
    return ids;
  };

  test('the ids of an intent up to the committed sequence are confirmed', () => {
    expect(open(at(5), intent(at(3), 'a'), intent(at(5), 'b'))).toEqual([]);
  });

  test('of the intents after it only the first can have been sent, because each batch waits for the commit of the one before', () => {
    expect(open(at(5), intent(at(4), 'a'), intent(at(6), 'b'), intent(at(8), 'c'))).toEqual(['b']);
  });

  test('the ids of an intent without a sequence are unconfirmed, whatever was committed', () => {
    expect(open(at(5), intent('', 'd'), intent(at(3), 'a'), intent(at(6), 'b'), intent(at(8), 'c'))).toEqual([
      'b',
      'd',
    ]);
  });

  test('a batch confirms the ids that it sends, and no others', () => {
    const { state } = decided([asset('a')], { unconfirmed: ['a', 'b'], gone: ['a', 'b'] });
    expect([[...state.unconfirmed.keys()], [...state.gone]]).toEqual([[idTag('b')], [idTag('b')]]);
  });

  test('an id is confirmed by a state that is as new as its intent, which was written after the events were acknowledged', () => {
    const state = { unconfirmed: new Map([[idTag('a'), at(5)]]) };
    const confirmed = [at(4), at(5), at(6)].map(sequence => !isUnconfirmed(state, 'a', { sequence }));
    expect(confirmed).toEqual([false, true, true]);
    expect(isUnconfirmed(state, 'a')).toBe(true);
  });

  test('an older version in the window is no change, also of an unconfirmed id', () => {
    const intents = [{ first: at(5), sequence: '', idTags: [idTag('a')], goneTags: [] }];
    const window = [rowOf(asset('a')).versionTag!];
    const state = initialState({ checkpoint: { ...BEGINNING, window }, intents }, ASSETS);
    const { rows, inWindow } = deDuplicate({ rows: elementsOf([asset('a')], ASSETS) }, state, ASSETS, sha256);
    expect([rows.length, inWindow]).toEqual([0, 1]);
  });

  test('a threat that a killed run may have withdrawn has left the window, so that it is looked up when it reappears', () => {
    const window = ['t', 'u'].map(id => rowOf(threat(id, 'a'), THREATS).versionTag!);
    const intents = [{ first: at(5), sequence: at(6), idTags: ['t', 'u'].map(idTag), goneTags: [idTag('t')] }];
    const state = initialState({ checkpoint: { ...BEGINNING, window }, intents }, THREATS);
    const page = { rows: elementsOf([threat('t', 'a'), threat('u', 'a')], THREATS) };
    expect(deDuplicate(page, state, THREATS, sha256).rows.map(({ id }) => id)).toEqual(['t']);
  });

  test('older versions of an asset whose tombstone a killed run has sent stay in the window', () => {
    const window = [rowOf(asset('a')).versionTag!];
    const intents = [{ first: at(5), sequence: at(6), idTags: [idTag('a')], goneTags: [idTag('a')] }];
    const state = initialState({ checkpoint: { ...BEGINNING, window }, intents }, ASSETS);
    expect(deDuplicate({ rows: elementsOf([asset('a')], ASSETS) }, state, ASSETS, sha256).rows).toEqual([]);
  });
});

describe('the window', () => {
  /** The state after these pages, the last of which ends the walk unless `ends` is false. */
  function walked(stream: AnyStream, pages: readonly (readonly string[])[], before = BEGINNING, ends = true) {
    let state = initialState({ checkpoint: before, intents: [] }, stream);
    const sent: string[] = [];
    for (const [index, texts] of pages.entries()) {
      const candidates = deDuplicate({ rows: elementsOf(texts, stream) }, state, stream, sha256);
      const next = ends && index === pages.length - 1 ? null : `c${index + 1}`;
      const { batch } = decidePage(candidates, state, stream, { next });
      sent.push(...batch.lines.map(line => readEvent(line).id));
      state = batch.state;
    }
    return { sent, saved: toCheckpoint(state), ids: [...state.window].map(tag => tag.slice(0, 8)) };
  }
  const tags = (...ids: string[]) => ids.map(shortIdTag);
  const blocks = (...ids: string[]) => ids.map(dnsBlock);

  test('of streams with row states the window holds the last page that had rows', () => {
    const pages = [[asset('a'), asset('b')], [asset('c')], []];
    expect(walked(ASSETS, pages).ids).toEqual(tags('c'));
    expect(walked(THREATS, [[threat('t', 'a')], []]).ids).toEqual(tags('t'));
  });

  test('a last page that is cut again brings no change, though it holds an older version of a row', () => {
    const [a, older, newer] = [asset('a'), asset('b', { version: 1 }), asset('b', { version: 2 })] as const;
    const { saved } = walked(ASSETS, [[a, older, newer]]);
    const again = [[a], [older], [newer]];
    expect(walked(ASSETS, again, saved).sent).toEqual([]);
    expect(walked(ASSETS, again.slice(0, 1), saved, false).ids).toEqual(tags('a', 'b', 'b'));
    expect(walked(ASSETS, again.slice(0, 2), saved, false).ids).toEqual(tags('b', 'b'));
    expect(walked(ASSETS, again, saved).ids).toEqual(tags('b'));
  });

  test('a last page to which rows were added leaves nothing of the window before, also when rows have left it', () => {
    const { saved } = walked(ASSETS, [[asset('a'), asset('b'), asset('c')]]);
    expect(walked(ASSETS, [[asset('b'), asset('c'), asset('d')]], saved, false).ids).toEqual(tags('b', 'c', 'd'));
  });

  test('of DNS blocks the window holds the last two pages of a walk that has ended', () => {
    const pages = [blocks('a', 'b'), blocks('c', 'd'), blocks('e')];
    expect(walked(DNS_BLOCKS, pages).ids).toEqual(tags('c', 'd', 'e'));
  });

  test('of DNS blocks the window is shortened also where an empty page ends the walk', () => {
    const pages = [blocks('a', 'b'), blocks('c', 'd'), blocks('e'), []];
    expect(walked(DNS_BLOCKS, pages).ids).toEqual(tags('c', 'd', 'e'));
  });

  test('of DNS blocks the window is not shortened before a walk ends: the next one may begin where this one did', () => {
    const { saved } = walked(DNS_BLOCKS, [blocks('a', 'b'), blocks('c', 'd')]);
    const shorter = walked(DNS_BLOCKS, [blocks('c'), blocks('d'), blocks('e')], saved, false);
    expect([shorter.sent, shorter.ids.toSorted()]).toEqual([['e'], tags('a', 'b', 'c', 'd', 'e').toSorted()]);
    const ended = walked(DNS_BLOCKS, [blocks('c'), blocks('d'), blocks('e')], saved);
    expect([ended.sent, ended.ids]).toEqual([['e'], tags('d', 'e')]);
  });

  test('of DNS blocks a walk of one page, or of none with rows, leaves the window of the walk before', () => {
    const { saved } = walked(DNS_BLOCKS, [blocks('a', 'b'), blocks('c', 'd')]);
    for (const page of [blocks('c', 'd'), []]) {
      expect(walked(DNS_BLOCKS, [page], saved).ids.toSorted()).toEqual(tags('a', 'b', 'c', 'd').toSorted());
    }
  });

  test('of DNS blocks the window keeps 2,000 tags at most while a walk lasts, the newest', () => {
    const page = (from: number) => Array.from({ length: 500 }, (_, index) => dnsBlock(`d${from + index}`));
    const { ids } = walked(DNS_BLOCKS, [0, 500, 1000, 1500, 2000].map(page), BEGINNING, false);
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([2_000, ...tags('d500', 'd2499')]);
  });

  test('a row without a position is never in the window of a stream whose rows change', () => {
    expect(walked(ASSETS, [[asset('a', { position: null })]]).ids).toEqual([]);
  });

  test('a page that is read again has nothing to save', () => {
    const { saved } = walked(ASSETS, [[asset('a'), asset('b')]], BEGINNING, false);
    const state = initialState({ checkpoint: { ...saved, cursor: 'c1' }, intents: [] }, ASSETS);
    const rows = elementsOf([asset('b'), asset('a')], ASSETS);
    expect(decidePage(deDuplicate({ rows }, state, ASSETS, sha256), state, ASSETS).batch.saves).toBe(false);
  });

  test('the window forgets every version of the ids named, and of no other', () => {
    const tag = (id: string, version: string) => shortIdTag(id) + version;
    const window = new Set([tag('t1', 'v1'), tag('t2', 'v1'), tag('t1', 'v2')]);
    const left = forget(window, [idTag('t1')]);
    expect([...left]).toEqual([tag('t2', 'v1')]);
    expect(forget(left, [idTag('t1')])).toBe(left);
    expect(window.size).toBe(3);
  });
});

describe('the tag of an id', () => {
  test('an id tag is fourteen hexadecimal characters, for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), id => {
        expect(idTag(id)).toMatch(/^[0-9a-f]{14}$/);
        expect(idTag(id).endsWith(shortIdTag(id))).toBe(true);
      }),
    );
  });

  test('id tags differ for ten thousand similar ids, also in the part that version tags begin with', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `asset-${index}`);
    expect(new Set(ids.map(idTag)).size).toBe(10_000);
    expect(new Set(ids.map(shortIdTag)).size).toBeGreaterThan(9_990);
  });
});
