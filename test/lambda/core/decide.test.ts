import { describe, expect, test } from '@jest/globals';
import { planPage } from '../../../lambda/core/decide.ts';
import { envelope } from '../../../lambda/core/event.ts';
import type { EventFormat } from '../../../lambda/core/event-format.ts';
import type { BadRow, Row } from '../../../lambda/core/row.ts';
import { Sequencer } from '../../../lambda/core/sequence.ts';
import type { RowState } from '../../../lambda/ports.ts';
import { readEvent } from './support/event-schema.ts';
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

function plan(texts: readonly string[], given: Given = {}) {
  const { stream = ASSETS, known = {}, unconfirmed = [], generation = 0, badRows = [], format = envelope } = given;
  return planPage({
    stream,
    rows: texts.map(text => rowOf(text, stream)),
    badRows,
    recall: ({ id }) => ({ state: known[id], unconfirmed: unconfirmed.includes(id), generation }),
    generation,
    sequencer: new Sequencer(1),
    context: CONTEXT,
    format,
    locate: ({ stream: name, rowHash }) => `s3://dead-letters/${name}/${rowHash}.json`,
  });
}

const stateOf = (row: Row, change: Partial<RowState> = {}) =>
  rowState({ rowHash: row.rowHash, parent: row.parent, removed: row.deleted, ...change });
const kinds = (lines: readonly string[]) => lines.map(readEvent).map(({ kind, id }) => `${kind} ${id}`);

describe('row states', () => {
  test('a new row is sent, remembered and counted', () => {
    const row = rowOf(asset('a'));
    const { lines, states, forwardedIds, lastSequence, counts } = plan([asset('a')]);
    expect(kinds(lines)).toEqual(['upsert a']);
    expect([forwardedIds, lastSequence]).toEqual([['a'], '00000000010000000001']);
    expect(states.get('a')).toEqual(stateOf(row, { forwardedAt: CONTEXT.forwardedAt }));
    expect(counts).toMatchObject({ forwarded: 1, suppressed: 0 });
  });

  test('a known row is suppressed: counted, nothing written', () => {
    const given = { known: { a: stateOf(rowOf(asset('a'))) } };
    const result = plan([asset('a', { position: 'p9' })], given);
    expect(result.counts).toMatchObject({ forwarded: 0, suppressed: 1 });
    expect([result.lines, [...result.states], result.childIndex, result.tombstones]).toEqual([[], [], [], []]);
  });

  test('events keep the order of the page, each with a greater sequence', () => {
    const { lines } = plan([asset('b'), asset('a'), asset('c')]);
    const sequences = lines.map(line => readEvent(line).sequence);
    expect(kinds(lines)).toEqual(['upsert b', 'upsert a', 'upsert c']);
    expect(sequences).toEqual([...new Set(sequences)].sort());
  });

  test('a row that came back after a withdrawal keeps its incarnation in every later version', () => {
    const before = stateOf(rowOf(asset('a')), { revision: 'w' });
    const { lines, states } = plan([asset('a', { version: 2 })], { known: { a: before } });
    expect(states.get('a')).toMatchObject({ revision: 'w' });
    expect(readEvent(lines[0]!).event_id).not.toBe(
      readEvent(plan([asset('a', { version: 2 })], { known: { a: stateOf(rowOf(asset('a'))) } }).lines[0]!).event_id,
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
      row(sending, context) {
        seen.push(sending.known);
        return envelope.row(sending, context);
      },
    };
    const known = state && { a: stateOf(rowOf(asset('a')), { generation: 7, ...state }) };
    plan([asset('a', { version: 2 })], { known: known ?? {}, generation: 7, format });
    expect(seen).toEqual([expected]);
  });

  test('a replay sends what is known once more, and remembers it in the new generation', () => {
    const { lines, states } = plan([asset('a')], { known: { a: stateOf(rowOf(asset('a'))) }, generation: 7 });
    expect(kinds(lines)).toEqual(['upsert a']);
    expect(states.get('a')!.generation).toBe(7);
  });

  test('DNS blocks are neither looked up nor remembered one by one', () => {
    const known = { d: rowState() };
    const { lines, states, childIndex } = plan([dnsBlock('d')], { stream: DNS_BLOCKS, known });
    expect(kinds(lines)).toEqual(['dns_block d']);
    expect([states.size, childIndex.length]).toEqual([0, 0]);
  });
});

describe('tombstones and restores', () => {
  const live = stateOf(rowOf(asset('a')));

  test('of a known asset: sent, marked removed, listed for withdrawal', () => {
    const { lines, states, tombstones, counts } = plan([tombstone('a', { position: 'p7' })], { known: { a: live } });
    expect(kinds(lines)).toEqual(['tombstone a']);
    expect(states.get('a')!.removed).toBe(true);
    expect(tombstones).toEqual([
      { id: 'a', deletedAt: '2026-11-20T09:10:00Z', position: '"p7"', sequence: '00000000010000000001' },
    ]);
    expect(counts).toMatchObject({ forwarded: 1, tombstones: 1, unseenTombstones: 0 });
  });

  test('of an asset never seen: not sent, counted, no state, but listed, for its threats may have been seen', () => {
    const { lines, states, tombstones, counts } = plan([tombstone('a')]);
    expect([lines, states.size]).toEqual([[], 0]);
    expect(tombstones.map(({ id }) => id)).toEqual(['a']);
    expect(counts).toMatchObject({ forwarded: 0, tombstones: 0, unseenTombstones: 1 });
  });

  test('of an asset that may have been sent before a crash: sent', () => {
    expect(kinds(plan([tombstone('a')], { unconfirmed: ['a'] }).lines)).toEqual(['tombstone a']);
  });

  test('a re-delivered tombstone is not listed again', () => {
    const known = { a: stateOf(rowOf(tombstone('a'))) };
    expect(plan([tombstone('a', { position: 'p9' })], { known }).tombstones).toEqual([]);
  });

  test('a restored asset is sent and marked live', () => {
    const known = { a: stateOf(rowOf(tombstone('a'))) };
    const { lines, states, tombstones } = plan([asset('a', { position: 'p9' })], { known });
    expect(kinds(lines)).toEqual(['upsert a']);
    expect([states.get('a')!.removed, tombstones]).toEqual([false, []]);
  });
});

describe('memberships', () => {
  const stream = THREATS;

  test('a new threat is noted under its asset', () => {
    const { childIndex } = plan([threat('t', 'a')], { stream });
    expect(childIndex).toEqual([{ parent: 'a', id: 't', sequence: '00000000010000000001' }]);
  });

  test('a changed threat under the same asset writes none', () => {
    const known = { t: stateOf(rowOf(threat('t', 'a'), stream)) };
    const { childIndex, lines } = plan([threat('t', 'a', { version: 2 })], { stream, known });
    expect([lines.length, childIndex]).toEqual([1, []]);
  });

  test('a threat moving between assets is noted under the new one, with a greater sequence', () => {
    const known = { t: stateOf(rowOf(threat('t', 'a'), stream)) };
    const { childIndex, states } = plan([threat('t', 'b')], { stream, known });
    expect(childIndex).toEqual([{ parent: 'b', id: 't', sequence: '00000000010000000001' }]);
    expect(states.get('t')!.parent).toBe('b');
  });

  test('members adopt: a known threat whose asset was not known learns it without being sent', () => {
    const known = { t: stateOf(rowOf(threat('t', 'a'), stream), { parent: undefined }) };
    const { lines, states, childIndex, counts } = plan([threat('t', 'a')], { stream, known });
    expect([lines, counts.forwarded]).toEqual([[], 0]);
    expect(states.get('t')).toEqual({ ...known.t, parent: 'a' });
    expect(childIndex).toEqual([{ parent: 'a', id: 't', sequence: known.t.sequence }]);
  });

  test('rule 11: a threat without its asset is sent, counted, and noted nowhere', () => {
    const { lines, childIndex, counts } = plan([threat('t', undefined), threat('u', 'a')], { stream });
    expect(kinds(lines)).toEqual(['upsert t', 'upsert u']);
    expect(counts.withoutOwner).toBe(1);
    expect(childIndex.map(({ id }) => id)).toEqual(['u']);
  });

  test('rule 11: an asset is not counted as a threat without one', () => {
    expect(plan([asset('a')]).counts.withoutOwner).toBe(0);
  });
});

describe('rule 13: rows that cannot be sent', () => {
  const huge = (id: string) => threat(id, 'a', { text: 'x'.repeat(1_024_000) });

  test('a bad row becomes a dead letter with its reason, beside the good ones', () => {
    const bad = readText('{"name":"x"}') as BadRow;
    const { deadDeadLetters, lines } = plan([asset('a')], { badRows: [bad] });
    expect(deadDeadLetters).toEqual([
      { stream: 'assets', reason: 'no-id', text: '{"name":"x"}', rowHash: bad.rowHash },
    ]);
    expect(kinds(lines)).toEqual(['upsert a']);
  });

  test('an oversize row becomes a dead letter and a small event that points to it, and is remembered', () => {
    const { deadDeadLetters, lines, states, childIndex, counts } = plan([huge('t')], { stream: THREATS });
    const event = readEvent(lines[0]!);
    expect(deadDeadLetters).toMatchObject([{ stream: 'threats', reason: 'oversize', text: huge('t') }]);
    expect(event).toMatchObject({ kind: 'oversize', id: 't', asset_id: 'a' });
    expect(event.dead_letter).toContain(deadDeadLetters[0]!.rowHash);
    expect([states.has('t'), childIndex.length, counts.oversize, counts.forwarded]).toEqual([true, 1, 1, 1]);
  });

  test('an oversize row that is known is not stored again', () => {
    const known = { t: stateOf(rowOf(huge('t'), THREATS)) };
    expect(plan([huge('t')], { stream: THREATS, known })).toMatchObject({ deadDeadLetters: [], lines: [] });
  });

  test.each([
    ['asset_id', threat('t', 'a'.repeat(1_024_000))],
    ['stream_position', threat('t', 'a', { position: 'p'.repeat(1_024_000) })],
    ['updated_at', threat('t', 'a', { updated_at: `2026-11-20T09:00:00.${'0'.repeat(1_024_000)}Z` })],
  ])('the oversize event is small whatever made the row large: %s', (_member, text) => {
    const { lines } = plan([text], { stream: THREATS });
    expect(Math.max(...lines.map(line => Buffer.byteLength(line)))).toBeLessThan(100_000);
  });
});
