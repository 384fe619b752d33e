/**
 * Runs every incident and prints the table of all, or with `--json` a line for each incident as soon as it has ended, and the table last.
 * `--write` keeps the table in docs/testing.md.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { Incident } from '../../../local/incidents/incident.ts';
import { argumentsOrExit } from '../../../local/npm-command.ts';
import { ROOT } from '../../documents/pages.ts';
import { withTable } from '../../documents/tables.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import { criticalAlarms, type DrillResult, drill } from './support/drill.ts';
import { drillRows } from './support/drill-table.ts';

/** The result of one incident, as JSON. */
export interface Finding {
  readonly incident: string;
  readonly fired: readonly string[];
  /** Minutes until the critical alarm fired. */
  readonly critical: number | undefined;
  readonly stuck: readonly string[];
  readonly recovered: boolean;
}

/** A line of `--json`. */
export type Line = Finding | { readonly rows: string[][] };

const { flags } = argumentsOrExit<{ json: boolean; write: boolean }>(() =>
  new Command('npm run alarm-tests --')
    .description('Runs every incident, and prints which alarms fire after how many minutes.')
    .option('--json', 'a JSON line for each incident as soon as it has ended, and the table last', false)
    .option('--write', 'keep the table in docs/testing.md', false),
);

async function all(incidents: readonly Incident[]): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  for (const incident of incidents) {
    console.error(incident.name);
    const result = await drill(incident);
    if (flags.json) print(found(result));
    results.push(result);
  }
  return results;
}

function found({ incident, fired, notified, stuck, recovered }: DrillResult): Finding {
  return {
    incident: incident.name,
    fired: [...fired.keys()].sort(),
    critical: notified.get('critical'),
    stuck,
    recovered,
  };
}

function print(line: Line): void {
  console.log(JSON.stringify(line));
}

const incidents = await all(INCIDENTS);
const healthy = await all(NO_INCIDENTS);
const rows = drillRows(incidents, healthy, await criticalAlarms());
if (flags.json) print({ rows });
else for (const cells of rows) console.log(cells.join(': '));
if (flags.write) {
  const page = path.join(ROOT, 'docs', 'testing.md');
  await writeFile(page, withTable(await readFile(page, 'utf8'), '## Alarms', rows));
}
