import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ALARMS } from '../../lib/alarms.ts';
import { PROJECT_ROOT } from '../lib/synth.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import { type DrillResult, drill, paging } from './support/drill.ts';
import { drillTable } from './support/drill-table.ts';
import type { Incident } from './support/incident.ts';

/** Milliseconds: some drills are hundreds of runs. */
const LONG = 60_000;

const drilled = new Map<Incident, Promise<DrillResult>>();

/** Each drill is run once. */
function resultOf(incident: Incident): Promise<DrillResult> {
  const result = drilled.get(incident) ?? drill(incident);
  drilled.set(incident, result);
  return result;
}

async function resultsOf(incidents: readonly Incident[]): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  for (const incident of incidents) results.push(await resultOf(incident));
  return results;
}

describe('on-call hears of', () => {
  test.each(INCIDENTS)(
    '$name, by exactly the alarms expected, and of its end',
    async incident => {
      const { fired, stuck, recovered } = await resultOf(incident);
      expect([...fired.keys()].sort()).toEqual([...incident.alarms].sort());
      expect({ stuck, recovered }).toEqual({ stuck: [], recovered: true });
    },
    LONG,
  );

  test(
    'every alarm of the table in some drill',
    async () => {
      const results = await resultsOf(INCIDENTS);
      const fired = new Set(results.flatMap(result => [...result.fired.keys()].map(name => name.split('/')[0])));
      expect(ALARMS.map(({ name }) => name).filter(name => !fired.has(name))).toEqual([]);
    },
    LONG,
  );

  test(
    'an end of the flow by a page within 36 minutes',
    async () => {
      const results = await resultsOf(INCIDENTS);
      const silences = results.filter(({ fired }) => [...fired.keys()].some(name => name.startsWith('stream-silent')));
      expect(silences.length).toBeGreaterThan(10);
      expect(silences.filter(({ told }) => !(told.get('page')! <= 36)).map(({ incident }) => incident.name)).toEqual(
        [],
      );
    },
    LONG,
  );
});

describe('nobody hears of', () => {
  test.each(NO_INCIDENTS)(
    '$name',
    async incident => {
      const { fired, recovered } = await resultOf(incident);
      expect({ fired: [...fired], recovered }).toEqual({ fired: [], recovered: true });
    },
    LONG,
  );
});

test(
  'docs/drills.md is what the drills show: npm run drills -- --write',
  async () => {
    const table = drillTable(await resultsOf(INCIDENTS), await resultsOf(NO_INCIDENTS), paging());
    expect(readFileSync(path.join(PROJECT_ROOT, 'docs', 'drills.md'), 'utf8')).toBe(table);
  },
  LONG,
);
