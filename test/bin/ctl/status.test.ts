import { describe, expect, test } from '@jest/globals';
import { tableText } from '../../../bin/ctl/report/table-text.ts';
import { durationText } from '../../../bin/ctl/report/time-text.ts';
import type { StreamActivity } from '../../../bin/ctl/status/activity.ts';
import { result } from '../../../bin/ctl/status/reading.ts';
import { conditionOf } from '../../../bin/ctl/status/stream-condition.ts';
import { resultOf } from '../../../bin/ctl/status/verdict.ts';
import { BEGINNING } from '../../../lambda/core/stream-state.ts';
import type { SavedStream } from '../../../lambda/ports.ts';

const memory = (checkpoint: Partial<SavedStream['checkpoint']>): SavedStream => ({
  checkpoint: { ...BEGINNING, ...checkpoint },
  intents: [],
});
const fresh = memory({});
const begun = memory({ committed: '00000000010000000001' });
const counts = { read: 0, forwarded: 0, suppressed: 0, withdrawn: 0, deadLetters: 0 };
const activity = (reported?: number, drained?: number, failed = false): StreamActivity => ({
  reported,
  drained,
  failed,
  counts,
});

describe('a stream is', () => {
  const base = { off: false, running: false, memory: begun, activity: activity(5, 5) };
  test.each([
    ['caught up', base],
    ['caught up', { ...base, activity: activity(5, 5, true) }],
    ['failing', { ...base, activity: activity(6, 5, true) }],
    ['backfilling', { ...base, activity: activity(6, 5) }],
    ['backfilling', { ...base, activity: activity(6) }],
    ['backfilling', { ...base, memory: memory({ repairing: true }) }],
    ['failing', { ...base, memory: memory({ repairing: true }), activity: activity(6, 5, true) }],
    ['backfilling', { ...base, running: true, activity: activity() }],
    ['silent', { ...base, activity: activity() }],
    ['never run', { ...base, memory: fresh, activity: activity() }],
    ['unknown', { ...base, activity: undefined }],
    ['off', { ...base, off: true }],
    ['damaged', { ...base, off: true, memory: new Error('changed by hand') }],
  ])('%s: %j', (condition, facts) => {
    expect(conditionOf(facts)).toBe(condition);
  });
});

test.each([
  [[], 'the alarms are gone'],
  [['ticket'], 'the alarm page is gone'],
  [['page'], 'the alarm ticket is gone'],
  [['page', 'ticket'], undefined],
])('of those that tell people, %j are left: %s', (names, reason) => {
  const part = { value: undefined };
  const notifiers = names.map(name => ({ name, state: 'OK', tells: true, actions: [] }));
  const alarms = { value: { alarms: [{ name: 'stream-silent/assets', state: 'OK' }], notifiers } };
  const deployment = { stackStatus: 'CREATE_COMPLETE' };
  const { reasons } = resultOf({
    state: part,
    activity: part,
    schedule: part,
    off: part,
    deployment,
    alarms,
  } as never);
  expect(reasons).toEqual(reason === undefined ? [] : [reason]);
});

describe('a status', () => {
  const value = <T>(of: T) => ({ value: of });
  const alarm = (name: string, urgency: string, state = 'OK') => ({ name, urgency, state });
  const notifiers = ['page', 'ticket'].map(name => ({ name, state: 'OK', tells: true, actions: [] }));
  const depth = value({ waiting: 0, taken: 0 });
  const healthy = {
    now: 0,
    deployment: { stackStatus: 'CREATE_COMPLETE' },
    off: value([]),
    state: value({ streams: new Map([['assets', begun]]), lease: undefined }),
    activity: value({ streams: new Map([['assets', activity(5, 5)]]) }),
    schedule: value({ enabled: true }),
    alarms: value({ alarms: [alarm('stream-silent/assets', 'page')], notifiers }),
    deadLetters: value(new Map()),
    scheduleDeadLetters: depth,
    siem: { queue: depth, deadLetters: depth },
  };
  const result = (change: object) => resultOf({ ...healthy, ...change } as never);
  const hidden = { notReadable: 'denied' };

  test('is healthy when every part is', () => {
    expect(result({})).toEqual({ word: 'well', reasons: [] });
  });

  test.each([
    ['settings', { off: hidden }],
    ['table', { state: hidden }],
    ['metrics', { activity: hidden }],
    ['schedule', { schedule: hidden }],
    ['alarms', { alarms: hidden }],
    ['dead letters', { deadLetters: hidden }],
    ['schedule dead-letter queue', { scheduleDeadLetters: hidden }],
    ['SIEM queue', { siem: { queue: hidden, deadLetters: depth } }],
    ['SIEM dead-letter queue', { siem: { queue: depth, deadLetters: hidden } }],
  ])('is unhealthy when this cannot be read: %s', (part, change) => {
    expect(result(change)).toEqual({ word: 'amiss', reasons: [`${part} not readable`] });
  });

  test('does not count a silent stream as unhealthy while the schedule is off', () => {
    const silent = { activity: value({ streams: new Map([['assets', activity()]]) }) };
    expect(result(silent)).toEqual({ word: 'amiss', reasons: ['assets silent'] });
    expect(result({ ...silent, schedule: value({ enabled: false }) }).word).toBe('paused');
  });

  test('names alarms that page before those that do not', () => {
    const alarms = [alarm('lease-lost', 'ticket', 'ALARM'), alarm('delivery-late', 'page', 'ALARM')];
    expect(result({ alarms: value({ alarms, notifiers }) }).reasons).toEqual([
      'alarm delivery-late',
      'alarm lease-lost',
    ]);
  });
});

test('a part that cannot be read says why on one line; Ctrl-C alone ends the reading', async () => {
  const interruption = new AbortController();
  const read = async () => {
    throw new Error('No.\nYou need more.');
  };
  expect(await result(read, interruption.signal)).toEqual({ notReadable: 'No. You need more.' });
  interruption.abort();
  await expect(result(read, interruption.signal)).rejects.toThrow('No.');
});

test.each([
  [-5, '0 s'],
  [119_400, '119 s'],
  [120_000, '2 min'],
  [7_140_000, '119 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
])('%d milliseconds are %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test('a table has numbers to the right, words to the left, and no blanks at the end of a line', () => {
  expect(
    tableText(
      ['name', 'rows', 'state'],
      [
        ['a', '1,200', 'ok'],
        ['longer', '?', ''],
      ],
    ).split('\n'),
  ).toEqual(['name     rows  state', '--------------------', 'a       1,200  ok', 'longer      ?']);
});
