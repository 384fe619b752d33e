/** Runs every drill and prints its table; `--write` keeps it in docs/drills.md. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PROJECT_ROOT } from '../lib/synth.ts';
import { INCIDENTS, NO_INCIDENTS } from './incidents.ts';
import { type DrillResult, drill, paging } from './support/drill.ts';
import { drillTable } from './support/drill-table.ts';
import type { Incident } from './support/incident.ts';

async function all(incidents: readonly Incident[]): Promise<DrillResult[]> {
  const results: DrillResult[] = [];
  for (const incident of incidents) {
    console.error(incident.name);
    results.push(await drill(incident));
  }
  return results;
}

const incidents = await all(INCIDENTS);
const table = drillTable(incidents, await all(NO_INCIDENTS), paging());
console.log(table);
if (process.argv.includes('--write')) await writeFile(path.join(PROJECT_ROOT, 'docs', 'drills.md'), table);
