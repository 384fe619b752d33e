import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { PROJECT_ROOT } from '../lib/synth.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import type { Finding, Line } from './main.ts';
import type { Incident } from './support/incident.ts';

/**
 * In a process of their own: the hundreds of runs take half the time there. It prints a drill as soon as it has ended, and each test waits
 * for its own drill alone. The time that all drills take together is nobody's limit, however busy the machine is.
 */
const drills = spawn(process.execPath, ['--no-warnings', path.join(import.meta.dirname, 'main.ts'), '--json'], {
  stdio: ['ignore', 'pipe', 'pipe'],
});
const errors = text(drills.stderr);
const lines = createInterface({ input: drills.stdout })[Symbol.asyncIterator]();
const shown: Line[] = [];

afterAll(() => void drills.kill());

/** Reads on until the line is there. @throws Error when the drills end without it */
async function lineOf<L extends Line>(isWanted: (line: Line) => line is L): Promise<L> {
  for (;;) {
    const line = shown.find(isWanted);
    if (line) return line;
    const { value, done } = await lines.next();
    if (done) throw new Error(`The drills ended early:\n${await errors}`);
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

describe('on-call hears of', () => {
  test.each(INCIDENTS)('$name, by exactly the alarms expected, and of its end', async ({ name, alarms }) => {
    const { fired, stuck, recovered } = await findingOf(name);
    expect(fired).toEqual([...alarms].sort());
    expect({ stuck, recovered }).toEqual({ stuck: [], recovered: true });
  });

  test('every alarm of the table in some drill', async () => {
    const findings = await findingsOf(INCIDENTS);
    const fired = new Set(findings.flatMap(finding => finding.fired.map(name => name.split('/')[0])));
    expect(ALARMS.map(({ name }) => name).filter(name => !fired.has(name))).toEqual([]);
  });

  test('an end of the flow by a page within 36 minutes', async () => {
    const findings = await findingsOf(INCIDENTS);
    const silences = findings.filter(({ fired }) => fired.some(name => name.startsWith('stream-silent')));
    expect(silences.length).toBeGreaterThan(10);
    expect(silences.filter(({ page = Number.POSITIVE_INFINITY }) => page > 36)).toEqual([]);
  });
});

describe('nobody hears of', () => {
  test.each(NO_INCIDENTS)('$name', async ({ name }) => {
    expect(await findingOf(name)).toEqual({ incident: name, fired: [], stuck: [], recovered: true });
  });
});

test('docs/alarm-tests.md is what the drills show: npm run alarm-tests -- --write', async () => {
  const { table } = await lineOf(line => 'table' in line);
  expect(readFileSync(path.join(PROJECT_ROOT, 'docs', 'drills.md'), 'utf8')).toBe(table);
});
