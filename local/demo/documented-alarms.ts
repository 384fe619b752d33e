import { readFileSync } from 'node:fs';
import path from 'node:path';

const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'testing.md');

/** Minutes until each alarm fires in the alarm tests, by incident and alarm. */
export type DocumentedAlarms = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The table of docs/testing.md, which a test keeps equal to the results. */
export function documentedAlarms(markdown = readFileSync(PAGE, 'utf8')): DocumentedAlarms {
  const rows = markdown.split('\n').filter(line => line.startsWith('| '));
  return new Map(
    rows.flatMap(row => {
      const [incident = '', alarms = ''] = row.slice(2).split(' | ');
      const fired = [...alarms.matchAll(/`([^`]+)`\**\s(\d+)/g)];
      return fired.length === 0
        ? []
        : [[incident, new Map(fired.map(([, name, minutes]) => [name!, Number(minutes)]))]];
    }),
  );
}
