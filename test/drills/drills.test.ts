import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ALARMS } from '../../lib/alarms/alarms.ts';
import { PROJECT_ROOT } from '../lib/synth.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import type { Finding, Findings } from './main.ts';

let shown: Findings;

/** In a process of their own: the hundreds of runs take half the time there. */
beforeAll(async () => {
  const main = path.join(import.meta.dirname, 'main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', main, '--json']);
  shown = JSON.parse(stdout);
}, 120_000);

function findingOf(name: string): Finding {
  return shown.findings.find(({ incident }) => incident === name)!;
}

describe('on-call hears of', () => {
  test.each(INCIDENTS)('$name, by exactly the alarms expected, and of its end', ({ name, alarms }) => {
    const { fired, stuck, recovered } = findingOf(name);
    expect(fired).toEqual([...alarms].sort());
    expect({ stuck, recovered }).toEqual({ stuck: [], recovered: true });
  });

  test('every alarm of the table in some drill', () => {
    const fired = new Set(shown.findings.flatMap(finding => finding.fired.map(name => name.split('/')[0])));
    expect(ALARMS.map(({ name }) => name).filter(name => !fired.has(name))).toEqual([]);
  });

  test('an end of the flow by a page within 36 minutes', () => {
    const silences = shown.findings.filter(({ fired }) => fired.some(name => name.startsWith('stream-silent')));
    expect(silences.length).toBeGreaterThan(10);
    expect(silences.filter(({ page = Number.POSITIVE_INFINITY }) => page > 36)).toEqual([]);
  });
});

describe('nobody hears of', () => {
  test.each(NO_INCIDENTS)('$name', ({ name }) => {
    expect(findingOf(name)).toEqual({ incident: name, fired: [], stuck: [], recovered: true });
  });
});

test('docs/drills.md is what the drills show: npm run drills -- --write', () => {
  expect(readFileSync(path.join(PROJECT_ROOT, 'docs', 'drills.md'), 'utf8')).toBe(shown.table);
});
