import { describe, expect, test } from '@jest/globals';
import { check, type Result } from './promise.ts';
import { receive } from './siem.ts';

const ROW = '{"id":"a","deleted":false,"n":9007199254740993,"stream_position":"1"}';
const GONE = '{"id":"gone","deleted":true,"deleted_at":"now"}';
const THREAT = '{"id":"t","asset_id":"a","score":1.0}';
const TRUTH = `{"assets":{"a":${ROW},"gone":${GONE}},"threats":{"t":${THREAT}},"dns-blocks":{}}`;

interface Sent {
  readonly sequence: number;
  readonly epoch?: number;
  readonly kind?: string;
  readonly stream?: string;
  readonly id?: string;
  readonly eventId?: string;
  readonly row?: string;
}

function line({ sequence, epoch = 1, kind = 'upsert', stream = 'assets', id = 'a', eventId, row }: Sent): string {
  const order = String(epoch).padStart(10, '0') + String(sequence).padStart(10, '0');
  const head = { event_id: eventId ?? `${stream} ${id} ${sequence}`, sequence: order, kind, stream, id };
  return row === undefined ? JSON.stringify(head) : `${JSON.stringify(head).slice(0, -1)},"row":${row}}`;
}

const ASSET = { sequence: 1, row: ROW };
const TOMBSTONE = { sequence: 2, kind: 'tombstone', id: 'gone', row: GONE };
const OF_THREAT = { sequence: 3, stream: 'threats', id: 't', row: THREAT };

function result(sent: readonly Sent[], completed: readonly number[] = []): Result {
  const events = sent.map(each => receive(line(each), 0));
  return check({ events, truth: TRUTH, completedEpochs: new Set(completed) });
}

describe('holds', () => {
  test.each<[string, Sent[]]>([
    ['a copy of every row', [ASSET, TOMBSTONE, OF_THREAT]],
    ['another order of arrival', [OF_THREAT, TOMBSTONE, ASSET]],
    ['no trace of an asset that was removed before anybody saw it', [ASSET, OF_THREAT]],
    ['another position', [{ ...ASSET, row: ROW.replace('"1"', '"2"') }, OF_THREAT]],
    [
      'a threat that the truth does not know, once withdrawn',
      [
        ASSET,
        OF_THREAT,
        { sequence: 4, stream: 'threats', id: 'u', row: '{"id":"u"}' },
        { sequence: 5, stream: 'threats', id: 'u', kind: 'withdrawn' },
      ],
    ],
  ])('%s', (_, sent) => {
    expect(result(sent).breaches).toEqual([]);
  });
});

describe('is a breach', () => {
  test.each<[string, Sent[], string]>([
    ['a missing row', [ASSET, TOMBSTONE], 'threats t is missing'],
    ['another digit', [{ ...ASSET, row: ROW.replace('993', '992') }, OF_THREAT], 'assets a is'],
    ['another form of a number', [ASSET, { ...OF_THREAT, row: THREAT.replace('1.0', '1') }], 'threats t is'],
    ['an older version with a greater sequence', [ASSET, OF_THREAT, { sequence: 9, row: '{"id":"a"}' }], 'assets a is'],
    ['a live row as a tombstone', [{ ...ASSET, kind: 'tombstone' }, OF_THREAT], 'assets a is'],
    [
      'a withdrawn threat that is there',
      [ASSET, OF_THREAT, { ...OF_THREAT, sequence: 9, kind: 'withdrawn' }],
      'threats t',
    ],
    [
      'a threat that disappeared and was not withdrawn',
      [ASSET, OF_THREAT, { ...OF_THREAT, id: 'u', sequence: 4 }],
      'threats u is a ghost',
    ],
    ['one sequence on two lines', [ASSET, { ...OF_THREAT, sequence: 1 }], 'have one sequence'],
  ])('%s', (_, sent, breach) => {
    expect(result(sent).breaches).toEqual([expect.stringContaining(breach)]);
  });

  test('a repeat after a run that was not killed', () => {
    const sent = [{ ...ASSET, eventId: 'x' }, OF_THREAT, { ...ASSET, eventId: 'x', epoch: 2 }];
    expect(result(sent, [2])).toMatchObject({ breaches: [], repeats: 1 });
    expect(result(sent, [1])).toMatchObject({
      breaches: [expect.stringContaining('Sent again though no run was killed')],
      repeats: 1,
    });
  });
});

test('counts withdrawals, tombstones and assets that came back', () => {
  const sent = [
    { sequence: 0, kind: 'tombstone', row: GONE },
    ASSET,
    TOMBSTONE,
    OF_THREAT,
    { sequence: 9, kind: 'withdrawn', stream: 'threats', id: 'u' },
  ];
  expect(result(sent)).toMatchObject({ withdrawals: 1, tombstones: 2, restores: 1 });
});
