import { describe, expect, test } from '@jest/globals';
import { withoutTestMessages } from '../../../bin/ctl/commands/dead-letters/counts.ts';
import { healthOf, streamConditionOf } from '../../../bin/ctl/commands/status/health.ts';
import type { StreamActivity } from '../../../bin/ctl/commands/status/snapshot.ts';
import { statusJson } from '../../../bin/ctl/commands/status/status-json.ts';
import { leaseText, statusText } from '../../../bin/ctl/commands/status/status-text.ts';
import { tryRead } from '../../../bin/ctl/read-result.ts';
import { durationText, tableText } from '../../../bin/ctl/text.ts';
import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';
import type { SavedStream, SecondWalk, WaitingWithdrawals } from '../../../lambda/ports.ts';
import { cells } from '../support/words.ts';

const saved = (checkpoint: Partial<SavedStream['checkpoint']>): SavedStream => ({
  checkpoint: { ...INITIAL_CHECKPOINT, ...checkpoint },
  log: undefined,
});
const fresh = saved({});
const begun = saved({ committed: '00000000010000000001' });
const counts = { read: 0, forwarded: 0, filtered: 0, withdrawn: 0, refreshed: 0, filterErrors: 0 };
const activity = (reported?: number, caughtUp?: number, failed = false): StreamActivity => ({
  reported,
  caughtUp,
  failed,
  counts,
});

describe('a stream is', () => {
  const base = { off: false, running: false, saved: begun, activity: activity(5, 5) };
  test.each([
    ['caught up', base],
    ['caught up', { ...base, activity: activity(5, 5, true) }],
    ['failing', { ...base, activity: activity(6, 5, true) }],
    ['backfilling', { ...base, activity: activity(6, 5) }],
    ['backfilling', { ...base, activity: activity(6) }],
    ['backfilling', { ...base, running: true, activity: activity() }],
    ['silent', { ...base, activity: activity() }],
    ['never run', { ...base, saved: fresh, activity: activity() }],
    ['unknown', { ...base, activity: undefined }],
    ['off', { ...base, off: true }],
    ['caught up', { ...base, lateBefore: 5 }],
    ['late', { ...base, lateBefore: 6 }],
    ['backfilling', { ...base, behindBefore: 5, activity: activity(9, 5) }],
    ['late', { ...base, behindBefore: 6, activity: activity(9, 5) }],
    ['backfilling', { ...base, behindBefore: 6, activity: activity(9) }],
    ['failing', { ...base, lateBefore: 7, activity: activity(6, 5, true) }],
    ['unreadable', { ...base, off: true, saved: new Error('changed by hand') }],
  ])('a stream is %s with the facts %j', (condition, facts) => {
    expect(streamConditionOf(facts)).toBe(condition);
  });
});

describe('a status', () => {
  const value = <T>(of: T) => ({ value: of });
  const alarm = (name: string, severity: string, state = 'OK') => ({ name, severity, state });
  const notifiers = ['critical', 'warning'].map(name => ({ name, state: 'OK', notifies: true, actions: [] }));
  const depth = value({ waiting: 0, taken: 0 });
  const healthy = {
    now: 0,
    deployment: { stackStatus: 'CREATE_COMPLETE' },
    off: value([]),
    state: value({ streams: new Map([['assets', begun]]), lease: undefined }),
    activity: value({ streams: new Map([['assets', activity(5, 5)]]) }),
    schedule: value({ enabled: true }),
    alarms: value({ alarms: [alarm('stream-silent', 'critical')], notifiers }),
    deadLetters: value(new Map()),
    scheduleDeadLetters: depth,
    siem: { queue: depth, deadLetters: depth },
    readers: [],
  };
  const health = (change: object) => healthOf({ ...healthy, ...change } as never);
  const textOf = (change: object) => {
    const alarms = value({ alarms: [], notifiers });
    return String(statusText({ ...healthy, alarms, ...change } as never, { status: 'healthy', reasons: [] }));
  };
  const hidden = { notReadable: 'denied' };

  test('a status is healthy when every part is healthy', () => {
    expect(health({})).toEqual({ status: 'healthy', reasons: [] });
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
  ])('a status is unhealthy when %s cannot be read', (part, change) => {
    expect(health(change)).toEqual({ status: 'unhealthy', reasons: [`${part} not readable`] });
  });

  test.each([
    [[], ['the alarms are missing']],
    [['warning'], ['the alarm critical is missing']],
    [['critical'], ['the alarm warning is missing']],
  ])('a status is unhealthy when the account has only the composite alarms %j', (names, reasons) => {
    const own = notifiers.filter(({ name }) => names.includes(name));
    expect(health({ alarms: value({ ...healthy.alarms.value, notifiers: own }) }).reasons).toEqual(reasons);
  });

  test('a silent stream is not unhealthy while the schedule is off', () => {
    const silent = { activity: value({ streams: new Map([['assets', activity()]]) }) };
    expect(health(silent)).toEqual({ status: 'unhealthy', reasons: ['assets silent'] });
    expect(health({ ...silent, schedule: value({ enabled: false }) }).status).toBe('paused');
  });

  describe('that is late after three missed intervals of its schedule', () => {
    const healthAfter = (minutes: number, expression: string, change: object = {}) => {
      const streams = { activity: value({ streams: new Map([['assets', activity(5, 5)]]) }) };
      const schedule = value({ enabled: true, expression });
      return health({ now: minutes * 60_000, ...streams, schedule, ...change });
    };

    test.each([
      ['rate(1 minute)', 4, 12],
      ['rate(5 minutes)', 16, 18],
      ['rate(1 hour)', 181, 183],
    ])('a status with the schedule %s is healthy after %d minutes and late after %d', (expression, before, since) => {
      expect(healthAfter(before, expression).status).toBe('healthy');
      const words = `assets late: no run has reached the end for ${durationText(since * 60_000)}, at ${expression}`;
      expect(healthAfter(since, expression)).toEqual({ status: 'unhealthy', reasons: [words] });
    });

    test('a status is late during a run only after the time of the longest run', () => {
      const running = { state: value({ streams: new Map([['assets', begun]]), lease: { held: true } }) };
      expect(healthAfter(12, 'rate(1 minute)', running).status).toBe('healthy');
      expect(healthAfter(21, 'rate(1 minute)', running).status).toBe('unhealthy');
    });

    test('a status is late when no run has caught up for twice the time of the longest run', () => {
      const behind = (minutes: number) =>
        healthAfter(minutes, 'rate(1 minute)', {
          activity: value({ streams: new Map([['assets', activity(minutes * 60_000, 5)]]) }),
        });
      expect(behind(34)).toEqual({ status: 'in progress', reasons: ['assets backfilling'] });
      const words = 'assets late: no run has reached the end for 36 min, at rate(1 minute)';
      expect(behind(36)).toEqual({ status: 'unhealthy', reasons: [words] });
    });

    test('a status is not late while the schedule is off or has no rate', () => {
      const off = value({ enabled: false, expression: 'rate(1 minute)' });
      expect(healthAfter(12, 'rate(1 minute)', { schedule: off }).status).toBe('paused');
      expect(healthAfter(12, 'cron(0 * * * ? *)').status).toBe('healthy');
    });
  });

  test('a status with muted alarms is unhealthy while the schedule is on, but paused while it is off', () => {
    const alarms = value({ ...healthy.alarms.value, notifiers: notifiers.map(each => ({ ...each, notifies: false })) });
    expect(health({ alarms })).toEqual({ status: 'unhealthy', reasons: ['the alarms are muted'] });
    expect(health({ alarms, schedule: value({ enabled: false }) }).status).toBe('paused');
  });

  test('a status leaves out failed starts of the function when their number is zero', () => {
    const textWith = (waiting: number) => textOf({ scheduleDeadLetters: value({ waiting, taken: 1 }) });
    expect(textWith(2)).toContain('Failed starts of the function: 3');
    expect(textWith(-1)).not.toContain('Failed starts');
  });

  test('the columns of a status add up to the rows read, without withdrawals or refreshed rows', () => {
    const day = { read: 10, forwarded: 9, filtered: 1, withdrawn: 2, refreshed: 3, filterErrors: 7 };
    const streams = new Map([['assets', { ...activity(5, 5), counts: day }]]);
    const text = textOf({ activity: value({ streams }) });
    expect(text).toContain('read = forwarded + filtered + other.');
    expect(cells(text, 'assets')).toEqual(['assets', 'caught up', 'just now', '10', '4', '1', '5', '2', '?']);
    expect(text).toContain('The filter of assets failed or did not return a boolean for 7 rows, which were sent.');
  });

  test('a status calls a stream without a success silent, and does not count test messages as waiting objects', () => {
    const text = textOf({
      activity: value({ streams: new Map([['assets', activity()]]) }),
      siem: { queue: value({ waiting: 0, taken: 0, testMessages: 1 }), deadLetters: depth },
    });
    expect(cells(text, 'assets').slice(1, 3)).toEqual(['silent', 'none in 24 h']);
    expect(text).toContain('SIEM      no object waiting: ');
  });

  test('a status shows the three newest kinds of failures and the number of other kinds', () => {
    const failures = [1, 2, 3, 4, 5].map(at => ({ time: 0, count: at, error: `Error${at}`, what: '', advice: '' }));
    const text = textOf({ failures: value(failures) });
    expect(text.match(/Error\d/g)).toEqual(['Error1', 'Error2', 'Error3']);
    expect(text).toContain('0 s ago, 3 times in 3 hours: run, Error3');
    expect(text).toContain('\n  2 more kinds of failures: ');
  });

  describe('of a stream with a second walk', () => {
    const MINUTE = 60_000;
    const second: SecondWalk = {
      mode: 'differences',
      phase: 'read',
      rows: 1_200,
      notBefore: 0,
      most: 65,
      withdrawn: { own: 65, children: 0 },
    };
    const snapshotOf = (change: Partial<SecondWalk>, log?: SavedStream['log']) => {
      const { checkpoint } = saved({ committed: '00000000010000000001', second: { ...second, ...change } });
      const streams = new Map([['assets', { checkpoint, log }]]);
      const state = value({ streams, lease: undefined, withdrawals: new Map() });
      return { ...healthy, state };
    };

    test.each<readonly [string, Partial<SecondWalk>, string]>([
      ['reads the list', {}, 'first pass, 1200 rows listed'],
      ['reads the list once more', { phase: 'confirm', rows: 7 }, 'second pass, 7 rows listed'],
      ['waits before the second pass', { phase: 'confirm', notBefore: 45 * MINUTE }, 'second pass, begins in 45 min'],
      ['withdraws rows that are not listed', { phase: 'sweep' }, 'withdrawal of rows that are not listed'],
    ])('the status of a stream says that its second walk %s', (_what, change, text) => {
      const shown = textOf(snapshotOf(change)).split('\n');
      expect(shown).toContain(`assets are read again from the beginning: ${text}`);
    });

    const CONFIRM = 'New changes are sent. "npm run connectorctl -- confirm withdrawals" shows the decision to make.';

    test.each<readonly [WaitingWithdrawals, string]>([
      [
        { reason: 'filtered', own: 66, children: 0 },
        'Withdrawals wait: 66 assets, because the filter excludes them. 65 were withdrawn before.',
      ],
      [
        { reason: 'not-listed', own: 66, children: 9 },
        'Withdrawals wait: 66 assets, with 9 of their threats, because the API does not list them any more. 65 were withdrawn before.',
      ],
    ])('the status shows waiting withdrawals instead of the progress of the second walk: %j', (waiting, text) => {
      const shown = textOf(snapshotOf({ waiting })).split('\n');
      expect(shown).toContain(`${text} ${CONFIRM}`);
      expect(shown.join()).not.toContain('read again');
    });

    test('the JSON of a status shows the second walk, waiting withdrawals and an open batch', () => {
      const json = (...of: Parameters<typeof snapshotOf>) => {
        const document = statusJson(snapshotOf(...of) as never, { status: 'healthy', reasons: [] });
        return (document as { streams: { checkpoint: object }[] }).streams[0]!.checkpoint;
      };
      const log = { sequence: '00000000010000000002', key: 'log/assets/2', earlier: [] };
      const waiting = { reason: 'filtered', own: 66, children: 0 } as const;
      const secondWalk = { mode: 'differences', phase: 'read', rows: 1_200, withdrawn: { own: 65, children: 0 } };
      expect(json({})).toMatchObject({ batchOpen: false, secondWalk, withdrawalsWaiting: null });
      expect(json({ waiting }, log)).toMatchObject({ batchOpen: true, secondWalk, withdrawalsWaiting: waiting });
    });
  });

  test('a status lists critical alarms first', () => {
    const alarms = [alarm('filter-errors', 'warning', 'ALARM'), alarm('delivery-late', 'critical', 'ALARM')];
    const { reasons } = health({ alarms: value({ alarms, notifiers }) });
    expect(reasons).toEqual(['alarm delivery-late', 'alarm filter-errors']);
  });
});

test.each([
  [{ held: true, expires: 86_400_000 * 3, ended: 'no' }, 'held by another, epoch 7, for 3 days more unless renewed'],
  [{ held: false, expires: 0, ended: 'no' }, 'its run was killed and the lease expired 1970-01-01T00:00:00Z'],
  [{ held: false, expires: 0, ended: 'dirty' }, 'the last run ended within a batch, which the next run finishes'],
] as const)('the text about the lease %j contains "%s"', (lease, text) => {
  expect(leaseText({ epoch: 7, holder: 'another', ...lease }, 0)).toContain(text);
});

test('a lease that no run has taken yet is shown as never taken', () => {
  expect(leaseText(undefined, 0)).toBe('never taken: no run has used this table yet');
});

test.each([
  ['a bucket without an event', 0, { waiting: 0, taken: 0, testMessages: 3 }],
  ['a bucket with events', 1, { waiting: 2, taken: 1, testMessages: 0 }],
])('messages in a queue count as test messages only while the bucket is empty: %s', async (_, KeyCount, counted) => {
  const aws = { s3: () => ({ send: async () => ({ KeyCount }) }) } as never;
  expect(await withoutTestMessages({ waiting: 2, taken: 1, testMessages: 0 }, aws, 'bucket')).toEqual(counted);
});

test('tryRead returns an error as one line, but rethrows it after Ctrl-C', async () => {
  const interruption = new AbortController();
  const read = async () => {
    throw new Error('No.\nYou need more.');
  };
  expect(await tryRead(read, interruption.signal)).toEqual({ notReadable: 'No. You need more.' });
  interruption.abort();
  await expect(tryRead(read, interruption.signal)).rejects.toThrow('No.');
});

test.each([
  [-5, '0 s'],
  [119_400, '119 s'],
  [120_000, '2 min'],
  [7_140_000, '119 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
])('%d milliseconds are shown as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test('a table aligns numbers to the right and words to the left, without trailing blanks', () => {
  const short = ['a', '1,200', 'ok'];
  const table = tableText(['name', 'rows', 'state'], [short, ['longer', '?', '']]);
  expect(table.split('\n')).toEqual([
    'name     rows  state',
    '--------------------',
    'a       1,200  ok',
    'longer      ?',
  ]);
});
