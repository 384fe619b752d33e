import { describe, expect, test } from '@jest/globals';
import { ALARMS } from '../../../lib/alarms/alarms.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import { played, playedIncidents } from './play.ts';

/** The longest incident takes half a minute on a slow machine. */
const TIMEOUT = 300_000;

describe('alarms of incidents', () => {
  test.each(INCIDENTS)(
    '$name: exactly the expected alarms fire, and on-call is notified again when they end',
    async incident => {
      const { fired, stuck, recovered } = await played(incident);
      expect([...fired.keys()].sort()).toEqual([...incident.alarms].sort());
      expect({ stuck, recovered }).toEqual({ stuck: [], recovered: true });
    },
    TIMEOUT,
  );

  test('every defined alarm fires in some incident', async () => {
    const fired = new Set((await playedIncidents()).flatMap(result => [...result.fired.keys()]));
    expect(ALARMS.map(({ name }) => name).filter(name => !fired.has(name))).toEqual([]);
  });

  test('the end of all delivery fires a critical alarm within 36 minutes', async () => {
    const silences = (await playedIncidents()).filter(({ fired }) => fired.has('stream-silent'));
    expect(silences.length).toBeGreaterThan(5);
    const critical = silences.map(({ notified }) => notified.get('critical') ?? Number.POSITIVE_INFINITY);
    expect(critical.filter(minutes => minutes > 36)).toEqual([]);
  });
});

test('every incident that notifies on-call names its alarms', () => {
  expect(INCIDENTS.filter(({ alarms }) => alarms.length === 0).map(({ name }) => name)).toEqual([]);
});

describe('nobody is notified of', () => {
  test.each(NO_INCIDENTS)(
    '$name does not fire an alarm',
    async incident => {
      const { fired, stuck, recovered } = await played(incident);
      expect({ fired: [...fired.keys()], stuck, recovered }).toEqual({ fired: [], stuck: [], recovered: true });
    },
    TIMEOUT,
  );
});
