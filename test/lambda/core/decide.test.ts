import { describe, expect, test } from '@jest/globals';
import { classify, decide, type Known } from '../../../lambda/core/decide.ts';
import { type EventFormat, envelope } from '../../../lambda/core/event.ts';
import { idTag } from '../../../lambda/core/hashes.ts';
import type { BadRow, Row } from '../../../lambda/core/row.ts';
import { Sequencer } from '../../../lambda/core/sequence.ts';
import { BEGINNING, initialState } from '../../../lambda/core/stream-state.ts';
import type { RowState } from '../../../lambda/ports.ts';
import { readEvent } from '../support/event-schema.ts';
import { rowState } from './support/memory-table.ts';
import { asset, dnsBlock, threat, tombstone } from './support/rows.ts';
import { type AnyStream, ASSETS, CONTEXT, DNS_BLOCKS, readText, rowOf, THREATS } from './support/streams.ts';

interface Given {
  readonly stream?: AnyStream;
  readonly known?: Readonly<Record<string, RowState>>;
  readonly unconfirmed?: readonly string[];
  readonly generation?: number;
  readonly badRows?: readonly BadRow[];
  readonly format?: EventFormat;
}

/** The batch that `decide` returns for a page with these rows. */
function decided(texts: readonly string[], given: Given = {}) {
  const { stream = ASSETS, known = {}, unconfirmed = [], generation = 0, badRows = [], format = envelope } = given;
  const rows = texts.map(text => rowOf(text, stream));
  const checkpoint = { ...BEGINNING, generation };
  const intents = [{ sequence: '', idTags: unconfirmed.map(idTag) }];
  const { counts, ...batch } = decide(
    { sent: undefined, next: 'c1', rewound: false, repeats: false, names: {} },
    { rows, bad: badRows, versionTags: rows.map(() => undefined), superseded: 0, inWindow: 0 },
    new Map(Object.entries(known)),
    initialState({ checkpoint, intents }),
    {
      stream,
      pageLimit: 500,
      sequences: new Sequencer(1).reserve(rows.length),
      context: CONTEXT,
      format,
      locate: ({ stream: name, rowHash }) => `s3://dead-letters/${name}/${rowHash}.json`,
    },
  );
  return { ...batch, counts: { ...counts.read, ...counts.sent } };
}

const stateOf = (row: Row, change: Partial<RowState> = {}) =>
  rowState({ rowHash: row.rowHash, parent: row.parent, removed: row.deleted, ...change });
const kinds = (lines: readonly string[]) => lines.map(readEvent).map(({ kind, id }) => `${kind} ${id}`);

describe('row states', () => {
  test('a new row is sent, recorded and counted', () => {
    const row = rowOf(asset('a'));
    const { lines, states, intent, counts } = decided([asset('a')]);
    expect(kinds(lines)).toEqual(['upsert a']);
    expect(intent).toEqual({ sequence: '00000000010000000001', idTags: [idTag('a')] });
    expect(states.get('a')).toEqual(stateOf(row, { forwardedAt: CONTEXT.forwardedAt }));
    expect(counts).toMatchObject({ forwarded: 1, suppressed: 0 });
  });

  test('a known row is suppressed and counted, and nothing is written', () => {
    const given = { known: { a: stateOf(rowOf(asset('a'))) } };
    const result = decided([asset('a', { position: 'p9' })], given);
    expect(result.counts).toMatchObject({ forwarded: 0, suppressed: 1 });
    expect([result.lines, [...result.states], result.children, result.removals]).toEqual([[], [], [], []]);
  });

  test('events keep the order of the page, each with a greater sequence', () => {
    const { lines } = decided([asset('b'), asset('a'), asset('c')]);
    const sequences = lines.map(line => readEvent(line).sequence);
    expect(kinds(lines)).toEqual(['upsert b', 'upsert a', 'upsert c']);
    expect(sequences).toEqual([...new Set(sequences)].sort());
  });

  test('a row that came back after a withdrawal keeps its revision in every later version', () => {
    const before = stateOf(rowOf(asset('a')), { revision: 'w' });
    const { lines, states } = decided([asset('a', { version: 2 })], { known: { a: before } });
    expect(states.get('a')).toMatchObject({ revision: 'w' });
    expect(readEvent(lines[0]!).event_id).not.toBe(
      readEvent(decided([asset('a', { version: 2 })], { known: { a: stateOf(rowOf(asset('a'))) } }).lines[0]!).event_id,
    );
  });

  test.each<[string, Partial<RowState> | undefined, boolean]>([
    ['of which the SIEM has a version is known to it', {}, true],
    ['that was never sent is not known', undefined, false],
    ['that was removed is not known', { removed: true }, false],
    ['that was sent before the last replay is not known: the SIEM may have lost it', { generation: 6 }, false],
  ])('a row %s', (_what, state, expected) => {
    const seen: boolean[] = [];
    const format: EventFormat = {
      ...envelope,
      row(event, context) {
        seen.push(event.known);
        return envelope.row(event, context);
      },
    };
    const known = state && { a: stateOf(rowOf(asset('a')), { generation: 7, ...state }) };
    decided([asset('a', { version: 2 })], { known: known ?? {}, generation: 7, format });
    expect(seen).toEqual([expected]);
  });

  test('a replay sends a known row once more, and records it in the new generation', () => {
    const { lines, states } = decided([asset('a')], { known: { a: stateOf(rowOf(asset('a'))) }, generation: 7 });
    expect(kinds(lines)).toEqual(['upsert a']);
    expect(states.get('a')!.generation).toBe(7);
  });

  test('DNS blocks are neither looked up nor recorded one by one', () => {
    const known = { d: rowState() };
    const { lines, states, children } = decided([dnsBlock('d')], { stream: DNS_BLOCKS, known });
    expect(kinds(lines)).toEqual(['dns_block d']);
    expect([states.size, children.length]).toEqual([0, 0]);
  });
});

describe('tombstones and restores', () => {
  const live = stateOf(rowOf(asset('a')));

  test('the tombstone of a known asset is sent, recorded as removed, and listed for withdrawal', () => {
    const { lines, states, removals, counts } = decided([tombstone('a', { position: 'p7' })], { known: { a: live } });
    expect(kinds(lines)).toEqual(['tombstone a']);
    expect(states.get('a')!.removed).toBe(true);
    expect(removals).toEqual([
      { id: 'a', deletedAt: '2026-11-20T09:10:00Z', position: '"p7"', sequence: '00000000010000000001' },
    ]);
    expect(counts).toMatchObject({ forwarded: 1, tombstones: 1, unseenTombstones: 0 });
  });

  test('the tombstone of an asset never seen is not sent, but counted and listed, because its threats may have been seen', () => {
    const { lines, states, removals, counts } = decided([tombstone('a')]);
    expect([lines, states.size]).toEqual([[], 0]);
    expect(removals.map(({ id }) => id)).toEqual(['a']);
    expect(counts).toMatchObject({ forwarded: 0, tombstones: 0, unseenTombstones: 1 });
  });

  test('the tombstone of an asset that may have been sent before a crash is sent', () => {
    expect(kinds(decided([tombstone('a')], { unconfirmed: ['a'] }).lines)).toEqual(['tombstone a']);
  });

  test('a tombstone that is delivered again is not listed again', () => {
    const known = { a: stateOf(rowOf(tombstone('a'))) };
    expect(decided([tombstone('a', { position: 'p9' })], { known }).removals).toEqual([]);
  });

  test('a restored asset is sent and recorded as live', () => {
    const known = { a: stateOf(rowOf(tombstone('a'))) };
    const { lines, states, removals } = decided([asset('a', { position: 'p9' })], { known });
    expect(kinds(lines)).toEqual(['upsert a']);
    expect([states.get('a')!.removed, removals]).toEqual([false, []]);
  });
});

describe('the child index', () => {
  const stream = THREATS;

  test('a new threat is added to the child index under its asset', () => {
    const { children } = decided([threat('t', 'a')], { stream });
    expect(children).toEqual([{ parent: 'a', id: 't', sequence: '00000000010000000001' }]);
  });

  test('a changed threat under the same asset adds nothing to the child index', () => {
    const known = { t: stateOf(rowOf(threat('t', 'a'), stream)) };
    const { children, lines } = decided([threat('t', 'a', { version: 2 })], { stream, known });
    expect([lines.length, children]).toEqual([1, []]);
  });

  test('a threat that moves between assets is added under the new one, with a greater sequence', () => {
    const known = { t: stateOf(rowOf(threat('t', 'a'), stream)) };
    const { children, states } = decided([threat('t', 'b')], { stream, known });
    expect(children).toEqual([{ parent: 'b', id: 't', sequence: '00000000010000000001' }]);
    expect(states.get('t')!.parent).toBe('b');
  });

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
    expect(counts.withoutOwner).toBe(1);
    expect(children.map(({ id }) => id)).toEqual(['u']);
  });

  test('rule 11: an asset is not counted as a threat without an asset', () => {
    expect(decided([asset('a')]).counts.withoutOwner).toBe(0);
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

function knowing(known: Row | undefined, change: Partial<Known> & { generation?: number } = {}): Known {
  const state = known && rowState({ rowHash: known.rowHash, parent: known.parent, removed: known.deleted });
  return { state, unconfirmed: false, generation: 0, ...change };
}

describe('classification by row state', () => {
  const known = rowOf(asset('a', { version: 1, position: 'p1' }));

  test('a row with an unknown id is forwarded', () => {
    expect(classify(known, knowing(undefined))).toBe('forward');
  });

  test('a row with another hash is forwarded', () => {
    expect(classify(rowOf(asset('a', { version: 2 })), knowing(known))).toBe('forward');
  });

  test('rule 5: the same content at a later stream_position is a re-delivery', () => {
    expect(classify(rowOf(asset('a', { version: 1, position: 'p9' })), knowing(known))).toBe('suppress');
  });

  test('rule 5: other content with an older updated_at is a change', () => {
    const older = rowOf(asset('a', { version: 1, updated_at: '2020-01-01T00:00:00Z' }));
    expect(classify(older, knowing(known))).toBe('forward');
  });

  test('a row state of a generation before the last replay does not suppress the row', () => {
    expect(classify(known, knowing(known, { generation: 1 }))).toBe('forward');
  });

  test('a row whose id is unconfirmed is forwarded again, even with the same content', () => {
    expect(classify(known, knowing(known, { unconfirmed: true }))).toBe('forward');
  });

  test('the same content under another parent updates the row state, and is not sent', () => {
    const before = rowOf(threat('t', 'a1'), THREATS);
    const state = rowState({ rowHash: before.rowHash, parent: undefined });
    expect(classify(before, { state, unconfirmed: false, generation: 0 })).toBe('adopt');
  });
});

describe('classification of removals', () => {
  const live = rowOf(asset('a'));
  const removed = rowOf(tombstone('a', { position: 'p2' }));

  test('the tombstone of a known asset is forwarded', () => {
    expect(classify(removed, knowing(live))).toBe('forward');
  });

  test('the tombstone of an asset never seen is not forwarded', () => {
    expect(classify(removed, knowing(undefined))).toBe('unseen');
  });

  test('the tombstone of an asset that may have been sent just before a crash is forwarded', () => {
    expect(classify(removed, knowing(undefined, { unconfirmed: true }))).toBe('forward');
  });

  test('a tombstone delivered again is a re-delivery', () => {
    expect(classify(rowOf(tombstone('a', { position: 'p3' })), knowing(removed))).toBe('suppress');
  });

  test('a restored asset is forwarded, even when it is as it was before its removal', () => {
    expect(classify(live, knowing(removed))).toBe('forward');
  });
});
