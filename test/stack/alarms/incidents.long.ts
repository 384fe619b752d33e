import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ALARMS } from '../../../lib/alarms/alarms.ts';
import type { Incident } from '../../../local/incidents/incident.ts';
import { ROOT } from '../../documents/pages.ts';
import { withTable } from '../../documents/tables.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import type { Finding, Line } from './main.ts';

/**
 * In a process of their own, where the hundreds of runs take half the time. It prints each result at once, and each test waits for its own
 * result only, so that no time limit applies to all of them together.
 */
const drills = spawn(
  process.execPath,
  // A larger young generation: short-lived objects of the runs cost an eighth of the time otherwise.
  ['--max-semi-space-size=32', '--no-warnings', path.join(import.meta.dirname, 'main.ts')],
  { stdio: ['ignore', 'pipe', 'pipe'] },
);
const errors = text(drills.stderr);
const lines = createInterface({ input: drills.stdout })[Symbol.asyncIterator]();
const shown: Line[] = [];

afterAll(() => void drills.kill());

/** Reads until the line is there. @throws Error when the process ends without it */
async function lineOf<L extends Line>(isWanted: (line: Line) => line is L): Promise<L> {
  for (;;) {
    const line = shown.find(isWanted);
    if (line) return line;
    const { value, done } = await lines.next();
    if (done) throw new Error(`The incidents ended early:\n${await errors}`);
    shown.push(JSON.parse(value));
  }
}

function findingOf(name: string): Promise<Finding> {
  return lineOf((line): line is Finding => 'incident' in line && line.incident === name);
}

async function findingsOf(incidents: readonly Incident[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name } of incidents) findings.push(await findingOf(name));
  return findings;
}

describe('on-call is notified of', () => {
  test.each(INCIDENTS)('$name, by exactly the alarms expected, and of its end', async ({ name, alarms }) => {
    const { fired, stuck, recovered } = await findingOf(name);
    expect(fired).toEqual([...alarms].sort());
    expect({ stuck, recovered }).toEqual({ stuck: [], recovered: true });
  });

  test('every defined alarm in some incident', async () => {
    const findings = await findingsOf(INCIDENTS);
    const fired = new Set(findings.flatMap(finding => finding.fired));
    expect(ALARMS.map(({ name }) => name).filter(name => !fired.has(name))).toEqual([]);
  });

  test('the end of all delivery by a critical alarm within 36 minutes', async () => {
    const findings = await findingsOf(INCIDENTS);
    const silences = findings.filter(({ fired }) => fired.includes('stream-silent'));
    expect(silences.length).toBeGreaterThan(5);
    expect(silences.filter(({ critical = Number.POSITIVE_INFINITY }) => critical > 36)).toEqual([]);
  });
});

test('every incident of which on-call is notified names its alarms', () => {
  expect(INCIDENTS.filter(({ alarms }) => alarms.length === 0).map(({ name }) => name)).toEqual([]);
});

describe('nobody is notified of', () => {
  test.each(NO_INCIDENTS)('$name', async ({ name }) => {
    expect(await findingOf(name)).toEqual({ incident: name, fired: [], stuck: [], recovered: true });
  });
});

test('the table in docs/testing.md has the results, or "npm run documents -- incidents" writes it', async () => {
  const { rows } = await lineOf(line => 'rows' in line);
  const page = readFileSync(path.join(ROOT, 'docs', 'testing.md'), 'utf8');
  expect(page).toBe(withTable(page, '## Alarms', rows));
});
