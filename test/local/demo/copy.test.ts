import { describe, expect, test } from '@jest/globals';
import { LiveRows, type RowsByStream, SiemCopy } from '../../../local/demo/copy.ts';

const NOTHING = { assets: new Map(), threats: new Map(), 'dns-blocks': new Map() };
const THREAT = '{"id":"t","severity":"high"}';
const DATA: RowsByStream = { ...NOTHING, threats: new Map([['t', THREAT]]) };

/** An event that arrives. */
function threat(row: string | undefined, more: { eventId?: string } = {}) {
  return { stream: 'threats' as const, id: 't', row, bytes: 10, ...more };
}

function figures(...arrivals: ReturnType<typeof threat>[]) {
  const copy = new SiemCopy();
  for (const arrival of arrivals) copy.take(arrival);
  copy.endMinute();
  return copy.hour;
}

describe('an event is', () => {
  test('an event is a duplicate when the SIEM already has the row, whatever its position', () => {
    const again = THREAT.replace('}', ',"stream_position":"9"}');
    expect(figures(threat(THREAT), threat(again))).toMatchObject({ events: 2, duplicates: 1, repeats: 0, bytes: 20 });
    expect(figures(threat(undefined), threat(undefined))).toMatchObject({ duplicates: 1 });
  });

  test('an event is not a duplicate when its row has changed, is gone, or has returned', () => {
    const changed = THREAT.replace('high', 'low');
    const arrivals = [threat(THREAT), threat(changed), threat(undefined), threat(changed)];
    expect(figures(...arrivals)).toMatchObject({ events: 4, duplicates: 0 });
  });

  test('an event is a repeat when it has the event_id of the previous event of the row', () => {
    const twice = figures(threat(THREAT, { eventId: 'e' }), threat(THREAT, { eventId: 'e' }));
    expect(twice).toMatchObject({ duplicates: 0, repeats: 1 });
  });
});

test('the figures of the SIEM’s copy cover the last hour', () => {
  const copy = new SiemCopy();
  copy.take(threat(THREAT));
  for (let minute = 0; minute < 60; minute++) copy.endMinute();
  expect(copy.hour.events).toBe(1);
  copy.endMinute();
  expect(copy.hour.events).toBe(0);
});

describe('a row in the SIEM is', () => {
  const distanceAfter = (rows: RowsByStream, ...arrivals: ReturnType<typeof threat>[]) => {
    const copy = new SiemCopy();
    for (const arrival of arrivals) copy.take(arrival);
    return copy.distance(rows);
  };

  test('a row in the SIEM is right when it equals the row of the API', () => {
    expect(distanceAfter(DATA, threat(THREAT))).toEqual({ ghosts: 0, stale: 0 });
    expect(distanceAfter(NOTHING, threat(THREAT), threat(undefined))).toEqual({ ghosts: 0, stale: 0 });
  });

  test('a row in the SIEM is a ghost when the API no longer has it', () => {
    expect(distanceAfter(NOTHING, threat(THREAT))).toEqual({ ghosts: 1, stale: 0 });
  });

  test('a row in the SIEM is stale when it is missing, outdated, or wrongly marked as gone', () => {
    const older = threat(THREAT.replace('high', 'low'));
    for (const arrivals of [[], [older], [threat(THREAT), threat(undefined)]]) {
      expect(distanceAfter(DATA, ...arrivals)).toEqual({ ghosts: 0, stale: 1 });
    }
  });
});

test('rows of the API count as changed when they are new, changed, removed or missing', () => {
  const live = new LiveRows();
  const asset = (text: string) => ({ ...NOTHING, assets: new Map([['a', text]]) });
  expect(live.refresh(asset('{"id":"a","deleted":false}'))).toBe(1);
  expect(live.rows.assets.get('a')).toBe('{"id":"a","deleted":false}');
  expect(live.refresh(asset('{"id":"a","deleted":false}'))).toBe(0);
  expect(live.refresh(asset('{"id":"a","deleted":true}'))).toBe(1);
  expect(live.rows.assets.size).toBe(0);
  expect(live.refresh(NOTHING)).toBe(1);
});
